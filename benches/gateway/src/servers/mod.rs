//! The measured servers, each as a process.
mod forwarder;
mod nginx;
mod process;

use std::process::Command;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

pub(crate) use nginx::start as start_nginx;
pub(crate) use process::{Process, Wrapped};

use crate::programs;
use crate::site::Site;
use crate::stand_in::PASSWORD;

/// A server that can be started.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Server {
    /// Forwards each request with a fixed password, and the answer back.
    Forwarder,
    /// The same calls with axum and reqwest.
    Axum,
    /// The binary.
    Portreeve,
    /// The same with metrics.
    Counting,
    /// The same with an identity provider.
    WithIssuer,
    /// The same with deliveries, which are sent to [`ADDRESS`].
    Receiving,
    /// The same with forwarding.
    Forwarding,
}

/// The public address of [`Server::Receiving`], and the secret of whoever sends deliveries to it.
pub(crate) const ADDRESS: &str = "https://gate.example.org";
pub(crate) const SECRET: &str = "a secret of the benchmark";

/// The first word of the command line that makes this program the forwarder.
const FORWARD: &str = "--forward";

/// Serves until the process is ended, if this program was started as a server.
pub(crate) fn serve_if_started_as_one() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    if let [FORWARD, groupware, login] = words.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        forwarder::serve(groupware, login);
    }
}

// === impl Server ===

impl Server {
    /// The servers that implement the API.
    pub(crate) const ALL: [Self; 3] = [Self::Forwarder, Self::Axum, Self::Portreeve];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Forwarder => "bare forwarder",
            Self::Axum => "axum + reqwest",
            Self::Portreeve => "portreeve",
            Self::Counting => "portreeve, counting",
            Self::WithIssuer => "portreeve, issuer",
            Self::Receiving => "portreeve, receiving",
            Self::Forwarding => "portreeve, forwarding",
        }
    }

    /// Starts it with the groupware server of `site`.
    pub(crate) fn start(self, site: &Site) -> Process {
        Process::start(self.command(site), Wrapped::Not)
    }

    /// Starts it under one of valgrind's tools.
    pub(crate) fn start_within(self, site: &Site, wrapped: Wrapped) -> Process {
        Process::start(self.command(site), wrapped)
    }

    /// Starts it with capacity for this many connections.
    pub(crate) fn start_with_connections(self, site: &Site, most: usize) -> Process {
        let mut command = self.command(site);
        command.args(["--max-connections", &most.to_string()]);
        Process::start(command, Wrapped::Not)
    }

    /// The command that starts it; it serves on a free port, which it reports.
    fn command(self, site: &Site) -> Command {
        let groupware = site.stand_in.url();
        let mut command = match self {
            Self::Forwarder => Command::new(std::env::current_exe().unwrap()),
            Self::Axum => Command::new(programs::axum()),
            _ => Command::new(programs::portreeve()),
        };
        match self {
            Self::Forwarder => {
                command.args([FORWARD, &groupware, &login(site)]);
            }
            Self::Axum => {
                command.args([&groupware, PASSWORD]);
                for user in &site.users {
                    command.args([&user.name, &user.token]);
                }
                command.env("RUST_LOG", "warn");
            }
            _ => {
                let data = site.data.path();
                command
                    .args(["serve", "--listen", "127.0.0.1:0"])
                    .args(["--groupware-url", &groupware, "--idle-timeout", "1h"])
                    .arg("--data-dir")
                    .arg(data)
                    .arg("--tokens-file")
                    .arg(data.join("tokens"))
                    // Only the line that reports the port.
                    .env("RUST_LOG", "warn,portreeve::cli::serve=info");
                if self == Self::Counting {
                    command.args(["--metrics-listen", "127.0.0.1:0"]);
                }
                if self == Self::Forwarding {
                    command.args(["--forward", "files,notes"]);
                }
                if self == Self::Receiving {
                    command.env("WEBHOOK_SECRET", SECRET);
                    command.args(["--deliveries", "--delivery-networks", "127.0.0.0/8"]);
                    command.args(["--public-url", ADDRESS]);
                }
                if self == Self::WithIssuer {
                    command.args(["--issuer", &groupware, "--audience", "portreeve"]);
                }
            }
        }
        command
    }
}

/// A login for servers that have one for all: of any user, since the stand-in treats all the same.
fn login(site: &Site) -> String {
    let login = format!("{}:{PASSWORD}", site.users[0].name);
    format!("Basic {}", STANDARD.encode(login))
}
