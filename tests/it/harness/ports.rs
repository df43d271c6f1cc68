//! Free ports of this machine.

use std::net::{SocketAddr, TcpListener};

/// An address of this machine where nobody listens now.
pub fn free() -> SocketAddr {
    TcpListener::bind(("127.0.0.1", 0)).and_then(|listener| listener.local_addr()).expect("a port is free")
}
