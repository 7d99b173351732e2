//! Real proxies in front of `serve`, nginx and Caddy configured by the files in `packaging/examples`.
//!
//! If one is missing, its test says so and passes, unless `PORTREEVE_PROXY_TESTS=1` makes it mandatory (Debian's packages
//! `nginx-light`, `caddy` and `haproxy`).

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::sockets::Running;
use crate::support::binary::{Served, credentials, portreeve, text, token, wait};
use crate::support::certificates::Authority;
use crate::support::gateway::PASSWORD;
use crate::support::nextcloud::Nextcloud;
use crate::support::postgres::free_port;

/// The host name in the example files.
const HOST: &str = "hooks.example.org";
const SOCKET: &str = "/run/portreeve/portreeve.sock";

/// The directory and the port of a proxy and the gateway behind it.
struct Place {
    dir: tempfile::TempDir,
    port: u16,
}

impl Place {
    /// `None` if the program is missing and not mandatory.
    fn with(program: &str) -> Option<Self> {
        if Command::new(program).arg("-h").output().is_err() {
            let mandatory = std::env::var_os("PORTREEVE_PROXY_TESTS").is_some_and(|on| on == "1");
            assert!(!mandatory, "PORTREEVE_PROXY_TESTS=1 needs {program}");
            println!("left out: {program} is not installed");
            return None;
        }
        let dir = tempfile::tempdir().unwrap();
        let authority = Authority::new("proxies");
        authority.naming(&[HOST], 90).write(dir.path());
        fs::write(dir.path().join("ca.pem"), authority.pem()).unwrap();
        let port = free_port();
        Some(Self { dir, port })
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    /// A file of `packaging/examples`, changed to the paths and ports of this test.
    fn packaged(&self, name: &str, changes: &[(&str, String)]) -> String {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("packaging/examples").join(name);
        let mut file = fs::read_to_string(path).unwrap();
        let socket = (SOCKET, self.path("portreeve.sock").display().to_string());
        for (from, to) in [&[socket], changes].concat() {
            assert!(file.contains(from), "{name} has no {from}");
            file = file.replace(from, &to);
        }
        file
    }

    fn run(&self, command: &mut Command) -> Running {
        let log = fs::File::create(self.path("proxy.log")).unwrap();
        let command = command.env("HOME", self.dir.path()).stdout(Stdio::null());
        Running(command.stderr(log).spawn().unwrap())
    }

    /// The output of curl: the body, then the HTTP status and version.
    fn call(&self, path: &str, more: &[&str]) -> String {
        let port = self.port;
        let output = Command::new("curl")
            .args(["--silent", "--max-time", "20", "--cacert"])
            .arg(self.path("ca.pem"))
            .args(["--resolve", &format!("{HOST}:{port}:127.0.0.1")])
            .args(["--write-out", " %{http_code} %{http_version}"])
            .args(more)
            .arg(format!("https://{HOST}:{port}{path}"))
            .output();
        text(&output.expect("curl is installed").stdout).to_owned()
    }

    /// Asserts what must hold behind any proxy.
    fn assert_works(&self, nextcloud: &Nextcloud) {
        let token = token(self.dir.path(), "admin");
        credentials(self.dir.path(), &["put", "--user", "admin"], PASSWORD);
        let mut serve = portreeve();
        let port_too = format!("127.0.0.1:0,unix:{}", self.path("portreeve.sock").display());
        serve.args(["serve", "--listen", &port_too, "--groupware-url", nextcloud.url()]);
        // The files say that these settings go with them.
        serve.args(["--trusted-proxies", "unix:", "--forward-client-address"]);
        serve.arg("--data-dir").arg(self.dir.path());
        serve.arg("--tokens-file").arg(self.path("tokens"));
        serve.arg("--deliveries").env("WEBHOOK_SECRET", "a secret");
        let _served = Served::start(&mut serve);
        wait("the proxy passes requests on", || self.call("/healthz", &[]) == "ok\n 200 2");

        let bearer = format!("Authorization: Bearer {token}");
        let forged = "X-Forwarded-For: 198.51.100.7";
        let answer = self.call("/api/v1/webhooks", &["-H", &bearer, "-H", forged]);
        assert!(answer.ends_with(" 200 2"), "{answer}");
        let seen = nextcloud.seen();
        assert_eq!(seen.last().unwrap().headers["x-forwarded-for"], "127.0.0.1");

        let answer = self.call("/api/v1/webhooks", &[]);
        assert!(answer.contains("Missing bearer token") && answer.ends_with(" 401 2"), "{answer}");
        // The error about a body that is too large is the gateway's, not the proxy's.
        let body = "x".repeat(100 * 1024);
        let answer = self.call("/api/v1/webhooks", &["-H", &bearer, "-d", &body]);
        assert!(answer.contains("at most 65536 bytes") && answer.ends_with(" 413 2"), "{answer}");
        // Longer than each of them waits for anything here.
        let events = "/api/v1/deliveries/events?cursor=now&timeout=30";
        let answer = self.call(events, &["-H", &bearer, "--max-time", "90"]);
        assert!(answer.starts_with(" {\"events\":[]") && answer.ends_with(" 200 2"), "{answer}");
    }
}

#[test]
fn the_packaged_files_name_one_socket() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("packaging");
    let setting = format!("#   listen = [\"unix:{SOCKET}\"]");
    for (name, line) in [
        ("examples/portreeve.socket", format!("ListenStream={SOCKET}")),
        ("examples/nginx.conf", format!("    server unix:{SOCKET};")),
        ("examples/nginx.conf", setting.clone()),
        ("examples/Caddyfile", format!("\treverse_proxy unix/{SOCKET} {{")),
        ("examples/Caddyfile", setting),
        ("portreeve.service", "RuntimeDirectoryPreserve=yes".to_owned()),
        // What `listen` is by default.
        ("portreeve.socket", "ListenStream=127.0.0.1:8000".to_owned()),
        ("portreeve.service", "Also=portreeve.socket".to_owned()),
        ("portreeve.service", "After=network-online.target portreeve.socket".to_owned()),
    ] {
        let file = fs::read_to_string(folder.join(name)).unwrap();
        assert!(file.lines().any(|it| it == line), "{name} has no line {line:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn requests_work_behind_nginx() {
    let Some(place) = Place::with("nginx") else {
        return;
    };
    let nextcloud = Nextcloud::start().await;
    nextcloud.answer("webhooks-list-admin");
    let pem = |name: &str| place.path(name).display().to_string();
    let site = place.packaged(
        "nginx.conf",
        &[
            ("listen 443", format!("listen 127.0.0.1:{}", place.port)),
            ("/etc/ssl/hooks.example.org.pem", pem("tls.pem")),
            ("/etc/ssl/hooks.example.org.key", pem("tls.key")),
            ("read_timeout 90s", "read_timeout 20s".to_owned()),
        ],
    );
    let temporary: Vec<_> = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
        .iter()
        .map(|it| format!("{it}_temp_path {};\n", place.path(it).display()))
        .collect();
    // A single process, so that killing it ends nginx, and as the user of this test.
    let config = format!(
        "daemon off;\nmaster_process off;\npid {};\nevents {{}}\nhttp {{\naccess_log off;\n{}{site}}}\n",
        place.path("pid").display(),
        temporary.concat(),
    );
    let path = place.path("proxy.conf");
    fs::write(&path, config).unwrap();
    let mut nginx = Command::new("nginx");
    let _nginx = place.run(nginx.args(["-e", "stderr", "-c"]).arg(&path));
    place.assert_works(&nextcloud);
}

#[tokio::test(flavor = "multi_thread")]
async fn requests_work_behind_caddy() {
    let Some(place) = Place::with("caddy") else {
        return;
    };
    let nextcloud = Nextcloud::start().await;
    nextcloud.answer("webhooks-list-admin");
    let (cert, key) = (place.path("tls.pem"), place.path("tls.key"));
    let site = format!(
        "https://{HOST}:{} {{\n\tbind 127.0.0.1\n\ttls {} {}\n",
        place.port,
        cert.display(),
        key.display()
    );
    // Caddy would get certificates of its own from the internet.
    let waits = "header_timeout 90s\n\t\t\tread_timeout 20s".to_owned();
    let changes = [("hooks.example.org {\n", site), ("header_timeout 90s", waits)];
    let site = place.packaged("Caddyfile", &changes);
    let path = place.path("Caddyfile");
    let global = "{\n\tadmin off\n\tauto_https disable_redirects\n}\n";
    fs::write(&path, format!("{global}{site}")).unwrap();
    let mut caddy = Command::new("caddy");
    let arguments = ["run", "--adapter", "caddyfile", "--config"];
    let _caddy = place.run(caddy.args(arguments).arg(&path));
    place.assert_works(&nextcloud);
}

#[tokio::test(flavor = "multi_thread")]
async fn requests_work_behind_haproxy() {
    let Some(place) = Place::with("haproxy") else {
        return;
    };
    let nextcloud = Nextcloud::start().await;
    nextcloud.answer("webhooks-list-admin");
    let read = |name| fs::read_to_string(place.path(name)).unwrap();
    let both = read("tls.pem") + &read("tls.key");
    fs::write(place.path("both.pem"), both).unwrap();
    let config = format!(
        "defaults\n mode http\n timeout connect 5s\n timeout client 20s\n timeout server 20s\n\
         frontend callers\n bind 127.0.0.1:{} ssl crt {} alpn h2,http/1.1\n \
         http-request set-header X-Forwarded-For %[src]\n default_backend portreeve\n\
         backend portreeve\n server one unix@{}\n",
        place.port,
        place.path("both.pem").display(),
        place.path("portreeve.sock").display(),
    );
    let path = place.path("haproxy.cfg");
    fs::write(&path, config).unwrap();
    let mut haproxy = Command::new("haproxy");
    let _haproxy = place.run(haproxy.args(["-db", "-f"]).arg(&path));
    place.assert_works(&nextcloud);
}
