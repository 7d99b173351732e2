//! Configuration files that the binary writes itself, and settings that would be silently ignored
//! (docs/CONFIGURATION.md).

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Command;

use crate::support::binary::{
    Served, assert_contains, get, http, in_dir, portreeve, run, success, text, token,
};

/// `check-config` with the files of `dir`.
fn check_config(dir: &Path) -> Command {
    in_dir(dir, &["check-config"])
}

/// The settings in a printed file, without its comments.
fn parsed(printed: &str) -> toml::Table {
    printed.parse().unwrap()
}

#[test]
fn the_output_of_check_config_is_an_equivalent_configuration_file() {
    let dir = tempfile::tempdir().unwrap();
    let token = token(dir.path(), "alice");
    // Values come from several sources, and the name of one has a newline that would end a comment.
    let odd = dir.path().join("a\nb = \"c\".toml");
    fs::write(
        &odd,
        "user_claim = \"uid\"\nmcp_server_api_key = \"the shared key\"\n",
    )
    .unwrap();
    let issuer = [
        "--issuer",
        "https://id.example.org",
        "--audience",
        "one, two",
    ];
    let printed = success(
        check_config(dir.path())
            .arg("--config")
            .arg(&odd)
            .args(issuer)
            .args(["--trusted-proxies", "10.0.0.0/8", "--max-body", "1 KiB"])
            .args(["--admin-reveal", "--listen", "127.0.0.1:0"])
            .env("WEBHOOK_SECRET", "a secret of some length"),
        "",
    );
    for secret in ["***", "the shared key", "a secret of some"] {
        assert!(!printed.contains(secret), "{secret}: {printed}");
    }
    let file = dir.path().join("printed.toml");
    fs::write(&file, &printed).unwrap();
    let mut again = portreeve();
    again.args(["check-config", "--config"]).arg(&file);
    let again = success(&mut again, "");
    assert_eq!(parsed(&again), parsed(&printed));
    assert_eq!(parsed(&printed)["user_claim"].as_str(), Some("uid"));

    // `serve` accepts it too. The API key is not in it, nor any placeholder for it.
    let mut serve = portreeve();
    let served = Served::start(serve.args(["serve", "--config"]).arg(&file));
    assert_eq!(get(served.address, "/api/v1/apps", &token).status, 500);
    drop(served);
    let mut serve = portreeve();
    serve.env("MCP_SERVER_API_KEY", "the shared key");
    let served = Served::start(serve.args(["serve", "--config"]).arg(&file));
    let request = format!(
        "GET /api/v1/apps HTTP/1.1\r\nHost: g\r\nConnection: close\r\nX-API-Key: ***\r\nAuthorization: Bearer {token}\r\n\r\n"
    );
    assert_eq!(http(served.address, &request).status, 401);
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
        .env(
            "PORTREEVE_INTROSPECTION_CLIENT_SECRET",
            "another secret of it",
        );
    let printed = success(&mut command, "");
    assert_eq!(parsed(&printed).len(), settings);
    // The example has no line for a secret.
    for secret in ["secret =", "api_key =", "keys =", "…", "***"] {
        assert!(!example.contains(secret), "{secret}");
    }
    for secret in [
        "WEBHOOK_SECRET",
        "MCP_SERVER_API_KEY",
        "introspection_client_secret",
    ] {
        assert!(example.contains(secret), "{secret} is explained");
    }
}

#[test]
fn a_list_is_separated_by_commas_or_given_as_repeated_flags() {
    let dir = tempfile::tempdir().unwrap();
    token(dir.path(), "alice");
    let issuer = ["--issuer", "https://id.example.org"];
    let mut command = check_config(dir.path());
    command
        .args(issuer)
        .args(["--audience", "one", "--audience", "two,three"]);
    let printed = success(command.env("PORTREEVE_AUDIENCE", "four"), "");
    assert_eq!(parsed(&printed)["audience"].as_str(), Some("one,two,three"));

    for flag in ["--audience", "--allowed-client", "--required-scope"] {
        let mut command = check_config(dir.path());
        let audience = ["--audience", "portreeve"];
        let output = run(
            command.args(issuer).args(audience).args([flag, "one two"]),
            "",
        );
        assert_eq!(output.status.code(), Some(2), "{flag}: {output:?}");
        let line = text(&output.stderr);
        assert_contains(line, &[flag, "one two", "commas"]);
    }
    // A setting with a single value cannot be repeated.
    let mut command = check_config(dir.path());
    let output = run(
        command.args(["--max-body", "1 KiB", "--max-body", "2 KiB"]),
        "",
    );
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("cannot be used multiple times"));

    let help = success(portreeve().args(["serve", "--help"]), "");
    let flat = help.split_whitespace().collect::<Vec<_>>().join(" ");
    let lists = flat
        .matches("separate several by commas, or repeat the flag")
        .count();
    assert!(lists >= 6, "{help}");
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
