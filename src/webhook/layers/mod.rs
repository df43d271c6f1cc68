//! One file a layer.
pub mod admission;
