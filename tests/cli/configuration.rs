//! Configuration files that the binary writes itself, and settings that would be silently ignored
//! (docs/CONFIGURATION.md).

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Command;

use crate::support::binary::{Served, assert_contains, failure, in_dir, portreeve, success, token};
use crate::support::nextcloud::Nextcloud;

/// `check-config` with the files of `dir`.
fn check_config(dir: &Path) -> Command {
    in_dir(dir, &["check-config"])
}

/// The settings in a printed file, without its comments.
fn parsed(printed: &str) -> toml::Table {
    printed.parse().unwrap()
}

#[test]
fn the_example_is_valid_as_printed_and_with_every_setting_uncommented() {
    let dir = tempfile::tempdir().unwrap();
    token(dir.path(), "alice");
    let example = success(portreeve().args(["config", "example"]), "");
    let file = dir.path().join("portreeve.toml");
    fs::write(&file, &example).unwrap();
    let defaults = success(&mut check_config(dir.path()), "");
    let printed = success(check_config(dir.path()).arg("--config").arg(&file), "");
    assert_eq!(printed, defaults, "it changes nothing");

    // Every setting uncommented, with the files that it names in a directory of the test.
    let pem = rcgen::generate_simple_self_signed(["localhost".into()]).unwrap();
    for name in ["ca.pem", "tls.pem", "clients.pem"] {
        fs::write(dir.path().join(name), pem.cert.pem()).unwrap();
    }
    let key = dir.path().join("tls.key");
    fs::write(&key, pem.signing_key.serialize_pem()).unwrap();
    fs::set_permissions(&key, fs::Permissions::from_mode(0o600)).unwrap();
    let mut settings = 0;
    let in_force: Vec<String> = example
        .lines()
        .map(|line| match line.strip_prefix('#') {
            Some(setting) if !setting.starts_with(' ') => {
                settings += 1;
                setting.to_owned()
            }
            _ => line.to_owned(),
        })
        .collect();
    let here = dir.path().to_str().unwrap();
    let in_force = in_force
        .join("\n")
        .replace("/var/lib/portreeve", here)
        .replace("/var/log/portreeve", here)
        .replace("/etc/portreeve", here)
        // Ports that no other process uses.
        .replace("\"127.0.0.1:8000\"", "\"127.0.0.1:0\"")
        .replace("\"127.0.0.1:9090\"", "\"127.0.0.1:0\"");
    fs::write(&file, &in_force).unwrap();
    let mut command = portreeve();
    command
        .args(["check-config", "--config"])
        .arg(&file)
        .env("WEBHOOK_SECRET", "a secret of the environment")
        .env("PORTREEVE_INTROSPECTION_CLIENT_SECRET", "another secret of it");
    let printed = success(&mut command, "");
    assert_eq!(parsed(&printed).len(), settings);
    // The example has no line for a secret.
    for secret in ["secret =", "api_key =", "keys =", "…", "***"] {
        assert!(!example.contains(secret), "{secret}");
    }
    for secret in ["WEBHOOK_SECRET", "MCP_SERVER_API_KEY", "introspection_client_secret"] {
        assert!(example.contains(secret), "{secret} is explained");
    }
}

/// The examples of the page, each with its paths in a directory of its own.
#[test]
fn a_gateway_starts_with_each_example_of_the_page() {
    let page = include_str!("../../docs/CONFIGURATION.md");
    let mut started = 0;
    for example in page.split("<!-- example: ").skip(1) {
        let (name, rest) = example.split_once(" -->").unwrap();
        let (_, file) = rest.split_once("```toml\n").unwrap();
        let dir = tempfile::tempdir().unwrap();
        let here = dir.path().display().to_string();
        let mut file = file.split_once("```").unwrap().0.to_owned();
        for place in ["/var/lib/portreeve", "/run/portreeve", "/etc/portreeve"] {
            file = file.replace(place, &here);
        }
        if name == "postgres" {
            let Some(url) = database() else { continue };
            file = file.replace("postgres://portreeve@db.example.org/portreeve", &url);
        }
        for secret in ["webhook_secret", "database_password"] {
            fs::write(dir.path().join(secret), "0123456789abcdef0123\n").unwrap();
            let private = fs::Permissions::from_mode(0o600);
            fs::set_permissions(dir.path().join(secret), private).unwrap();
        }
        let mut keys = in_dir(dir.path(), &["keys", "new"]);
        success(&mut keys, "");
        if !file.contains("listen") {
            file += "listen = \"127.0.0.1:0\"\n";
        }
        // The address by which its start is noticed.
        file = file.replace(".sock\"", ".sock,127.0.0.1:0\"");
        fs::write(dir.path().join("portreeve.toml"), &file).unwrap();
        let mut serve = portreeve();
        let served = Served::start(serve.arg("serve").current_dir(dir.path()));
        let lines = served.before_listening.join("\n");
        assert!(!lines.contains("webhook_secret"), "{name}: {lines}");
        started += 1;
    }
    assert!(started >= 3, "{started}");
}

/// A PostgreSQL database, if its programs are installed.
fn database() -> Option<String> {
    #[cfg(feature = "postgres")]
    return crate::support::postgres::shared().map(|server| server.database());
    #[cfg(not(feature = "postgres"))]
    None
}

#[test]
fn help_names_every_command_and_setting() {
    let help = success(portreeve().arg("--help"), "");
    let commands = ["serve", "demo", "credentials", "token", "check-config", "config"];
    assert_contains(&help, &commands);
    let help = success(portreeve().args(["serve", "--help"]), "");
    assert_contains(&help, &["--config", "WEBHOOK_SECRET", "MCP_SERVER_API_KEY", "_FILE"]);
    // The example is made from the same table, which the page is checked against.
    let example = success(portreeve().args(["config", "example"]), "");
    let flags = example.split(['[', ',']).filter(|word| word.starts_with("--"));
    let flags: Vec<_> = flags.collect();
    assert!(flags.len() > 50, "{flags:?}");
    assert_contains(&help, &flags);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_certificate_authority_of_the_groupware_server_is_a_setting() {
    let nextcloud = Nextcloud::start_tls(true).await;
    nextcloud.answer("capabilities-anonymous");
    nextcloud.answer("webhooks-list-anonymous");
    let dir = tempfile::tempdir().unwrap();
    let ca = dir.path().join("ca.pem");
    fs::write(&ca, nextcloud.ca_pem()).unwrap();
    token(dir.path(), "alice");
    let check = ["check-config", "--online", "--groupware-url", nextcloud.url()];
    let mut check = in_dir(dir.path(), &check);
    let line = failure(&mut check, 1);
    assert_contains(&line, &["--groupware-url", "could not be reached"]);
    assert_contains(&success(check.arg("--groupware-ca").arg(&ca), ""), &["32.0.1"]);
}
