//! `check-config` reports everything that would stop `serve`, at once, and `serve` fails for the same
//! reasons
//! (docs/OPERATIONS.md, "Before starting").

use std::collections::BTreeSet;
use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::process::{Command, Output};

use crate::support::binary::{
    Served, assert_contains, credentials, failure, in_dir, portreeve, run, serve_in, success, text,
    token,
};
use crate::support::gateway::PASSWORD;

/// The faults that a command reports on standard error, without their prefixes.
fn faults(output: &Output) -> BTreeSet<String> {
    let lines = text(&output.stderr).lines();
    let bare = |line: &str| {
        let bare = line
            .strip_prefix("\u{2717} ")
            .or(line.strip_prefix("portreeve: "));
        bare.unwrap_or_else(|| panic!("{line}")).to_owned()
    };
    lines.map(bare).collect()
}

/// Asserts that both commands fail with the same faults, and returns these.
fn refused(dir: &Path, set: impl Fn(&mut Command)) -> BTreeSet<String> {
    let [checked, served] = ["check-config", "serve"].map(|name| {
        let mut command = in_dir(dir, &[name]);
        set(&mut command);
        let output = run(&mut command, "");
        assert_eq!(output.status.code(), Some(1), "{output:?}");
        faults(&output)
    });
    assert_eq!(checked, served);
    assert!(!checked.is_empty());
    checked
}

#[test]
fn all_faults_are_reported_at_once_and_serve_reports_the_same() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let file = dir.join("portreeve.toml");
    fs::write(
        &file,
        "max_bodies = 5\nidle_timeout = 75\nuser_claim = \"uid\"\n",
    )
    .unwrap();
    fs::write(dir.join("vault.key"), "no key").unwrap();
    fs::write(dir.join("tokens"), "no token").unwrap();
    fs::write(dir.join("not-a-directory"), "").unwrap();
    let said = refused(dir, |command| {
        command
            .env("PORTREEVE_CONFIG", &file)
            .env("PORTREEVE_GROUPWARE_URI", "x")
            .env("PORTREEVE_GROUPWARE_URL", "ftp://cloud.example.org")
            .env("PORTREEVE_GROUPWARE_CA", dir.join("missing.pem"))
            .env("PORTREEVE_LISTEN", "127.0.0.1:0,localhost:1")
            .env("PORTREEVE_TLS_KEY", dir.join("tls.key"))
            .env(
                "PORTREEVE_DATABASE_URL",
                format!("sqlite:{}/not-a-directory/x.db", dir.display()),
            )
            .env("PORTREEVE_DATABASE_CONNECTIONS", "many")
            .env("PORTREEVE_AUDIT_LOG", dir.join("missing/audit.log"))
            .env("PORTREEVE_REFUSED_LOGIN_BUDGET", "11")
            .env("PORTREEVE_LOG_LEVEL", "loud")
            .env("WEBHOOK_SECRET_FILE", dir.join("missing.secret"));
    });
    for part in [
        "unknown setting (did you mean PORTREEVE_GROUPWARE_URL?)",
        "unknown setting \"max_bodies\"",
        "idle_timeout in",
        "user_claim in",
        "the scheme must be http or https",
        "missing.pem",
        "localhost:1",
        "tls_key is set; name the file of its certificate",
        "PORTREEVE_DATABASE_CONNECTIONS: \"many\" must be a whole number from 1 to 1000",
        "not-a-directory is not a directory",
        "missing/audit.log",
        "from 1 to 10: the groupware server blocks all logins after 11",
        "\"loud\" is not a filter",
        "missing.secret",
        "vault.key",
        "line 1 of the tokens file",
    ] {
        let naming = said.iter().filter(|line| line.contains(part));
        assert_eq!(naming.count(), 1, "{part}: {said:#?}");
    }
    assert_eq!(said.len(), 16, "{said:#?}");
    assert!(!dir.join("portreeve.db").exists());
}

#[test]
fn each_passed_check_is_one_line() {
    let dir = tempfile::tempdir().unwrap();
    token(dir.path(), "alice");
    let before = fs::read_dir(dir.path()).unwrap().count();
    let printed = success(&mut in_dir(dir.path(), &["check-config"]), "");
    assert!(!printed.contains('\u{2717}'), "{printed}");
    for fine in [
        "settings: ",
        "tokens_file: ",
        "database_url: ",
        "listen: 127.0.0.1:0",
    ] {
        let is_it = |line: &str| line.starts_with(&format!("# \u{2713} {fine}"));
        assert!(printed.lines().any(is_it), "{fine}: {printed}");
    }
    let after = fs::read_dir(dir.path()).unwrap().count();
    assert_eq!(before, after, "nothing was created");
    // All of it is TOML.
    printed.parse::<toml::Table>().unwrap();
}

