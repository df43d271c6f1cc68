//! The ops listener: metrics and health. Never reachable from the public listener.
