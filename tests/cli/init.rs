//! `portreeve init`, and the commands that it prints.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Command;

use serde_json::json;

use super::terminal::Terminal;
use crate::support::binary::{Served, get, portreeve, program, run, success, text};
use crate::support::issuer::{Key, StandIn};
use crate::support::nextcloud::Nextcloud;

/// A server that can be recognized without a login.
async fn server() -> Nextcloud {
    let nextcloud = Nextcloud::start().await;
    nextcloud.answer("capabilities-anonymous");
    nextcloud.answer("webhooks-list-anonymous");
    nextcloud
}

/// `init` in `dir`, with `arguments`.
fn init(dir: &Path, arguments: &[&str]) -> Command {
    let mut command = portreeve();
    command.current_dir(dir).arg("init").args(arguments);
    command
}

/// The settings in the file, without its comments.
fn settings_in(path: &Path) -> toml::Table {
    fs::read_to_string(path).unwrap().parse().unwrap()
}

/// A command line that `init` printed, run by a shell in `dir`.
fn printed(dir: &Path, line: &str) -> Command {
    let mut command = Command::new("sh");
    let bin = program().parent().unwrap().display().to_string();
    // It replaces the shell, so that signals reach it.
    command.args(["-c", &format!("exec {line}")]).env_clear();
    command.env("PATH", format!("{bin}:/usr/bin:/bin"));
    command.current_dir(dir);
    command
}

#[tokio::test(flavor = "multi_thread")]
async fn the_file_and_the_printed_commands_start_a_gateway() {
    let nextcloud = server().await;
    let dir = tempfile::tempdir().unwrap();
    // A path that has to be quoted for the shell.
    let config = dir.path().join("it's here.toml");
    let mut command = init(dir.path(), &["--groupware-url", nextcloud.url()]);
    command.args(["--listen", "127.0.0.1:0", "--data-dir", "data"]);
    command.args(["--tokens-file", "data/tokens", "--config"]);
    let output = run(command.arg(&config), "");
    assert!(output.status.success(), "{output:?}");
    let said = text(&output.stderr);
    assert!(said.contains("is a groupware server, 32.0.1"), "{said}");
    assert!(!said.contains("\\n"), "no line break is escaped: {said}");

    let mode = fs::metadata(&config).unwrap().permissions().mode();
    assert_eq!(mode & 0o7777, 0o640);
    let data = dir.path().canonicalize().unwrap().join("data");
    let expected = json!({
        "listen": ["127.0.0.1:0"],
        "groupware_url": nextcloud.url(),
        "data_dir": data,
        "tokens_file": data.join("tokens"),
        "webhook_secret_file": data.join("webhook_secret"),
    });
    assert_eq!(serde_json::to_value(settings_in(&config)).unwrap(), expected);
    assert!(said.contains(&format!("will be in {}", data.display())), "{said}");
    // Nothing else is there: no draft, no database.
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 2);
    assert_eq!(fs::read_dir(&data).unwrap().count(), 1);
    let secret = fs::metadata(data.join("webhook_secret")).unwrap();
    assert_eq!((secret.permissions().mode() & 0o7777, secret.len()), (0o600, 45));

    let lines: Vec<_> = text(&output.stdout).lines().collect();
    assert_eq!((lines.len(), lines[0]), (4, "Next:"), "{lines:?}");
    let token = success(&mut printed(dir.path(), lines[1]), "");
    assert!(lines[2].contains("credentials put"), "{lines:?}");
    let served = Served::start(&mut printed(dir.path(), lines[3]));
    assert!(!served.before_listening.join("").contains("WARN"), "{:?}", served.before_listening);
    let status = |token: &str| get(served.address, "/api/v1/apps", token).status;
    // Nothing is stored for alice yet.
    assert_eq!((status(token.trim_end()), status("none")), (428, 401));
}

