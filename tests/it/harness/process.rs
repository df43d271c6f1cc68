//! A program that a test runs beside itself: what it says is kept, and it ends with the value.
//! Never signals a process that it did not start.

use super::patience;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use std::io::{BufRead, BufReader, Read};
use std::net::SocketAddr;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;
use tokio::net::TcpStream;

/// A running program. Killed and waited for when dropped.
#[derive(Debug)]
pub struct Process {
    name: &'static str,
    child: Child,
    said: Arc<Mutex<String>>,
    readers: Vec<JoinHandle<()>>,
}

impl Process {
    /// Starts `command`; `name` is what failures call it.
    pub fn start(name: &'static str, mut command: Command) -> Self {
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap_or_else(|error| panic!("{name} does not start: {error}"));
        let said = Arc::<Mutex<String>>::default();
        let readers = vec![
            read(child.stdout.take().expect("stdout is piped"), Arc::clone(&said)),
            read(child.stderr.take().expect("stderr is piped"), Arc::clone(&said)),
        ];
        Self { name, child, said, readers }
    }

    /// Everything it wrote so far, both streams.
    pub fn said(&self) -> String {
        self.said.lock().unwrap().clone()
    }

    /// Whether it has ended.
    pub fn ended(&mut self) -> Option<ExitStatus> {
        self.child.try_wait().expect("a child can be asked")
    }

    /// Waits until somebody listens there.
    pub async fn wait_until_listening(&mut self, address: SocketAddr) {
        let name = self.name;
        patience::until(&format!("{name} listens on {address}"), async || {
            if let Some(status) = self.ended() {
                panic!("{name} ended with {status}:\n{}", self.said());
            }
            TcpStream::connect(address).await.ok()
        })
        .await;
    }

    /// Waits until it has ended by itself, or fails after `limit`.
    pub async fn wait_for_end(&mut self, limit: Duration) -> ExitStatus {
        let name = self.name;
        let status = patience::until_within(limit, &format!("{name} ends"), async || self.ended()).await;
        for reader in self.readers.drain(..) {
            let _ = reader.join();
        }
        status
    }

    /// SIGTERM.
    pub fn terminate(&self) {
        self.signal(Signal::SIGTERM);
    }

    /// Blocks until it has ended.
    pub fn join(&mut self) {
        let _ = self.child.wait();
    }

    /// SIGSTOP.
    pub fn freeze(&self) {
        self.signal(Signal::SIGSTOP);
    }

    /// SIGCONT.
    pub fn thaw(&self) {
        self.signal(Signal::SIGCONT);
    }

    /// SIGHUP.
    pub fn hang_up(&self) {
        self.signal(Signal::SIGHUP);
    }

    /// SIGKILL, and waits until it is gone.
    pub fn kill(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    fn signal(&self, signal: Signal) {
        let id = Pid::from_raw(i32::try_from(self.child.id()).expect("a process id fits"));
        // One that has ended by itself is still there until it is waited for, so the id is never another's.
        let _ = kill(id, signal);
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
        if std::thread::panicking() {
            println!("--- {} said:\n{}", self.name, self.said());
        }
    }
}

fn read(stream: impl Read + Send + 'static, into: Arc<Mutex<String>>) -> JoinHandle<()> {
    std::thread::spawn(move || {
        let mut stream = BufReader::new(stream);
        let mut line = Vec::new();
        while stream.read_until(b'\n', &mut line).is_ok_and(|count| count > 0) {
            into.lock().unwrap().push_str(&String::from_utf8_lossy(&line));
            line.clear();
        }
    })
}
