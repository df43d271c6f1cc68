//! Servers as processes of their own, ended by their drop, and what the kernel says of their CPU time.

use super::Failure;
use super::bot::{self, SECRET};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;
use tapgate::storage::Gathering;
use tokio::net::TcpStream;

/// A process under load.
pub struct Server {
    process: Child,
    address: SocketAddr,
}

/// What `botctl serve` is told.
pub struct Settings<'a> {
    /// The program.
    pub program: PathBuf,
    /// A folder that it may use.
    pub folder: &'a Path,
    /// `DATABASE_URL`.
    pub database: String,
    /// `REDIS_URL`.
    pub redis: Option<String>,
    /// How it gathers.
    pub gathering: Gathering,
}

impl Server {
    /// This very program, told to be the floor.
    pub async fn floor() -> Result<Self, Failure> {
        let address = free_address()?;
        let process = Command::new(std::env::current_exe()?).args(["floor", &address.to_string()]).spawn()?;
        Self { process, address }.ready().await
    }

    /// `botctl serve` without a sender, on a migrated store with the bot.
    pub async fn tapgate(settings: &Settings<'_>) -> Result<Self, Failure> {
        let (address, ops) = (free_address()?, free_address()?);
        let Gathering { loaders, committers, batch_max, waiting_max } = settings.gathering;
        let file = settings.folder.join(format!("{}.toml", ops.port()));
        let gathering = format!(
            "[gathering]\nloaders = {loaders}\ncommitters = {committers}\nbatch_max = {batch_max}\nwaiting_max = {waiting_max}\n"
        );
        std::fs::write(&file, gathering)?;
        let botctl = |arguments: &[&str]| {
            let mut command = Command::new(&settings.program);
            command.current_dir(settings.folder).args(arguments).stdout(Stdio::null());
            command.env("TAPGATE_CONFIG", &file).env("DATABASE_URL", &settings.database);
            command.env("TAPGATE_LISTEN", address.to_string()).env("TAPGATE_OPS_LISTEN", ops.to_string());
            command.env("TAPGATE_SUBNETS", "127.0.0.0/8").env("TAPGATE_LOG", "warn").env_remove("REDIS_URL");
            if let Some(redis) = &settings.redis {
                command.env("REDIS_URL", redis);
            }
            command
        };
        let token = bot::token();
        let add =
            ["bot", "add", "--name", "bench", "--token", &token, "--secret", SECRET, "--flow", bot::FLOW, "--offline"];
        for arguments in [&["migrate"][..], &add] {
            if !botctl(arguments).status()?.success() {
                return Err(format!("botctl {} failed", arguments[0]).into());
            }
        }
        Self { process: botctl(&["serve", "--no-sender"]).spawn()?, address }.ready().await
    }

    async fn ready(mut self) -> Result<Self, Failure> {
        while TcpStream::connect(self.address).await.is_err() {
            if let Some(status) = self.process.try_wait()? {
                return Err(format!("a server did not start: {status}").into());
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        Ok(self)
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The CPU time that it has used.
    pub fn cpu(&self) -> Option<Duration> {
        cpu(self.process.id())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// The CPU time of a process of this machine, in the kernel's ticks of 10 ms; none if it is not here.
pub fn cpu(process: impl std::fmt::Display) -> Option<Duration> {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    let mut fields = stat.rsplit(')').next()?.split_whitespace().skip(11);
    let mut ticks = || fields.next()?.parse::<u64>().ok();
    Some(Duration::from_millis((ticks()? + ticks()?) * 10))
}

fn free_address() -> Result<SocketAddr, Failure> {
    Ok(std::net::TcpListener::bind("127.0.0.1:0")?.local_addr()?)
}
