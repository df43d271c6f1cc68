//! A wire that can be cut: it stands between the server and its database and can swallow the reply to a statement.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

pub struct Proxy {
    pub address: SocketAddr,
    swallow: Arc<AtomicBool>,
}

impl Proxy {
    /// Stands in front of `server`, a `HOST:PORT`.
    pub async fn before(server: String) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let address = listener.local_addr().unwrap();
        let swallow = Arc::new(AtomicBool::new(false));
        let flag = swallow.clone();
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                tokio::spawn(carry(client, server.clone(), flag.clone()));
            }
        });
        Self { address, swallow }
    }

    /// The next reply of the server is lost, and the connection with it.
    pub fn swallow_the_next_reply(&self) {
        self.swallow.store(true, Ordering::SeqCst);
    }

    /// Whether that has happened.
    pub fn has_swallowed(&self) -> bool {
        !self.swallow.load(Ordering::SeqCst)
    }
}

async fn carry(client: TcpStream, server: String, swallow: Arc<AtomicBool>) {
    let server = TcpStream::connect(server).await.unwrap();
    let (mut from_client, mut to_client) = client.into_split();
    let (mut from_server, mut to_server) = server.into_split();
    let asking = tokio::spawn(async move { tokio::io::copy(&mut from_client, &mut to_server).await });
    let mut buffer = vec![0; 64 * 1024];
    while let Ok(read @ 1..) = from_server.read(&mut buffer).await {
        if swallow.swap(false, Ordering::SeqCst) || to_client.write_all(&buffer[..read]).await.is_err() {
            break;
        }
    }
    asking.abort();
}
