//! Log lines: where they go, at which level, in which form.