#[test]
fn ports_and_sockets_that_cannot_be_bound_are_reported() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    token(dir, "alice");
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let taken = listener.local_addr().unwrap().to_string();
    let socket = dir.join("taken.sock");
    let _listens = UnixListener::bind(&socket).unwrap();
    let one = |name: &str, value: &str, part: &str| {
        let said = refused(dir, |command| {
            command.env(name, value);
        });
        assert_eq!(said.len(), 1, "{said:#?}");
        assert!(
            said.iter().all(|line| line.contains(part)),
            "{name}: {said:#?}"
        );
    };
    one("PORTREEVE_LISTEN", &taken, "cannot listen on");
    one("PORTREEVE_METRICS_LISTEN", &taken, "cannot listen on");
    one(
        "PORTREEVE_LISTEN",
        "192.0.2.1:1",
        "cannot listen on 192.0.2.1:1",
    );
    let unix = format!("unix:{}", socket.display());
    one(
        "PORTREEVE_LISTEN",
        &unix,
        "another process is listening there",
    );
    let unix = format!("unix:{}", dir.join("tokens").display());
    one("PORTREEVE_LISTEN", &unix, "is not a socket");
    let unix = format!("unix:{}", dir.join("missing/x.sock").display());
    one("PORTREEVE_LISTEN", &unix, "No such file or directory");
    one(
        "PORTREEVE_LISTEN",
        "0.0.0.0:7,127.0.0.1:7",
        "conflict; remove one",
    );
    let said = refused(dir, |command| {
        command
            .env("PORTREEVE_LISTEN", "127.0.0.1:8123")
            .env("PORTREEVE_METRICS_LISTEN", "0.0.0.0:8123");
    });
    let line = said.first().unwrap();
    assert!(
        said.len() == 1 && line.contains("conflicts with 127.0.0.1:8123"),
        "{line}"
    );
}

/// Whoever checks the settings before a reload or an upgrade has a gateway running.
#[test]
fn an_address_of_a_running_gateway_is_only_a_warning() {
    let dir = tempfile::tempdir().unwrap();
    token(dir.path(), "alice");
    let served = Served::start(&mut serve_in(dir.path()));
    let address = served.address.to_string();
    let mut check = in_dir(dir.path(), &["check-config"]);
    let printed = success(check.env("PORTREEVE_LISTEN", &address), "");
    let warning = format!("listen: a gateway is already listening on {address}");
    assert!(printed.contains(&warning), "{printed}");
    let mut second = in_dir(dir.path(), &["serve"]);
    let line = failure(second.env("PORTREEVE_LISTEN", &address), 1);
    assert!(line.contains("cannot listen on"), "{line}");
}

#[test]
fn directories_that_cannot_be_used_are_named() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    token(dir, "alice");
    fs::write(dir.join("file"), "").unwrap();
    for (variable, value) in [
        ("PORTREEVE_DATA_DIR", "file"),
        ("PORTREEVE_DATA_DIR", "file/below"),
        ("PORTREEVE_KEY_FILE", "file/keys"),
        ("PORTREEVE_AUDIT_LOG", "file/audit.log"),
        ("PORTREEVE_AUDIT_LOG", "missing/audit.log"),
    ] {
        let value = dir.join(value);
        let said = refused(dir, |command| {
            command.env(variable, &value);
        });
        let is_named = |line: &String| line.contains(dir.join("file").to_str().unwrap());
        assert!(
            said.iter()
                .all(|line| is_named(line) || line.contains("missing")),
            "{value:?}: {said:#?}"
        );
    }
    // A file that the gateway did not create.
    for content in [
        "no database, but longer than the header of one: ".repeat(4),
        String::new(),
    ] {
        fs::write(dir.join("portreeve.db"), &content).unwrap();
        let mode = fs::Permissions::from_mode(0o600);
        fs::set_permissions(dir.join("portreeve.db"), mode).unwrap();
        match content.is_empty() {
            // An empty file is a new database to SQLite.
            true => drop(success(&mut in_dir(dir, &["check-config"]), "")),
            false => {
                let said = refused(dir, |_| {});
                assert!(said.first().unwrap().contains("portreeve.db"), "{said:#?}");
            }
        }
    }
}

