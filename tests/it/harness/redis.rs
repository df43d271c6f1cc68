//! Redis: the shared one for tests that only use it, a process of its own for those that freeze, empty or kill it.

use super::{ports, process::Process, services};
use ::redis::Client;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::Command;
use tempfile::TempDir;

/// A Redis server that belongs to one test. Ended with this value.
#[derive(Debug)]
pub struct Redis {
    program: PathBuf,
    folder: TempDir,
    address: SocketAddr,
    process: Option<Process>,
}

impl Redis {
    /// Starts one on a free port and waits until it answers; none (and a recorded skip) without the program.
    pub async fn start() -> Option<Self> {
        let program = services::redis_server()?;
        let folder = tempfile::tempdir().unwrap();
        let mut redis = Self { program, folder, address: ports::free(), process: None };
        redis.restart().await;
        Some(redis)
    }

    /// Where it is: a `REDIS_URL`.
    pub fn url(&self) -> String {
        format!("redis://{}", self.address)
    }

    /// Starts it again, empty, on the same port.
    pub async fn restart(&mut self) {
        self.kill();
        let mut command = Command::new(&self.program);
        command.arg("--port").arg(self.address.port().to_string()).args(["--bind", "127.0.0.1"]);
        command.args(["--save", "", "--appendonly", "no", "--daemonize", "no"]).arg("--dir").arg(self.folder.path());
        let mut process = Process::start("redis-server", command);
        process.wait_until_listening(self.address).await;
        self.process = Some(process);
    }

    /// Ends it at once; connections break.
    pub fn kill(&mut self) {
        self.process = None;
    }

    /// Stops it in its tracks (SIGSTOP): connections stay and nothing is answered.
    pub fn freeze(&self) {
        self.process.as_ref().expect("this Redis runs").freeze();
    }

    /// Lets a frozen one go on.
    pub fn thaw(&self) {
        self.process.as_ref().expect("this Redis runs").thaw();
    }

    /// Forgets every key.
    pub async fn empty(&self) {
        let mut connection = self.connect().await;
        let () = ::redis::cmd("FLUSHALL").query_async(&mut connection).await.expect("this Redis answers");
    }

    /// A connection beside the server's, to look.
    pub async fn connect(&self) -> ::redis::aio::MultiplexedConnection {
        Client::open(self.url()).unwrap().get_multiplexed_async_connection().await.expect("this Redis answers")
    }
}
