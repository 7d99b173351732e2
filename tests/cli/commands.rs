//! The commands and settings of the binary.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::time::{Duration, Instant};

use crate::support::binary::{Served, failure, get, http, portreeve, run, serve_in, success, text};
use crate::support::gateway::PASSWORD;
use crate::support::nextcloud::{Nextcloud, basic};

fn token(dir: &std::path::Path, user: &str) -> String {
    let mut command = portreeve();
    command
        .args(["token", "new", "--user", user, "--tokens-file"])
        .arg(dir.join("tokens"));
    let printed = success(&mut command, "");
    assert_eq!(printed.lines().count(), 1, "the token alone: {printed}");
    printed.trim_end().to_owned()
}

fn credentials(dir: &std::path::Path, arguments: &[&str], input: &str) -> String {
    success(
        portreeve()
            .arg("credentials")
            .args(arguments)
            .arg("--data-dir")
            .arg(dir),
        input,
    )
}

fn eventually(what: &str, mut condition: impl FnMut() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(5);
    while !condition() {
        assert!(Instant::now() < deadline, "{what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn help_names_every_command_and_setting() {
    let help = success(portreeve().arg("--help"), "");
    for command in ["serve", "demo", "credentials", "token", "check-config"] {
        assert!(help.contains(command), "{command}: {help}");
    }
    let help = success(portreeve().args(["serve", "--help"]), "");
    for setting in [
        "--listen",
        "--groupware-url",
        "--groupware-public-url",
        "--groupware-timeout",
        "--admin-scope",
        "--admin-reveal",
        "--refused-retry",
        "--refused-login-budget",
        "--data-dir",
        "--database-url",
        "--key-file",
        "--tokens-file",
        "--issuer",
        "--audience",
        "--allowed-client",
        "--user-claim",
        "--required-scope",
        "--introspection-url",
        "--introspection-client-id",
        "PORTREEVE_INTROSPECTION_CLIENT_SECRET",
        "--token-cache-ttl",
        "--token-cache-size",
        "--webhook-auth",
        "--webhook-shared-origins",
        "--groupware-ca",
        "--allow-plain-http",
        "--trusted-proxies",
        "--forward-client-address",
        "--max-in-flight",
        "--max-in-flight-per-caller",
        "--request-timeout",
        "--max-body",
        "--log-format",
        "--config",
        "WEBHOOK_SECRET",
        "MCP_SERVER_API_KEY",
        "PORTREEVE_ENCRYPTION_KEYS",
        "_FILE",
    ] {
        assert!(help.contains(setting), "{setting}: {help}");
    }
}

#[test]
fn a_wrong_command_line_exits_2_a_wrong_setting_1() {
    assert_eq!(run(portreeve().arg("fly"), "").status.code(), Some(2));
    assert_eq!(run(&mut portreeve(), "").status.code(), Some(2));
    assert_eq!(
        run(portreeve().args(["serve", "--no-such-flag"]), "")
            .status
            .code(),
        Some(2)
    );
    assert_eq!(
        run(portreeve().args(["token", "new"]), "").status.code(),
        Some(2)
    );

    let dir = tempfile::tempdir().unwrap();
    let line = failure(serve_in(dir.path()).args(["--max-body", "huge"]), 2);
    assert!(
        line.contains("--max-body") && line.contains("64 KiB"),
        "{line}"
    );

    for (variable, value, right) in [
        ("PORTREEVE_LISTEN", "localhost", "127.0.0.1:8000"),
        ("PORTREEVE_GROUPWARE_URL", "ftp://x", "http"),
        (
            "PORTREEVE_GROUPWARE_URL",
            "http://cloud.example.org",
            "https",
        ),
        ("PORTREEVE_GROUPWARE_TIMEOUT", "0s", "30s"),
        ("PORTREEVE_GROUPWARE_PUBLIC_URL", "cloud", "https://"),
        ("PORTREEVE_ADMIN_SCOPE", "two scopes", "one scope"),
        ("PORTREEVE_ADMIN_REVEAL", "1", "true or false"),
        ("PORTREEVE_REFUSED_RETRY", "30", "30s"),
        ("PORTREEVE_REFUSED_LOGIN_BUDGET", "0", "1 to 1000"),
        ("PORTREEVE_REQUEST_TIMEOUT", "soon", "30s"),
        ("PORTREEVE_MAX_IN_FLIGHT", "0", "from 1"),
        ("PORTREEVE_MAX_BODY", "-1", "64 KiB"),
        ("PORTREEVE_ALLOW_PLAIN_HTTP", "yes", "true or false"),
        ("PORTREEVE_WEBHOOK_AUTH", "none", "derived or shared"),
        ("PORTREEVE_WEBHOOK_AUTH", "shared", "origins"),
        (
            "PORTREEVE_WEBHOOK_SHARED_ORIGINS",
            "hooks.example.org",
            "https://",
        ),
        ("PORTREEVE_TRUSTED_PROXIES", "proxy", "10.0.0.0/8"),
        ("PORTREEVE_ENCRYPTION_KEYS", "short", "32 bytes"),
        ("PORTREEVE_DATABASE_URL", "mysql://x", "sqlite:"),
        ("PORTREEVE_DATABASE_URL", "sqlite::memory:", "sqlite:"),
        ("MCP_SERVER_API_KEY", "blank at the end ", "no blanks"),
        ("PORTREEVE_LOG_FORMAT", "xml", "text or json"),
        ("PORTREEVE_GROUPWARE_CA", "/nonexistent.pem", "nonexistent"),
        ("WEBHOOK_SECRET_FILE", "/nonexistent", "nonexistent"),
        ("PORTREEVE_CONFIG", "/nonexistent.toml", "nonexistent"),
        ("RUST_LOG", "a=b=c", "RUST_LOG"),
    ] {
        let dir = tempfile::tempdir().unwrap();
        token(dir.path(), "alice");
        let mut command = portreeve();
        command.arg("serve").env("PORTREEVE_LISTEN", "127.0.0.1:0");
        command
            .env("PORTREEVE_DATA_DIR", dir.path())
            .env("PORTREEVE_TOKENS_FILE", dir.path().join("tokens"));
        if variable == "PORTREEVE_GROUPWARE_CA" {
            command.env("PORTREEVE_GROUPWARE_URL", "https://cloud.example.org");
        }
        let line = failure(command.env(variable, value), 1);
        let name = variable.trim_start_matches("PORTREEVE_CONFIG");
        let named =
            line.contains(name) || line.contains(&name.to_lowercase().replace("portreeve_", ""));
        assert!(named && line.contains(right), "{variable}={value}: {line}");
    }
}

#[test]
fn serve_without_a_verifier_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let line = failure(portreeve().args(["serve", "--data-dir"]).arg(dir.path()), 1);
    assert!(
        line.contains("--tokens-file") && line.contains("portreeve token new"),
        "{line}"
    );
}

#[test]
fn flags_beat_the_environment_which_beats_the_file() {
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
        "webhook_secret = \"***\"",
        "trusted_proxies = \"10.0.0.0/8,192.0.2.1\"",
        "# listen: 127.0.0.1:8000 (default)",
    ] {
        assert!(printed.contains(line), "{line}: {printed}");
    }
    assert!(!printed.contains("hush"));
    // It is TOML again.
    printed.parse::<toml::Table>().unwrap();
    // Nothing was made.
    assert!(!dir.path().join("portreeve.db").exists() && !dir.path().join("vault.key").exists());

    for (content, part) in [
        ("max_bodies = 5\n", "max_bodies"),
        ("max_body = [1]\n", "max_body"),
        ("a = \n", "line 1"),
        ("encryption_keys = \"x\"\n", "encryption_keys"),
    ] {
        fs::write(&file, content).unwrap();
        let line = failure(portreeve().args(["check-config", "--config"]).arg(&file), 1);
        assert!(
            line.contains(part) && line.contains("portreeve.toml"),
            "{line}"
        );
    }
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
    assert!(
        line.contains("MCP_SERVER_API_KEY and MCP_SERVER_API_KEY_FILE"),
        "{line}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn the_commands_change_a_running_gateway() {
    let nextcloud = Nextcloud::start().await;
    nextcloud.answer("webhooks-list-admin");
    let dir = tempfile::tempdir().unwrap();
    let first = token(dir.path(), "admin");
    let served = Served::start(serve_in(dir.path()).args(["--groupware-url", nextcloud.url()]));
    let status = |token: &str| get(served.address, "/api/v1/webhooks", token).status;

    assert_eq!(status(&first), 428);
    credentials(dir.path(), &["put", "--user", "admin"], PASSWORD);
    assert_eq!(status(&first), 200);
    assert_eq!(
        nextcloud.seen()[0].headers["authorization"],
        basic("admin", PASSWORD)
    );

    // A second password in place of the first one, seen at once.
    let other = "FAKEAppPasswordadminother000000000000000";
    credentials(
        dir.path(),
        &[
            "put",
            "--user",
            "admin",
            "--login-name",
            "admin@example.org",
        ],
        &format!("{other}\n"),
    );
    assert_eq!(status(&first), 200);
    assert_eq!(
        nextcloud.seen()[1].headers["authorization"],
        basic("admin@example.org", other)
    );

    let listed = credentials(dir.path(), &["list"], "");
    let fields: Vec<_> = listed.trim_end().split('\t').collect();
    assert_eq!(
        (fields[0], fields[1], fields[3]),
        ("admin", "admin@example.org", "active"),
        "{listed}"
    );

    credentials(dir.path(), &["remove", "--user", "admin"], "");
    assert_eq!(status(&first), 428);
    let line = failure(
        portreeve()
            .args(["credentials", "remove", "--user", "admin", "--data-dir"])
            .arg(dir.path()),
        1,
    );
    assert!(line.contains("admin"), "{line}");

    let second = token(dir.path(), "admin");
    eventually("the new token is taken up", || status(&second) == 428);
    let list = || {
        success(
            portreeve()
                .args(["token", "list", "--tokens-file"])
                .arg(dir.path().join("tokens")),
            "",
        )
    };
    let listed = list();
    assert_eq!(listed.lines().count(), 2, "{listed}");
    assert!(!listed.contains(&first) && !listed.contains(&second));
    let id = listed
        .lines()
        .next()
        .unwrap()
        .split('\t')
        .next()
        .unwrap()
        .to_owned();
    success(
        portreeve()
            .args(["token", "revoke", &id, "--tokens-file"])
            .arg(dir.path().join("tokens")),
        "",
    );
    eventually("the revoked token is refused", || status(&first) == 401);
    assert_eq!(status(&second), 428);
    assert_eq!(list().lines().count(), 1);
}

#[test]
fn files_are_private_and_hold_nothing_plain() {
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("data");
    fs::create_dir(&data).unwrap();
    let token = token(&data, "alice");
    credentials(
        &data,
        &[
            "put",
            "--user",
            "alice",
            "--login-name",
            "alice.private@example.org",
        ],
        PASSWORD,
    );
    let mut seen = 0;
    for entry in fs::read_dir(&data).unwrap() {
        let path = entry.unwrap().path();
        let mode = fs::metadata(&path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode, 0o600, "{}", path.display());
        let bytes = fs::read(&path).unwrap();
        for secret in [PASSWORD, &token, &token[4..]] {
            let found = bytes
                .windows(secret.len())
                .any(|window| window == secret.as_bytes());
            assert!(!found, "{} holds a secret", path.display());
        }
        seen += 1;
    }
    assert!(seen >= 3);
}

#[test]
fn bad_credentials_are_refused_with_a_reason() {
    let dir = tempfile::tempdir().unwrap();
    for (password, part) in [
        ("", "20"),
        ("short", "20"),
        ("with blank 0000000000000000", "letters"),
        (&*"x".repeat(5000), "256"),
    ] {
        let output = run(
            portreeve()
                .args(["credentials", "put", "--user", "alice", "--data-dir"])
                .arg(dir.path()),
            password,
        );
        assert_eq!(output.status.code(), Some(1), "{password:.20}");
        let line = text(&output.stderr);
        assert!(
            line.contains(part) && (password.is_empty() || !line.contains(password)),
            "{line}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn sigterm_drains_and_exits_0() {
    let nextcloud = Nextcloud::start().await;
    nextcloud.answer("webhooks-list-admin");
    nextcloud.delay(Duration::from_millis(700));
    let dir = tempfile::tempdir().unwrap();
    let token = token(dir.path(), "admin");
    credentials(dir.path(), &["put", "--user", "admin"], PASSWORD);
    let mut served = Served::start(serve_in(dir.path()).args(["--groupware-url", nextcloud.url()]));
    let address = served.address;
    let under_way = std::thread::spawn(move || get(address, "/api/v1/webhooks", &token));
    eventually("the call is under way", || !nextcloud.seen().is_empty());
    served.terminate();
    assert_eq!(under_way.join().unwrap().status, 200);
    assert_eq!(served.wait().code(), Some(0));
}

#[test]
fn a_taken_port_is_named() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let dir = tempfile::tempdir().unwrap();
    token(dir.path(), "alice");
    let mut command = serve_in(dir.path());
    let output = run(
        command.env("RUST_LOG", "off").args(["--listen", &address]),
        "",
    );
    // The flag was given twice, which clap refuses.
    assert_eq!(output.status.code(), Some(2));
    let mut command = portreeve();
    command
        .env("RUST_LOG", "off")
        .args(["serve", "--listen", &address, "--data-dir"])
        .arg(dir.path());
    let line = failure(
        command.arg("--tokens-file").arg(dir.path().join("tokens")),
        1,
    );
    assert!(
        line.contains(&address) && line.contains("--listen"),
        "{line}"
    );
}

#[test]
fn the_demo_prints_lines_that_work() {
    let served = Served::start(portreeve().args(["demo", "--listen", "127.0.0.1:0"]));
    std::thread::sleep(Duration::from_millis(300));
    let script: String = served
        .lines()
        .iter()
        .map(|line| format!("{line}\n"))
        .collect();
    let start = script.find("TOKEN=").expect("a token");
    let end = script.find("Ctrl-C").unwrap();
    let mut shell = std::process::Command::new("bash");
    let output = run(
        shell.args([
            "-e",
            "-c",
            &script[start..end].replace("curl -i", "curl -s -i -w '\\n'"),
        ]),
        "",
    );
    let told = text(&output.stdout);
    assert!(output.status.success(), "{output:?}");
    let statuses: Vec<_> = told
        .lines()
        .filter(|line| line.starts_with("HTTP/1.1 "))
        .collect();
    assert_eq!(statuses.len(), 6, "{told}");
    assert!(
        statuses[..5].iter().all(|line| *line == "HTTP/1.1 200 OK"),
        "{told}"
    );
    assert_eq!(statuses[5], "HTTP/1.1 401 Unauthorized");
    assert!(
        told.contains(r#""apps":["core","dav""#) && told.contains(r#"{"webhook":{"#),
        "{told}"
    );
    assert!(
        told.contains(r#""eventFilter":{"event.node.path":"/^\\/alice\\/files\\/Reports\\//"}"#),
        "{told}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_row_that_does_not_open_is_500_for_its_user_alone() {
    let nextcloud = Nextcloud::start().await;
    nextcloud.answer("webhooks-list-admin");
    let dir = tempfile::tempdir().unwrap();
    let (alice, bob) = (token(dir.path(), "alice"), token(dir.path(), "bob"));
    for user in ["alice", "bob", "admin"] {
        credentials(dir.path(), &["put", "--user", user], PASSWORD);
    }
    let database = rusqlite::Connection::open(dir.path().join("portreeve.db")).unwrap();
    // The administrator's row under alice's name.
    let moved = database.execute(
        "UPDATE credential SET sealed = (SELECT sealed FROM credential WHERE user_id = 'admin') WHERE user_id = 'alice'",
        [],
    );
    assert_eq!(moved.unwrap(), 1);
    drop(database);

    let served = Served::start(serve_in(dir.path()).args(["--groupware-url", nextcloud.url()]));
    let answer = get(served.address, "/api/v1/webhooks", &alice);
    let message = answer.assert_error(500, "Internal error");
    assert!(message.contains("stored credential"), "{message}");
    assert_eq!(nextcloud.seen().len(), 0, "no wrong password goes out");
    assert_eq!(get(served.address, "/api/v1/webhooks", &bob).status, 200);
    assert_eq!(get(served.address, "/readyz", &bob).status, 200);

    let list = run(
        portreeve()
            .args(["credentials", "list", "--data-dir"])
            .arg(dir.path()),
        "",
    );
    assert_eq!(list.status.code(), Some(1));
    assert_eq!(text(&list.stdout).lines().count(), 2, "{list:?}");
    assert!(text(&list.stderr).contains("\"alice\""), "{list:?}");
}

#[test]
fn an_error_line_carries_the_request_id_at_any_level() {
    let dir = tempfile::tempdir().unwrap();
    let token = token(dir.path(), "alice");
    // The line that tells the address is let through, nothing else below an error is.
    let served = Served::start(serve_in(dir.path()).env("RUST_LOG", "error,portreeve::cli=info"));
    let request = "GET /api/v1/apps HTTP/1.1\r\nHost: g\r\nConnection: close\r\n";
    let known =
        format!("{request}Authorization: Bearer {token}\r\nX-Request-Id: the-id-of-it\r\n\r\n");
    http(served.address, &known).assert_error(500, "Internal error");
    let mut lines = Vec::new();
    eventually("the failure is logged", || {
        lines.extend(served.lines());
        lines.iter().any(|line| line.contains("request failed"))
    });
    let line = lines.iter().find(|line| line.contains("request failed"));
    assert!(line.unwrap().contains("the-id-of-it"), "{lines:#?}");
}

#[test]
fn check_config_refuses_what_serve_would() {
    let dir = tempfile::tempdir().unwrap();
    token(dir.path(), "alice");
    let check = |variable: &str, value: &str| {
        let mut command = portreeve();
        command
            .arg("check-config")
            .arg("--data-dir")
            .arg(dir.path());
        command.arg("--tokens-file").arg(dir.path().join("tokens"));
        failure(command.env(variable, value), 1)
    };
    assert!(check("PORTREEVE_ENCRYPTION_KEYS", "garbage").contains("PORTREEVE_ENCRYPTION_KEYS"));
    fs::write(dir.path().join("vault.key"), "garbage\n").unwrap();
    assert!(check("RUST_LOG", "info").contains("vault.key"));
    fs::remove_file(dir.path().join("vault.key")).unwrap();
    fs::write(dir.path().join("tokens"), "garbage\n").unwrap();
    assert!(check("RUST_LOG", "info").contains("tokens"));
}

#[test]
fn a_mistyped_data_directory_is_no_empty_vault() {
    let dir = tempfile::tempdir().unwrap();
    let missing = dir.path().join("mistyped");
    for arguments in [
        &["list"][..],
        &["remove", "--user", "alice"],
        &["rotate-keys"],
    ] {
        let mut command = portreeve();
        command
            .arg("credentials")
            .args(arguments)
            .arg("--data-dir")
            .arg(&missing);
        let line = failure(&mut command, 1);
        assert!(line.contains("there is no database"), "{line}");
    }
    assert!(!missing.exists(), "nothing was made");
}
