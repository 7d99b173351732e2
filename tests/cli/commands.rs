//! `portreeve credentials` and `portreeve token`, beside a gateway that serves.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use crate::support::binary::{
    Served, assert_contains, credentials, eventually, failure, get, in_dir, portreeve, run,
    serve_in, success, text, token,
};
use crate::support::gateway::PASSWORD;
use crate::support::nextcloud::{Nextcloud, basic};

#[tokio::test(flavor = "multi_thread")]
async fn commands_take_effect_in_a_running_gateway() {
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
    let (header, listed) = listed.split_once('\n').unwrap();
    assert_eq!(header, "user\tlogin_name\tprovisioned_at\tstate");
    let fields: Vec<_> = listed.trim_end().split('\t').collect();
    let json = credentials(dir.path(), &["list", "--json"], "");
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(
        json,
        serde_json::json!({"user": "admin", "login_name": "admin@example.org",
            "provisioned_at": fields[2], "state": "active"})
    );
    assert_eq!(
        (fields[0], fields[1], fields[3]),
        ("admin", "admin@example.org", "active"),
        "{listed}"
    );

    credentials(dir.path(), &["remove", "--user", "admin"], "");
    assert_eq!(status(&first), 428);
    let line = failure(
        &mut in_dir(dir.path(), &["credentials", "remove", "--user", "admin"]),
        1,
    );
    assert!(line.contains("admin"), "{line}");

    let second = token(dir.path(), "admin");
    eventually("the new token is noticed", || status(&second) == 428);
    let list = || success(&mut in_dir(dir.path(), &["token", "list"]), "");
    let listed = list();
    assert_eq!(listed.lines().count(), 3, "{listed}");
    assert!(!listed.contains(&first) && !listed.contains(&second));
    let id = listed
        .lines()
        .nth(1)
        .unwrap()
        .split('\t')
        .next()
        .unwrap()
        .to_owned();
    success(&mut in_dir(dir.path(), &["token", "revoke", &id]), "");
    eventually("the revoked token is refused", || status(&first) == 401);
    assert_eq!(status(&second), 428);
    assert_eq!(list().lines().count(), 2);
}

#[test]
fn a_token_expires_while_a_gateway_serves() {
    let dir = tempfile::tempdir().unwrap();
    let endless = token(dir.path(), "alice");
    let served = Served::start(&mut serve_in(dir.path()));
    let status = |token: &str| get(served.address, "/api/v1/apps", token).status;
    let tokens = dir.path().join("tokens");
    let mut command = portreeve();
    command
        .args(["token", "new", "--user", "bob", "--scope", "apps"])
        .args(["--expires", "3s", "--tokens-file"])
        .arg(&tokens);
    let output = run(&mut command, "");
    assert!(output.status.success(), "{output:?}");
    let said = text(&output.stderr);
    assert!(said.contains("valid until 20"), "{said}");
    let short = text(&output.stdout).trim_end();
    let list = || {
        let mut command = portreeve();
        command
            .args(["token", "list", "--tokens-file"])
            .arg(&tokens);
        success(&mut command, "")
    };
    // 500, as there is no groupware server: the token is good.
    eventually("the new token is picked up", || status(short) == 500);
    let listed = list();
    let lines: Vec<_> = listed.lines().collect();
    assert_eq!(lines[0], "id\tuser\tcreated_at\tscopes\texpires_at\tstate");
    assert!(lines[1].ends_with("\t-\t-\tactive"), "{listed}");
    assert!(lines[2].contains("\tapps\t20"), "{listed}");
    eventually("it expires", || status(short) == 401);
    let message = get(served.address, "/api/v1/apps", short).assert_error(401, "Unauthorized");
    assert!(message.contains("expired"), "{message}");
    assert_eq!(status(&endless), 500);
    let listed = list();
    assert!(
        listed.lines().nth(2).unwrap().ends_with("\texpired"),
        "{listed}"
    );

    // An expiry that is changed in the file is picked up as well.
    let file = fs::read_to_string(&tokens).unwrap();
    let start = file.rfind("expires=").unwrap();
    let (head, tail) = (
        &file[..start],
        &file[start + "expires=2026-01-31T09:30:00Z".len()..],
    );
    fs::write(&tokens, format!("{head}expires=2999-01-01T00:00:00Z{tail}")).unwrap();
    eventually("the new expiry is picked up", || status(short) == 500);
}

