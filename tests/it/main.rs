//! Everything that is tested from outside, by area.

mod parsing;
