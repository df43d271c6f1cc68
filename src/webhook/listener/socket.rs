//! The socket that is listened on: TCP, a unix socket, or one inherited from systemd.
//! Never removes a socket file that somebody still listens on.

use crate::config::Address;
use crate::webhook::delivery::Peer;
use listenfd::ListenFd;
use std::fs::Permissions;
use std::io;
use std::net::SocketAddr;
use std::os::unix::fs::{FileTypeExt, PermissionsExt};
use std::path::Path;
use std::pin::Pin;
use std::task::{Context, Poll};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream, UnixListener, UnixStream};

/// Who may open the unix socket: its owner and its group, in which the proxy has to be.
const SOCKET_MODE: u32 = 0o660;

/// An open socket.
#[derive(Debug)]
pub enum Listener {
    /// TCP.
    Tcp(TcpListener),
    /// A unix socket.
    Unix(UnixListener),
}

impl Listener {
    /// Listens at `address`. A unix socket that a dead process left is replaced.
    ///
    /// # Errors
    /// If it cannot: the address is taken, the port is privileged, the folder is missing.
    pub async fn bind(address: &Address) -> io::Result<Self> {
        match address {
            Address::Tcp(address) => Ok(Self::Tcp(TcpListener::bind(address).await?)),
            Address::Unix(path) => {
                remove_stale(path).await?;
                let listener = UnixListener::bind(path)?;
                tokio::fs::set_permissions(path, Permissions::from_mode(SOCKET_MODE)).await?;
                Ok(Self::Unix(listener))
            }
        }
    }

    /// The first of the sockets that the process inherited, if it did (`LISTEN_FDS` of systemd).
    ///
    /// # Errors
    /// If it is neither a TCP nor a unix socket that listens.
    pub fn inherited(sockets: &mut ListenFd) -> io::Result<Option<Self>> {
        if let Ok(inherited) = sockets.take_unix_listener(0) {
            return inherited
                .map(|socket| {
                    socket.set_nonblocking(true)?;
                    UnixListener::from_std(socket).map(Self::Unix)
                })
                .transpose();
        }
        let inherited = sockets.take_tcp_listener(0)?;
        inherited
            .map(|socket| {
                socket.set_nonblocking(true)?;
                TcpListener::from_std(socket).map(Self::Tcp)
            })
            .transpose()
    }

    /// Where it listens; none on a unix socket.
    pub fn local_address(&self) -> Option<SocketAddr> {
        match self {
            Self::Tcp(listener) => listener.local_addr().ok(),
            Self::Unix(_) => None,
        }
    }

    pub(super) async fn accept(&self) -> io::Result<(Stream, Peer)> {
        match self {
            Self::Tcp(listener) => {
                let (stream, address) = listener.accept().await?;
                // An answer is one small write: it must not wait for the acknowledgement of the one before.
                let _ = stream.set_nodelay(true);
                Ok((Stream::Tcp(stream), Peer::Tcp(address)))
            }
            Self::Unix(listener) => {
                let (stream, _) = listener.accept().await?;
                Ok((Stream::Unix(stream), Peer::Unix))
            }
        }
    }
}

async fn remove_stale(path: &Path) -> io::Result<()> {
    match tokio::fs::symlink_metadata(path).await {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error),
        Ok(found) if !found.file_type().is_socket() => {
            return Err(io::Error::new(io::ErrorKind::AlreadyExists, "there is a file that is no socket"));
        }
        Ok(_) => {}
    }
    match UnixStream::connect(path).await {
        Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => tokio::fs::remove_file(path).await,
        Err(error) => Err(error),
        Ok(_) => Err(io::ErrorKind::AddrInUse.into()),
    }
}

/// An accepted connection.
#[derive(Debug)]
pub(super) enum Stream {
    Tcp(TcpStream),
    Unix(UnixStream),
}

/// Runs `$call` on whichever stream it is.
macro_rules! on_stream {
    ($self:ident, $stream:ident => $call:expr) => {
        match $self.get_mut() {
            Self::Tcp(stream) => {
                let $stream = Pin::new(stream);
                $call
            }
            Self::Unix(stream) => {
                let $stream = Pin::new(stream);
                $call
            }
        }
    };
}

impl AsyncRead for Stream {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        on_stream!(self, stream => stream.poll_read(cx, buf))
    }
}

impl AsyncWrite for Stream {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        on_stream!(self, stream => stream.poll_write(cx, buf))
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        on_stream!(self, stream => stream.poll_flush(cx))
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        on_stream!(self, stream => stream.poll_shutdown(cx))
    }

    fn is_write_vectored(&self) -> bool {
        true
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        on_stream!(self, stream => stream.poll_write_vectored(cx, bufs))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_socket_file_that_nobody_listens_on_is_replaced_and_a_living_one_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tapgate.sock");
        let address = Address::Unix(path.clone());

        let first = Listener::bind(&address).await.unwrap();
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, SOCKET_MODE);
        assert_eq!(Listener::bind(&address).await.unwrap_err().kind(), io::ErrorKind::AddrInUse);

        drop(first);
        assert!(path.exists());
        Listener::bind(&address).await.unwrap();
    }

    #[tokio::test]
    async fn a_file_that_is_no_socket_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("precious");
        std::fs::write(&path, "data").unwrap();

        let error = Listener::bind(&Address::Unix(path.clone())).await.unwrap_err();

        assert_eq!(error.kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(std::fs::read_to_string(path).unwrap(), "data");
    }

    #[tokio::test]
    async fn nothing_inherited_is_no_error() {
        assert!(Listener::inherited(&mut ListenFd::empty()).unwrap().is_none());
    }
}