#[test]
fn files_are_private_and_hold_no_plaintext_secrets() {
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

#[tokio::test(flavor = "multi_thread")]
async fn a_row_that_cannot_be_decrypted_is_500_for_its_user_only() {
    let nextcloud = Nextcloud::start().await;
    nextcloud.answer("webhooks-list-admin");
    nextcloud.accounts([("bob", "bob", PASSWORD)]);
    let dir = tempfile::tempdir().unwrap();
    let (alice, bob) = (token(dir.path(), "alice"), token(dir.path(), "bob"));
    for user in ["alice", "bob", "admin"] {
        credentials(dir.path(), &["put", "--user", user], PASSWORD);
    }
    let database = rusqlite::Connection::open(dir.path().join("portreeve.db")).unwrap();
    // The administrator's row under alice's name.
    let moved = database.execute(
        "UPDATE credential SET sealed = (SELECT sealed FROM credential WHERE key = 'admin') WHERE key = 'alice'",
        [],
    );
    assert_eq!(moved.unwrap(), 1);
    drop(database);

    let served = Served::start(serve_in(dir.path()).args(["--groupware-url", nextcloud.url()]));
    let answer = get(served.address, "/api/v1/webhooks", &alice);
    let message = answer.assert_error(500, "Internal error");
    assert!(message.contains("stored credential"), "{message}");
    assert_eq!(nextcloud.seen().len(), 0, "no wrong password is sent");
    assert_eq!(get(served.address, "/api/v1/webhooks", &bob).status, 200);
    assert_eq!(get(served.address, "/readyz", &bob).status, 200);

    let list = run(&mut in_dir(dir.path(), &["credentials", "list"]), "");
    assert_eq!(list.status.code(), Some(1));
    assert_eq!(text(&list.stdout).lines().count(), 3, "{list:?}");
    assert!(text(&list.stderr).contains("\"alice\""), "{list:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn put_verifies_the_password_with_the_server_as_the_route_does() {
    let nextcloud = Nextcloud::start().await;
    nextcloud.answer("user-alice");
    nextcloud.accounts([("alice", "alice", PASSWORD), ("bob", "alice", OTHER)]);
    let dir = tempfile::tempdir().unwrap();
    let put = |more: &[&str], password: &str| {
        let mut command = put(dir.path());
        command.env("PORTREEVE_GROUPWARE_URL", nextcloud.url());
        run(command.args(more), password)
    };
    let refused = "FAKEAppPasswordrefused000000000000000000";
    for (password, said) in [
        (refused, "does not accept"),
        (OTHER, "an account other than"),
    ] {
        let output = put(&[], password);
        assert_eq!(output.status.code(), Some(1), "{output:?}");
        let line = text(&output.stderr);
        assert_contains(line, &[said, "nothing was stored"]);
        assert!(!line.contains(password), "{line}");
    }
    // Nothing was created either.
    assert!(!dir.path().join("portreeve.db").exists());
    assert!(put(&[], PASSWORD).status.success());
    // One request for each password, and none is a failed login.
    assert_eq!((nextcloud.seen().len(), nextcloud.failed_logins()), (3, 0));
    let of_account = "LangesPasswortDesKontos2026";
    nextcloud.allow_account_password("alice", of_account);
    let output = put(&[], of_account);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert!(text(&output.stderr).contains("does not accept this as an app password"));
    assert_eq!((nextcloud.seen().len(), nextcloud.failed_logins()), (4, 0));

    assert!(put(&["--unchecked"], refused).status.success());
    assert_eq!(nextcloud.seen().len(), 4, "the server was not asked");
    // A server that takes no bearer tokens.
    nextcloud.refuse_bearer();
    let output = put(&[], PASSWORD);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert!(text(&output.stderr).contains("groupware_bearer = \"off\""));
    let off = ["--groupware-bearer", "off"];
    assert!(put(&off, PASSWORD).status.success());
    assert_eq!(put(&off, refused).status.code(), Some(1));
    assert_eq!(nextcloud.failed_logins(), 1);
    let url = nextcloud.stop().await;
    let mut command = self::put(dir.path());
    let output = run(command.args(["--groupware-url", &url]), PASSWORD);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let line = text(&output.stderr);
    assert_contains(line, &["--unchecked", "could not be reached"]);
}

/// An app password beside [`PASSWORD`].
const OTHER: &str = "FAKEAppPasswordbob0000000000000000000000";

fn put(dir: &std::path::Path) -> std::process::Command {
    in_dir(dir, &["credentials", "put", "--user", "alice"])
}
