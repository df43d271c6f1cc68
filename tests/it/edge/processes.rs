//! What only a process of its own can show: few file descriptors, an inherited socket. A test here starts this very
//! binary again with its own name; the variable `CHILD` tells the two apart.

use super::client::{Connection, Post};
use super::stand::{SECRET, Stand, bot, edge, quiet, service};
use crate::harness::patience;
use crate::harness::process::Process;
use listenfd::ListenFd;
use std::net::TcpListener;
use std::os::fd::OwnedFd;
use std::process::{Command, Stdio};
use std::sync::Arc;
use tapgate::bot::Bot;
use tapgate::shutdown::Tasks;
use tapgate::telegram::id::BotId;
use tapgate::webhook::listener::{Keeping, Listener, serve};

const CHILD: &str = "TAPGATE_TEST_CHILD";

fn is_child() -> bool {
    std::env::var_os(CHILD).is_some()
}

/// This test once more, started by the shell after `preparation`.
fn again(preparation: &str) -> Command {
    let name = std::thread::current().name().unwrap().to_owned();
    let mut command = Command::new("sh");
    command.arg("-c").arg(format!("{preparation} exec \"$0\" --exact \"$1\" --nocapture"));
    command.arg(std::env::current_exe().unwrap()).arg(name).env(CHILD, "1");
    command
}

#[tokio::test]
async fn the_listener_survives_the_want_of_file_descriptors() {
    if !is_child() {
        let mut child = Process::start("the child", again("ulimit -n 64;"));
        let status = child.wait_for_end(patience::LIMIT).await;
        assert!(status.success(), "{}", child.said());
        return;
    }
    let bot = bot();
    let stand = Stand::start(edge(vec![bot.clone()]), quiet).await;
    let post = Post::to(bot.id.0, SECRET, "{\"update_id\":1}");

    // Both ends are in this process: when no client can be opened, no connection can be accepted either.
    let mut clients = Vec::new();
    while let Ok(client) = tokio::net::TcpStream::connect(stand.address).await {
        clients.push(client);
    }
    assert!(clients.len() > 10, "{} connections", clients.len());
    clients.truncate(clients.len() / 2);

    let opened =
        patience::until("a client can be opened", async || tokio::net::TcpStream::connect(stand.address).await.ok())
            .await;
    assert_eq!(Connection::over(opened).post(&post).await.status, 200);
}

#[tokio::test]
async fn an_inherited_socket_is_served() {
    let bot = Bot { id: BotId(77), ..bot() };
    if is_child() {
        let listener = Listener::inherited(&mut ListenFd::from_env()).unwrap().expect("a socket was inherited");
        let tasks = Tasks::new("requests");
        serve(listener, service(edge(vec![bot]), Arc::default(), quiet), Keeping::default(), &tasks);
        return std::future::pending().await;
    }
    let socket = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let address = socket.local_addr().unwrap();
    // The shell hands its standard input on as descriptor 3, where systemd puts the first socket.
    let mut command = again("exec 3<&0 </dev/null; LISTEN_FDS=1 LISTEN_PID=$$");
    command.stdin(Stdio::from(OwnedFd::from(socket)));
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();

    // The socket listens already, so this waits until the child accepts.
    let post = Post::to(77, SECRET, "{\"update_id\":1}");
    let mut connection = Connection::open(address).await;
    let answer = tokio::time::timeout(patience::LIMIT, connection.post(&post)).await;

    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(answer.expect("the child serves").status, 200);
}
