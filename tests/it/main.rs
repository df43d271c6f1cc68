//! The one integration binary: modules by area, names are sentences about behaviour.

mod config;