/// Whoever can write one of them gets the secrets, or decides where they go.
#[test]
fn a_settings_or_secret_file_that_others_can_write_stops_every_command() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    token(dir, "alice");
    credentials(dir, &["put", "--user", "alice"], PASSWORD);
    let (config, secret) = (dir.join("portreeve.toml"), dir.join("secret"));
    fs::write(&config, "max_body = \"1 KiB\"\n").unwrap();
    fs::write(&secret, "a secret of some length\n").unwrap();
    let mode = |path: &Path, mode| {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    };
    for open in [0o666, 0o622, 0o602, 0o620] {
        mode(&config, open);
        mode(&secret, 0o600);
        let said = refused(dir, |command| {
            command.env("PORTREEVE_CONFIG", &config);
        });
        let line = said.first().unwrap();
        let cure = format!("chmod go-w {}", config.display());
        assert!(said.len() == 1 && line.contains(&cure), "{line}");
        for arguments in [&["credentials", "list"][..], &["token", "list"]] {
            let mut command = portreeve();
            command
                .args(arguments)
                .env("PORTREEVE_CONFIG", &config)
                .env("PORTREEVE_TOKENS_FILE", dir.join("tokens"))
                .env("PORTREEVE_DATA_DIR", dir);
            assert!(failure(&mut command, 1).contains(&cure));
        }
        mode(&config, 0o644);
        mode(&secret, open);
        for name in ["WEBHOOK_SECRET_FILE", "MCP_SERVER_API_KEY_FILE"] {
            let said = refused(dir, |command| {
                command.env("PORTREEVE_CONFIG", &config).env(name, &secret);
            });
            let line = said.first().unwrap();
            let cure = format!("chmod go-w {}", secret.display());
            assert!(line.contains(name) && line.contains(&cure), "{line}");
            assert!(!line.contains("a secret of"), "{line}");
        }
    }
    // Others may read settings, but not a secret.
    mode(&secret, 0o644);
    let check = |file: &Path| {
        let mut command = in_dir(dir, &["check-config"]);
        command.env("WEBHOOK_SECRET_FILE", file);
        success(command.env("PORTREEVE_CONFIG", &config), "")
    };
    let printed = check(&secret);
    let warned = format!(
        "warning: WEBHOOK_SECRET_FILE: other users can read {}",
        secret.display()
    );
    assert!(printed.contains(&warned), "{printed}");
    mode(&secret, 0o600);
    assert!(!check(&secret).contains("warning"));
    fs::write(
        &config,
        "mcp_server_api_key = \"a secret of some length\"\n",
    )
    .unwrap();
    let printed = check(&secret);
    assert_contains(&printed, &["warning: --config: other users can read"]);
    mode(&config, 0o600);
    assert!(!check(&secret).contains("warning"));
}

/// As the Debian package installs it: owned by root, and readable by the gateway's group.
#[test]
fn a_file_of_root_that_only_the_gateways_group_can_read_causes_no_warning() {
    use std::os::unix::fs::{MetadataExt as _, chown};
    use std::os::unix::process::CommandExt as _;

    if fs::metadata("/proc/self").unwrap().uid() != 0 {
        // Only root can give files away.
        return;
    }
    let (user, group) = (65534, 65534);
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    token(dir, "alice");
    chown(dir, Some(user), Some(group)).unwrap();
    chown(dir.join("tokens"), Some(user), Some(group)).unwrap();
    let config = dir.join("portreeve.toml");
    fs::write(&config, "webhook_secret = \"a secret of some length\"\n").unwrap();
    fs::set_permissions(&config, fs::Permissions::from_mode(0o640)).unwrap();
    let check = || {
        let mut command = in_dir(dir, &["check-config"]);
        command.uid(user).gid(group);
        success(command.env("PORTREEVE_CONFIG", &config), "")
    };
    chown(&config, Some(0), Some(group)).unwrap();
    assert!(!check().contains("warning"));
    // It has another group as well, which can read the file.
    chown(&config, Some(user), Some(12)).unwrap();
    assert!(check().contains("warning: --config: other users can read"));
    chown(&config, Some(0), Some(group)).unwrap();
    fs::set_permissions(&config, fs::Permissions::from_mode(0o644)).unwrap();
    assert!(check().contains("warning: --config: other users can read"));
}

#[test]
fn settings_are_parsed_whether_they_are_used_or_not() {
    let dir = tempfile::tempdir().unwrap();
    token(dir.path(), "alice");
    for (variable, value) in [
        ("PORTREEVE_DATABASE_CONNECTIONS", "many"),
        ("PORTREEVE_DATABASE_TIMEOUT", "soon"),
        ("PORTREEVE_INTROSPECTION_URL", "introspect"),
        ("PORTREEVE_TRUSTED_PROXIES", "proxy"),
        ("PORTREEVE_UNIX_SOCKET_MODE", "rw"),
        ("PORTREEVE_TOKEN_CACHE_SIZE", "all"),
        ("PORTREEVE_KEY_FILE", "/dev/null/keys"),
    ] {
        let said = refused(dir.path(), |command| {
            command.env(variable, value);
        });
        assert!(
            said.len() == 1 && said.iter().all(|line| line.contains(variable)),
            "{variable}: {said:#?}"
        );
    }
    // A command parses the settings that it has, too.
    let mut list = portreeve();
    list.args([
        "credentials",
        "list",
        "--database-connections",
        "many",
        "--data-dir",
    ]);
    let line = failure(list.arg(dir.path()), 2);
    assert!(line.contains("--database-connections: \"many\""), "{line}");
}
