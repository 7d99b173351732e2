//! The settings of the binary: flags, environment variables and the file, and the errors in them.

use std::fs;

use crate::support::binary::{
    Served, assert_contains, failure, get, http, in_dir, portreeve, run, serve_in, success, text,
    token,
};
use crate::support::nextcloud::{Fault, Nextcloud, Seen};

#[test]
fn help_names_every_command_and_setting() {
    let help = success(portreeve().arg("--help"), "");
    let commands = [
        "serve",
        "demo",
        "credentials",
        "token",
        "check-config",
        "config",
    ];
    assert_contains(&help, &commands);
    let help = success(portreeve().args(["serve", "--help"]), "");
    assert_contains(
        &help,
        &["--config", "WEBHOOK_SECRET", "MCP_SERVER_API_KEY", "_FILE"],
    );
    // The example is made from the same table, which the page is checked against.
    let example = success(portreeve().args(["config", "example"]), "");
    let flags = example
        .split(['[', ','])
        .filter(|word| word.starts_with("--"));
    let flags: Vec<_> = flags.collect();
    assert!(flags.len() > 50, "{flags:?}");
    assert_contains(&help, &flags);
}

#[test]
fn flags_override_the_environment_which_overrides_the_file() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("portreeve.toml");
    token(dir.path(), "alice");
    let tokens = toml::Value::from(dir.path().join("tokens").to_str().unwrap()).to_string();
    let settings = "max_body = \"1 KiB\"\nmax_in_flight = 5\nlog_format = \"json\"\nwebhook_secret = \"hush\"\ntrusted_proxies = [\"10.0.0.0/8\", \"192.0.2.1\"]\nallow_plain_http = true\ntokens_file = ";
    fs::write(&file, format!("{settings}{tokens}\n")).unwrap();
    let mut command = portreeve();
    command
        .args(["check-config", "--max-body", "3 KiB", "--config"])
        .arg(&file)
        .arg("--data-dir")
        .arg(dir.path());
    command
        .env("PORTREEVE_MAX_BODY", "2 KiB")
        .env("PORTREEVE_MAX_IN_FLIGHT", "6")
        .env("PORTREEVE_LISTEN", "");
    let printed = success(&mut command, "");
    for line in [
        "max_body = \"3 KiB\"  # --max-body",
        "max_in_flight = \"6\"  # PORTREEVE_MAX_IN_FLIGHT",
        "log_format = \"json\"  # log_format in",
        "# webhook_secret: set, not shown  # webhook_secret in",
        "trusted_proxies = \"10.0.0.0/8,192.0.2.1\"",
        "# listen: 127.0.0.1:8000 (default)",
    ] {
        assert!(printed.contains(line), "{line}: {printed}");
    }
    assert!(!printed.contains("hush"));
    // The output is TOML again.
    printed.parse::<toml::Table>().unwrap();
    // Nothing was created.
    assert!(!dir.path().join("portreeve.db").exists() && !dir.path().join("vault.key").exists());
}

#[test]
fn a_secret_is_read_from_the_file_that_a_variable_names() {
    let dir = tempfile::tempdir().unwrap();
    let secret = dir.path().join("key");
    fs::write(&secret, "the shared key\n").unwrap();
    let token = token(dir.path(), "alice");
    let served = Served::start(serve_in(dir.path()).env("MCP_SERVER_API_KEY_FILE", &secret));
    assert_eq!(get(served.address, "/api/v1/apps", &token).status, 401);
    let request = format!(
        "GET /api/v1/apps HTTP/1.1\r\nHost: g\r\nConnection: close\r\nX-API-Key: the shared key\r\nAuthorization: Bearer {token}\r\n\r\n"
    );
    http(served.address, &request).assert_error(500, "Internal error");

    let mut both = serve_in(dir.path());
    let line = failure(
        both.env("MCP_SERVER_API_KEY_FILE", &secret)
            .env("MCP_SERVER_API_KEY", "x"),
        1,
    );
    assert_contains(&line, &["MCP_SERVER_API_KEY and MCP_SERVER_API_KEY_FILE"]);
}