#[tokio::test(flavor = "multi_thread")]
async fn missing_settings_are_asked_for_on_a_terminal() {
    let nextcloud = server().await;
    let dir = tempfile::tempdir().unwrap();
    let (config, data) = (dir.path().join("c.toml"), dir.path().join("data"));
    let arguments = ["init", "--config", config.to_str().unwrap(), "--data-dir"];
    let mut terminal = Terminal::start(&[&arguments[..], &[data.to_str().unwrap()]].concat());
    terminal.until("Address of the Nextcloud");
    terminal.type_in("ftp://cloud\r");
    // Not an address: asked again.
    terminal.until("the scheme must be");
    // Nobody answers there, as https: all is asked again, and what was typed is the default.
    terminal.type_in("127.0.0.1:1\r");
    terminal.until("OpenID provider");
    terminal.type_in("\r");
    terminal.until("[https://127.0.0.1:1]: ");
    terminal.type_in(&format!("{}\r", nextcloud.url()));
    terminal.type_in("\r");
    let (code, shown) = terminal.end();
    assert_eq!(code, Some(0), "{shown}");
    assert!(shown.contains("portreeve token new --config"), "{shown}");
    let set = settings_in(&config);
    assert_eq!(set["groupware_url"].as_str(), Some(nextcloud.url()));
    let tokens = data.join("tokens");
    assert_eq!(set["tokens_file"].as_str(), tokens.to_str());
}

#[tokio::test(flavor = "multi_thread")]
async fn after_a_mistyped_issuer_enter_means_static_tokens_all_the_same() {
    let nextcloud = server().await;
    let dir = tempfile::tempdir().unwrap();
    let (config, data) = (dir.path().join("c.toml"), dir.path().join("data"));
    let arguments = ["init", "--groupware-url", nextcloud.url(), "--config"];
    let places = [config.to_str().unwrap(), "--data-dir", data.to_str().unwrap()];
    let mut terminal = Terminal::start(&[&arguments[..], &places].concat());
    terminal.until("OpenID provider");
    // The form is judged at once.
    terminal.type_in("ftp://id.example.org\r");
    terminal.until("the scheme must be");
    terminal.type_in("https://id.example.org/.well-known/openid-configuration\r");
    terminal.until("is the address of the discovery document");
    // Nobody answers there.
    terminal.type_in("http://127.0.0.1:1\r");
    terminal.until("[portreeve]");
    terminal.type_in("\r");
    terminal.until("OpenID provider");
    terminal.type_in("\r");
    let (code, shown) = terminal.end();
    assert_eq!(code, Some(0), "{shown}");
    let set = settings_in(&config);
    let tokens = data.join("tokens");
    assert_eq!(set["tokens_file"].as_str(), tokens.to_str());
    assert!(!set.contains_key("issuer"), "{shown}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_provider_is_checked_before_the_file_is_written() {
    let (nextcloud, issuer) = (server().await, StandIn::start().await);
    issuer.publish(&[Key::ed25519().jwk("a")]);
    let dir = tempfile::tempdir().unwrap();
    let config = dir.path().join("portreeve.toml");
    let data = dir.path().join("data");
    let arguments = ["init", "--groupware-url", nextcloud.url(), "--data-dir"];
    let places = [data.to_str().unwrap(), "--config", config.to_str().unwrap()];
    let mut terminal = Terminal::start(&[&arguments[..], &places].concat());
    terminal.until("OpenID provider");
    terminal.type_in(&format!("{}\r", issuer.url));
    terminal.until("[portreeve]");
    terminal.type_in("\r");
    let (code, shown) = terminal.end();
    assert_eq!(code, Some(0), "{shown}");
    assert!(shown.contains("has 1 signature keys"), "{shown}");
    assert!(shown.contains("--online --token-stdin"), "{shown}");
    let set = settings_in(&config);
    assert_eq!(set["issuer"].as_str(), Some(issuer.url.as_str()));
    assert_eq!(set["audience"].as_array().unwrap()[0].as_str(), Some("portreeve"));
    assert!(!set.contains_key("tokens_file"));

    // If the provider is down, nothing is written.
    issuer.break_down();
    let other = dir.path().join("other.toml");
    let mut command = init(dir.path(), &["--groupware-url", nextcloud.url()]);
    command.args(["--issuer", &issuer.url, "--audience", "portreeve"]);
    command.arg("--data-dir").arg(&data);
    let output = run(command.arg("--config").arg(&other), "");
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let said = text(&output.stderr);
    assert!(said.contains("--issuer") && said.contains("503"), "{said}");
    assert!(said.contains("nothing was written"), "{said}");
    assert!(!other.exists());
    success(command.arg("--unchecked"), "");
    assert!(other.exists());
}
