//! The game server of a command, and the login.

use std::fs::File;
use std::io::{self, IsTerminal};
use std::path::PathBuf;

use clap::Args;
use portreeve::game::client::{Credentials, StartError};
use portreeve::game::connection::{Address, ConnectError, Connector};
use rustls::CertificateError;
use zeroize::Zeroizing;

use crate::cli::{Failure, password};
use crate::files;

// A comment for rustdoc would replace what `--help` says.
#[derive(Args)]
pub(super) struct ServerArguments {
    #[arg(help = "tcp://HOST[:4747], ws://HOST[:80] or wss://HOST[:443]")]
    pub(super) url: Address,
    /// Logs in with this name before the first command; without a password, as a guest
    #[arg(long)]
    user: Option<String>,
    /// Reads the password from this file
    #[arg(long, value_name = "FILE", requires = "user")]
    password_file: Option<PathBuf>,
    /// Asks for the password on the terminal
    #[arg(long, requires = "user", conflicts_with = "password_file")]
    ask_password: bool,
    /// PEM file of certificates to trust for wss, in addition to the system's
    #[arg(long, value_name = "FILE")]
    ca: Option<PathBuf>,
}

impl ServerArguments {
    pub(super) fn connector(&self, message_limit: u32) -> Result<Connector, Failure> {
        let mut connector = Connector::default();
        connector.message_limit = message_limit as usize;
        let Some(path) = &self.ca else {
            return Ok(connector);
        };
        let wrong = |problem: &dyn std::fmt::Display| {
            let path = path.display();
            Failure::new(format_args!("cannot use the certificates in {path}: {problem}"))
        };
        let pem = std::fs::read(path).map_err(|error| wrong(&error))?;
        connector.extra_ca(&pem).map_err(|error| wrong(&error))
    }

    pub(super) async fn credentials(&self) -> Result<Option<Credentials>, Failure> {
        let Some(user) = &self.user else {
            return Ok(None);
        };
        let password = if let Some(path) = &self.password_file {
            let read = File::open(path);
            let read = read.and_then(|file| files::read_text_from(file, password::LIMIT));
            read.map_err(Failure::cannot("read the password in", path))?
        } else if self.ask_password {
            if !io::stdin().is_terminal() {
                return Err(Failure::usage(
                    "--ask-password needs a terminal; use --password-file instead",
                ));
            }
            password::ask("password", user, "not connected").await?
        } else {
            return Ok(Some(Credentials::guest(user)));
        };
        let password = password.trim_end_matches(['\r', '\n']);
        if password.is_empty() {
            return Err(Failure::new("the password is empty"));
        }
        let password = Zeroizing::new(password.to_owned());
        Ok(Some(Credentials::account(user, password)))
    }
}

pub(super) fn not_connected(error: StartError) -> Failure {
    let untrusted = match &error {
        StartError::Connect(ConnectError::Tls { error, .. }) => {
            error.get_ref().and_then(|error| error.downcast_ref::<rustls::Error>())
        }
        _ => None,
    };
    match untrusted {
        Some(rustls::Error::InvalidCertificate(
            CertificateError::UnknownIssuer | CertificateError::BadSignature,
        )) => Failure::new(format_args!(
            "{error}; use --ca FILE to trust a private certificate authority"
        )),
        _ => Failure::new(error),
    }
}