/// An array of the file has the values that it shows.
#[test]
fn a_comma_in_an_array_separates_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let config = dir.path().join("portreeve.toml");
    let check = |line: &str| {
        std::fs::write(&config, format!("{line}\ntokens_file = \"tokens\"\n")).unwrap();
        let mut command = portreeve();
        command.args(["check-config", "--config"]).arg(&config);
        let output = run(&mut command, "");
        (
            text(&output.stdout).to_owned(),
            text(&output.stderr).to_owned(),
        )
    };
    let (_, said) = check("trusted_proxies = [\"10.0.0.0/8,192.0.2.1\"]");
    assert!(
        said.contains("\"10.0.0.0/8,192.0.2.1\" must be an address"),
        "{said}"
    );
    let (_, said) = check("trusted_proxies = [\"10.0.0.0/8\", \"192.0.2.1\"]");
    assert!(!said.contains("must be an address"), "{said}");
    // What check-config prints means the same.
    let (printed, _) = check("audience = [\"https://x/a,b\", \"c\"]");
    let line = printed.lines().find(|line| line.starts_with("audience"));
    let (again, _) = check(line.expect(&printed));
    assert!(
        again.contains(line.unwrap().split("  #").next().unwrap()),
        "{again}"
    );
    assert!(line.unwrap().contains(r"https://x/a\"), "{line:?}");
}

/// A byte order mark is not part of a secret, and a pipe has its text once.
#[test]
fn a_secret_is_read_once_and_without_a_byte_order_mark() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("secret");
    let check = |path: &std::path::Path, input: &str| {
        let mut command = portreeve();
        command.args(["check-config", "--tokens-file", "tokens"]);
        command.env("WEBHOOK_SECRET_FILE", path);
        let output = run(&mut command, input);
        format!("{}{}", text(&output.stdout), text(&output.stderr))
    };
    std::fs::write(&file, "\u{feff}fourteen bytes\r\n").unwrap();
    let said = check(&file, "");
    assert!(
        said.contains("the secret is shorter than 16 bytes"),
        "{said}"
    );
    let said = check(
        "/dev/stdin".as_ref(),
        "a secret of more than sixteen bytes\n",
    );
    assert!(said.contains("# webhook_secret: set, not shown"), "{said}");
    assert!(
        !said.contains("is empty") && !said.contains("is shorter than"),
        "{said}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn check_config_online_contacts_the_groupware_server() {
    let nextcloud = Nextcloud::start_tls(true).await;
    nextcloud.answer("capabilities-anonymous");
    nextcloud.answer("webhooks-list-anonymous");
    let dir = tempfile::tempdir().unwrap();
    let ca = dir.path().join("ca.pem");
    fs::write(&ca, nextcloud.ca_pem()).unwrap();
    token(dir.path(), "alice");
    let check = |url: &str, ca: Option<&std::path::Path>| {
        let mut command = in_dir(
            dir.path(),
            &["check-config", "--online", "--groupware-url", url],
        );
        if let Some(ca) = ca {
            command.arg("--groupware-ca").arg(ca);
        }
        command
    };
    let said = success(&mut check(nextcloud.url(), Some(&ca)), "");
    assert_contains(&said, &["32.0.1", "webhook_listeners is enabled"]);
    said.parse::<toml::Table>().unwrap();
    let is_anonymous = |seen: &Seen| !seen.headers.contains_key("authorization");
    assert!(nextcloud.seen().iter().all(is_anonymous));

    nextcloud.answer("webhooks-list-app-disabled-anonymous");
    let said = success(&mut check(nextcloud.url(), Some(&ca)), "");
    assert!(said.contains("occ app:enable webhook_listeners"), "{said}");

    // Nothing but a web server at this address, as when a path such as /nextcloud is forgotten.
    let web = Nextcloud::start().await;
    web.fault(Fault::Page(404)).await;
    let line = failure(&mut check(web.url(), None), 1);
    assert_contains(&line, &["--groupware-url", "no Nextcloud", "/nextcloud"]);

    // Maintenance and a pending upgrade have the same answer, except for the public status.
    nextcloud.answer("maintenance-capabilities");
    nextcloud.answer("maintenance-status-php");
    let line = failure(&mut check(nextcloud.url(), Some(&ca)), 1);
    assert!(line.contains("maintenance"), "{line}");
    let status = r#"{"installed":true,"maintenance":false,"needsDbUpgrade":true}"#;
    nextcloud.answer_with("maintenance-status-php", 200, status);
    let line = failure(&mut check(nextcloud.url(), Some(&ca)), 1);
    assert!(
        line.contains("occ upgrade") && !line.contains("maintenance"),
        "{line}"
    );

    // Without its certificate authority, and without the server.
    let line = failure(&mut check(nextcloud.url(), None), 1);
    assert_contains(&line, &["--groupware-url", "could not be reached"]);
    let url = nextcloud.stop().await;
    let line = failure(&mut check(&url, Some(&ca)), 1);
    assert!(line.contains("could not be reached"), "{line}");
}
