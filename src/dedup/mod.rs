//! Claims and recorded answers in Redis. A gate, not a judge: the fence of the row is what makes it true.
