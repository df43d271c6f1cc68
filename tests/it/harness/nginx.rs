//! Real nginx with the shipped configuration, unchanged; only the two files of its `site` folder are the test's own.

use super::process::Process;
use super::telegram::{Bot, Destination, Telegram};
use super::{ports, services};
use std::fmt::Write as _;
use std::fs;
use std::net::{IpAddr, SocketAddr};
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::process::{Command, Output};
use tempfile::TempDir;

const SHIPPED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/config/nginx");

/// A running nginx with one worker. Ended with this value.
#[derive(Debug)]
pub struct Nginx {
    process: Process,
    folder: TempDir,
    plain: SocketAddr,
    tls: SocketAddr,
}

impl Nginx {
    /// Starts one in front of these servers; none (and a recorded skip) without the programs.
    pub async fn before(servers: &[SocketAddr]) -> Option<Self> {
        let program = services::nginx()?;
        let openssl = services::openssl()?;
        let folder = tempfile::tempdir().unwrap();
        let (plain, tls) = (ports::free(), ports::free());
        make_certificate(&openssl, folder.path());
        write_configuration(folder.path(), servers, plain, tls);
        let mut process = Process::start("nginx", command(&program, folder.path()));
        process.wait_until_listening(plain).await;
        Some(Self { process, folder, plain, tls })
    }

    /// What `nginx -t` says of the shipped files.
    pub fn checks_configuration() -> Option<Output> {
        let program = services::nginx()?;
        let openssl = services::openssl()?;
        let folder = tempfile::tempdir().unwrap();
        make_certificate(&openssl, folder.path());
        write_configuration(folder.path(), &[ports::free(), ports::free()], ports::free(), ports::free());
        Some(command(&program, folder.path()).arg("-t").output().expect("nginx starts"))
    }

    /// How many idle connections the shipped configuration keeps to the servers.
    pub fn kept_connections() -> usize {
        let shipped = fs::read_to_string(format!("{SHIPPED}/tapgate.conf")).unwrap();
        let kept =
            shipped.lines().find_map(|line| line.trim().strip_prefix("keepalive ")?.strip_suffix(';')?.parse().ok());
        kept.expect("the shipped configuration keeps connections")
    }

    /// Telegram, posting through this nginx without TLS, so that the bytes are a test's own.
    pub fn telegram(&self, bot: &Bot) -> Telegram {
        Telegram::of(bot, Destination::Tcp(self.plain))
    }

    /// The same from another address of this machine, such as 127.0.0.2, and without a word of it in the headers: that
    /// is for nginx to write.
    pub fn telegram_at(&self, address: IpAddr, bot: &Bot) -> Telegram {
        Telegram::of(bot, Destination::TcpFrom(address, self.plain)).forwarded_for(None)
    }

    /// Its listener with TLS, for the name `bot.example.org`.
    pub fn tls(&self) -> SocketAddr {
        self.tls
    }

    /// The certificate that its TLS listener shows, PEM.
    pub fn certificate(&self) -> Vec<u8> {
        fs::read(self.folder.path().join("tapgate-site/fullchain.pem")).unwrap()
    }

    /// What it wrote to its error log.
    pub fn log(&self) -> String {
        self.process.said()
    }
}

impl Drop for Nginx {
    fn drop(&mut self) {
        // Its worker would outlive a killed master.
        self.process.terminate();
        self.process.join();
    }
}

fn command(program: &Path, folder: &Path) -> Command {
    let mut command = Command::new(program);
    command.arg("-p").arg(folder).args(["-c", "nginx.conf", "-e", "stderr"]);
    command
}

fn write_configuration(folder: &Path, servers: &[SocketAddr], plain: SocketAddr, tls: SocketAddr) {
    // A worker of root's nginx would be somebody else and could not write to the test's folder.
    let is_root = fs::metadata(folder).unwrap().uid() == 0;
    let user = if is_root { "user root;" } else { "" };
    let paths =
        ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(|name| format!("{name}_temp_path {name};\n")).concat();
    let main = format!(
        "{user}\ndaemon off;\nworker_processes 1;\npid nginx.pid;\nerror_log stderr warn;\n\
         events {{ worker_connections 2048; }}\nhttp {{\n{paths}include tapgate.conf;\n}}\n"
    );
    fs::write(folder.join("nginx.conf"), main).unwrap();
    fs::copy(format!("{SHIPPED}/tapgate.conf"), folder.join("tapgate.conf")).unwrap();

    let site = folder.join("tapgate-site");
    let mut listen = fs::read_to_string(format!("{SHIPPED}/site/listen.conf")).unwrap();
    listen = listen.replace("listen 443 ssl;", &format!("listen {tls} ssl;\nlisten {plain};"));
    listen = listen.replace("/etc/nginx/certificates", &site.display().to_string());
    fs::write(site.join("listen.conf"), listen).unwrap();

    let shipped = fs::read_to_string(format!("{SHIPPED}/site/servers.conf")).unwrap();
    let (_, options) = shipped.split_once("server 127.0.0.1:8080").expect("the shipped file names the default address");
    let options = options.lines().next().unwrap_or_default();
    let mut lines = String::new();
    for server in servers {
        writeln!(lines, "server {server}{options}").unwrap();
    }
    fs::write(site.join("servers.conf"), lines).unwrap();
}

fn make_certificate(openssl: &Path, folder: &Path) {
    let site = folder.join("tapgate-site");
    fs::create_dir_all(&site).unwrap();
    let request = folder.join("certificate.cnf");
    let text = "[req]\ndistinguished_name = name\nx509_extensions = extensions\nprompt = no\n\
                [name]\nCN = bot.example.org\n\
                [extensions]\nbasicConstraints = critical, CA:FALSE\nsubjectAltName = DNS:bot.example.org\n";
    fs::write(&request, text).unwrap();
    let output = Command::new(openssl)
        .args(["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"])
        .arg("-config")
        .arg(request)
        .arg("-keyout")
        .arg(site.join("privkey.pem"))
        .arg("-out")
        .arg(site.join("fullchain.pem"))
        .output()
        .expect("openssl starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}
