//! A wire between two programs: it counts the connections made over it and can be cut.
//! It runs on a thread of its own and never looks at what passes.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::JoinHandle;
use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{oneshot, watch};

/// A relay on a free port. Ended, and everything on it cut, with this value.
pub struct Wire {
    address: SocketAddr,
    opened: Arc<AtomicUsize>,
    cuts: watch::Sender<()>,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Wire {
    /// Whoever connects to this wire is connected to `target`.
    pub fn to(target: SocketAddr) -> Self {
        let listener = std::net::TcpListener::bind(("127.0.0.1", 0)).unwrap();
        listener.set_nonblocking(true).unwrap();
        let address = listener.local_addr().unwrap();
        let opened = Arc::<AtomicUsize>::default();
        let cuts = watch::Sender::new(());
        let (stop, stopped) = oneshot::channel();
        let thread = std::thread::spawn({
            let (opened, cuts) = (Arc::clone(&opened), cuts.clone());
            move || {
                let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
                runtime.block_on(async {
                    tokio::select! {
                        () = relay(listener, target, opened, cuts) => {}
                        _ = stopped => {}
                    }
                });
            }
        });
        Self { address, opened, cuts, stop: Some(stop), thread: Some(thread) }
    }

    /// Where it begins.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// How many connections were made over it so far.
    pub fn opened(&self) -> usize {
        self.opened.load(Ordering::SeqCst)
    }

    /// Breaks every connection on it, whatever is under way; new ones may be made.
    pub fn cut(&self) {
        self.cuts.send_replace(());
    }
}

impl Drop for Wire {
    fn drop(&mut self) {
        self.stop.take();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

async fn relay(listener: std::net::TcpListener, target: SocketAddr, opened: Arc<AtomicUsize>, cuts: watch::Sender<()>) {
    let listener = TcpListener::from_std(listener).unwrap();
    while let Ok((mut near, _)) = listener.accept().await {
        opened.fetch_add(1, Ordering::SeqCst);
        let mut cut = cuts.subscribe();
        tokio::spawn(async move {
            let Ok(mut far) = TcpStream::connect(target).await else { return };
            let _ = (near.set_nodelay(true), far.set_nodelay(true));
            tokio::select! {
                _ = copy_bidirectional(&mut near, &mut far) => {}
                _ = cut.changed() => {}
            }
        });
    }
}
