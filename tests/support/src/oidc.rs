//! A real OpenID provider: the npm package `oidc-provider`, run as a process on loopback by
//! `tests/oidc/provider.mjs`. And what else runs a package of npm or pip.
//!
//! Where Node.js or the package is missing, the tests say so and pass, unless
//! `PORTREEVE_OIDC_TESTS=1` makes them mandatory. To install the packages:
//! `npm ci --prefix tests/oidc`.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use http::Request;
use http_body_util::{BodyExt as _, Full};
use hyper_util::client::legacy::Client;
use hyper_util::rt::TokioExecutor;
use portreeve::identity::{
    ClientCredentials, IntrospectionEndpoint, IntrospectionVerifier, OpenIdProvider, Schedule,
};
use portreeve::outbound::PlainHttp;
use serde_json::Value;

use super::changed;
use super::issuer::{client, requirements};

/// The secret of the client `gateway`, which calls introspection.
pub const SECRET: &str = "gateway secret: +/%&";

/// A running provider.
pub struct Provider {
    pub issuer: String,
    process: Child,
    commands: ChildStdin,
    answers: BufReader<ChildStdout>,
}

/// The tokens that it issues.
pub struct Token {
    pub access: String,
    pub id: String,
}

/// A program of `tests/oidc`, which uses this npm package. Returns `None` and prints a line that says so if it cannot
/// be run and need not.
pub fn node(program: &str, package: &str) -> Option<Command> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../oidc");
    let has_node = Command::new("node").arg("--version").output().is_ok();
    let has_package = directory.join("node_modules").join(package).is_dir();
    if !has_node || !has_package {
        leave_out(if has_node { "npm ci --prefix tests/oidc" } else { "Node.js" });
        return None;
    }
    let mut command = Command::new("node");
    command.arg(program).current_dir(directory);
    Some(command)
}

/// The same for Python, with the packages that `.ci/run` installs.
pub fn python(program: &str, module: &str) -> Option<Command> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../oidc");
    let python = directory.join("../../target/venv/bin/python");
    let imported = Command::new(&python).args(["-c", &format!("import {module}")]).output();
    if !imported.is_ok_and(|imported| imported.status.success()) {
        leave_out(
            "python3 -m venv target/venv && target/venv/bin/pip install -r tests/oidc/requirements.txt",
        );
        return None;
    }
    let mut command = Command::new(python);
    command.arg(program).current_dir(directory);
    Some(command)
}

/// Says that this test needs what is missing.
fn leave_out(missing: &str) {
    let mandatory = std::env::var_os("PORTREEVE_OIDC_TESTS").is_some_and(|on| on == "1");
    assert!(!mandatory, "PORTREEVE_OIDC_TESTS=1 needs `{missing}`");
    // Bypasses the capture of the test harness, so that it is seen.
    let test = std::thread::current().name().unwrap_or("a test").to_owned();
    let line = format!("\nleft out: {test}: it needs `{missing}`\n");
    std::io::stderr().write_all(line.as_bytes()).unwrap();
}

impl Provider {
    /// `None` if it cannot be run and need not.
    pub fn start() -> Option<Self> {
        let mut process = node("provider.mjs", "oidc-provider")?
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let commands = process.stdin.take().unwrap();
        let mut answers = BufReader::new(process.stdout.take().unwrap());
        let mut issuer = String::new();
        answers.read_line(&mut issuer).unwrap();
        let issuer = issuer.trim().to_owned();
        assert!(issuer.starts_with("http://127.0.0.1:"), "the provider did not start");
        Some(Self { issuer, process, commands, answers })
    }

    pub fn command(&mut self, command: &str) {
        writeln!(self.commands, "{command}").unwrap();
        let mut answer = String::new();
        self.answers.read_line(&mut answer).unwrap();
        assert_eq!(answer, "done\n");
    }

    pub fn stop(&mut self) {
        _ = self.process.kill();
        _ = self.process.wait();
    }

    pub fn openid(&self) -> OpenIdProvider {
        self.openid_with(|_| {})
    }

    pub fn openid_with(&self, change: impl FnOnce(&mut Schedule)) -> OpenIdProvider {
        let schedule = changed(Schedule::default(), change);
        OpenIdProvider::with_schedule(&self.issuer, PlainHttp::Loopback, client(), schedule)
            .unwrap()
    }

    pub fn introspection(&self, secret: &str) -> IntrospectionVerifier {
        let credentials = ClientCredentials { id: "gateway".into(), secret: secret.into() };
        let endpoint = IntrospectionEndpoint::Discovered(self.openid());
        IntrospectionVerifier::new(client(), endpoint, &credentials, [], requirements()).unwrap()
    }

    pub async fn token(&self, user: &str, format: &str) -> Token {
        let form = format!(
            "grant_type=urn:portreeve:user&user={user}&scope=webhooks%20apps&resource=urn:portreeve:{format}"
        );
        let answer: Value = serde_json::from_slice(&self.post("/token", &form).await).unwrap();
        let member =
            |name: &str| answer[name].as_str().unwrap_or_else(|| panic!("{answer}")).to_owned();
        Token { access: member("access_token"), id: member("id_token") }
    }

    pub async fn post(&self, path: &str, form: &str) -> Bytes {
        let basic = STANDARD.encode("front-end:front-end-secret");
        let request = Request::post(format!("{}{path}", self.issuer))
            .header("content-type", "application/x-www-form-urlencoded")
            .header("authorization", format!("Basic {basic}"))
            .body(Full::from(form.to_owned()))
            .unwrap();
        let http: Client<_, Full<Bytes>> = Client::builder(TokioExecutor::new()).build_http();
        let response = http.request(request).await.unwrap();
        response.into_body().collect().await.unwrap().to_bytes()
    }
}

impl Drop for Provider {
    fn drop(&mut self) {
        self.stop();
    }
}
