//! Static tokens: the tokens file and the verifier that follows it (docs/API.md, section
//! 2.1).

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Barrier;
use std::thread::{self, sleep};
use std::time::{Duration, SystemTime};

use portreeve::identity::{
    BearerToken, Caller, StaticTokens, TokenVerifier, TokensFile, TokensFileError, VerifyError,
};

use crate::support::own_process;

/// The time within which a change is noticed, with a margin for a busy machine.
const NOTICED: Duration = Duration::from_millis(150);

#[test]
fn a_new_token_identifies_its_user() {
    let (_dir, path) = tokens_path();
    let file = TokensFile::new(&path);
    let alice = file.new_token("alice", ["webhooks", "apps"], None).unwrap();
    let bob = file.new_token("bob", [], None).unwrap();

    let tokens = StaticTokens::open(&path).unwrap();
    let caller = check(&tokens, alice.token.expose()).unwrap();
    assert_eq!(caller, Caller::new("alice").with_scopes(["webhooks", "apps"]));
    assert!(caller.has_scope("apps") && !caller.has_scope("app"));
    assert_eq!(check(&tokens, bob.token.expose()).unwrap(), Caller::new("bob"));

    for wrong in [
        "prt_",
        "x",
        &alice.record.id,
        &alice.token.expose()[..46],
        &format!("{}=", bob.token.expose()),
    ] {
        assert!(matches!(check(&tokens, wrong), Err(VerifyError::Refused(_))), "{wrong}");
    }
}

#[test]
fn tokens_are_256_random_bits_with_a_prefix() {
    let (_dir, path) = tokens_path();
    let file = TokensFile::new(&path);
    let (one, other) =
        (file.new_token("alice", [], None).unwrap(), file.new_token("alice", [], None).unwrap());
    for made in [&one, &other] {
        let body = made.token.expose().strip_prefix("prt_").unwrap();
        assert_eq!(body.len(), 43, "32 bytes in base64url without padding");
    }
    assert_ne!(one.token.expose(), other.token.expose());
    assert_ne!(one.record.id, other.record.id);
}

#[test]
fn only_new_token_returns_the_token_itself() {
    let (_dir, path) = tokens_path();
    let made = TokensFile::new(&path).new_token("alice", [], None).unwrap();
    let tokens = StaticTokens::open(&path).unwrap();
    let secret = made.token.expose();
    for shown in [fs::read_to_string(&path).unwrap(), format!("{made:?}"), format!("{tokens:?}")] {
        assert!(!shown.contains(secret) && !shown.contains(&secret[4..]), "{shown}");
    }
    // Nor does `Debug` show the digest, by which a guess could be tried.
    let line = fs::read_to_string(&path).unwrap().lines().last().unwrap().to_owned();
    let digest = line.split(' ').nth(1).unwrap();
    assert!(!format!("{tokens:?} {made:?}").contains(digest));
}

#[test]
fn a_line_written_by_hand_with_sha256sum_works() {
    let (_dir, path) = tokens_path();
    // printf %s my-own.token | sha256sum
    let digest = sha256sum("my-own.token");
    let text = format!(
        "\u{feff}# ours\r\n\r\n  own\t{}  2026-01-31T09:30:00Z  J%C3%B6rg%20M webhooks\r\n",
        digest.to_uppercase()
    );
    fs::write(&path, text).unwrap();
    let tokens = StaticTokens::open(&path).unwrap();
    let caller = check(&tokens, "my-own.token").unwrap();
    assert_eq!(caller.name(), "Jörg M");
    assert!(caller.has_scope("webhooks"));
}

#[test]
fn any_user_name_is_read_back_as_written() {
    let (_dir, path) = tokens_path();
    let file = TokensFile::new(&path);
    for user in ["a b", "100%", "jörg@example.org", "it's", "#hash", "名前", "a%20b", "\u{a0}"] {
        let made = file.new_token(user, [], None).unwrap();
        let tokens = StaticTokens::open(&path).unwrap();
        assert_eq!(check(&tokens, made.token.expose()).unwrap().name(), user);
    }
}

#[test]
fn invalid_users_and_scopes_are_refused_and_change_nothing() {
    let (_dir, path) = tokens_path();
    let file = TokensFile::new(&path);
    for user in ["", "a:b", "a\nb", &"x".repeat(256)] {
        assert!(
            matches!(file.new_token(user, [], None), Err(TokensFileError::User(_))),
            "{user:?}"
        );
    }
    for scope in ["", "a b", "a\"b", "a\\b", "ä", "a\n"] {
        let made = file.new_token("alice", [scope], None);
        assert!(matches!(made, Err(TokensFileError::Scope(_))), "{scope:?}");
    }
    assert!(!path.exists());
}

#[test]
fn edits_keep_comments_and_the_order_of_lines() {
    let (_dir, path) = tokens_path();
    let file = TokensFile::new(&path);
    let first = file.new_token("alice", [], None).unwrap();
    let mut text = fs::read_to_string(&path).unwrap();
    text.push_str("# the backup job, ask Bob");
    fs::write(&path, &text).unwrap();
    let second = file.new_token("backup", [], None).unwrap();

    let users: Vec<_> =
        file.list().unwrap().iter().map(|record| record.user_id.to_string()).collect();
    assert_eq!(users, ["alice", "backup"]);
    file.revoke(&first.record.id).unwrap();
    let after = fs::read_to_string(&path).unwrap();
    assert!(after.starts_with("# The bearer tokens"), "{after}");
    assert!(after.contains("# the backup job, ask Bob\n"), "{after}");
    assert_eq!(file.list().unwrap(), [second.record]);
}

#[test]
fn revoking_an_unknown_id_is_an_error() {
    let (_dir, path) = tokens_path();
    let file = TokensFile::new(&path);
    assert!(matches!(file.revoke("x"), Err(TokensFileError::Io { .. })), "no file");
    file.new_token("alice", [], None).unwrap();
    let error = file.revoke("nosuch").unwrap_err();
    assert!(matches!(error, TokensFileError::NoSuchToken { .. }));
    assert!(error.to_string().contains("nosuch"), "{error}");
    assert_eq!(file.list().unwrap().len(), 1);
}

#[test]
fn simultaneous_edits_lose_nothing() {
    let (_dir, path) = tokens_path();
    let file = TokensFile::new(&path);
    let doomed: Vec<_> = (0..8).map(|_| file.new_token("old", [], None).unwrap()).collect();
    std::thread::scope(|scope| {
        for old in &doomed {
            scope.spawn(|| file.revoke(&old.record.id).unwrap());
            scope.spawn(|| {
                for _ in 0..5 {
                    TokensFile::new(&path).new_token("new", [], None).unwrap();
                }
            });
        }
    });
    let left = file.list().unwrap();
    assert_eq!(left.len(), 40);
    assert!(left.iter().all(|record| &*record.user_id == "new"));
}

#[test]
fn a_new_token_works_with_the_next_call() {
    let (_dir, path) = tokens_path();
    let file = TokensFile::new(&path);
    let tokens = StaticTokens::open(&path).unwrap();
    for _ in 0..50 {
        let made = file.new_token("alice", [], None).unwrap();
        assert_eq!(check(&tokens, made.token.expose()).unwrap().name(), "alice");
    }
}

#[test]
fn a_running_verifier_notices_each_change_in_time() {
    let (_dir, path) = tokens_path();
    let file = TokensFile::new(&path);
    let first = file.new_token("alice", [], None).unwrap();
    let tokens = StaticTokens::open(&path).unwrap();

    let second = file.new_token("bob", [], None).unwrap();
    sleep(NOTICED);
    assert_eq!(check(&tokens, second.token.expose()).unwrap().name(), "bob");

    for made in [first, second] {
        file.revoke(&made.record.id).unwrap();
        sleep(NOTICED);
        assert!(matches!(check(&tokens, made.token.expose()), Err(VerifyError::Refused(_))));
    }
}

/// The first calls after a quiet time come at once: while one of them reads the file, which is
/// large, the others must not use the previous contents of the file.
#[test]
fn simultaneous_first_calls_after_a_change_all_notice_it() {
    let (_dir, path) = tokens_path();
    let line =
        |number: u32| format!("{number:08x} {} 2026-01-31T09:30:00Z carol\n", "0".repeat(64));
    let others: String = (0..20_000).map(line).collect();
    fs::write(&path, others).unwrap();
    let file = TokensFile::new(&path);
    let tokens = StaticTokens::open(&path).unwrap();
    let accepted = |token: &str| {
        let begin = Barrier::new(8);
        let call = || {
            begin.wait();
            check(&tokens, token).is_ok()
        };
        thread::scope(|scope| {
            let calls: Vec<_> = (0..8).map(|_| scope.spawn(call)).collect();
            let accepted = calls.into_iter().map(|call| call.join().unwrap());
            accepted.filter(|accepted| *accepted).count()
        })
    };
    for _ in 0..5 {
        let made = file.new_token("alice", [], None).unwrap();
        sleep(NOTICED);
        assert_eq!(accepted(made.token.expose()), 8);
        file.revoke(&made.record.id).unwrap();
        sleep(NOTICED);
        assert_eq!(accepted(made.token.expose()), 0);
    }
}

/// Whether the time is so recent that another edit may have the same one, or long past.
#[test]
fn a_change_that_keeps_size_and_time_is_noticed() {
    for ago in [Duration::ZERO, Duration::from_secs(100_000)] {
        let (dir, path) = tokens_path();
        let time = SystemTime::now() - ago;
        let write = |path: &Path, token: &str| {
            let line = format!("a {} 2026-01-31T09:30:00Z alice\n", sha256sum(token));
            fs::write(path, line).unwrap();
            let file = fs::File::options().write(true).open(path).unwrap();
            file.set_modified(time).unwrap();
        };
        write(&path, "one");
        let tokens = StaticTokens::open(&path).unwrap();
        // The clock of file times may tick only every few milliseconds.
        sleep(NOTICED);
        write(&path, "two");
        sleep(NOTICED);
        assert!(check(&tokens, "two").is_ok());
        assert!(check(&tokens, "one").is_err());

        let other = dir.path().join("other");
        write(&other, "three");
        fs::rename(&other, &path).unwrap();
        sleep(NOTICED);
        assert!(check(&tokens, "three").is_ok());
    }
}

#[test]
fn an_invalid_file_is_an_error_at_the_start() {
    let (_dir, path) = tokens_path();
    // A missing one is not: see `tests/cli/texts.rs`.
    assert!(StaticTokens::open(&path).is_ok());
    for (text, said) in [
        ("id\n", "no digest"),
        ("id abcd 2026-01-31T09:30:00Z alice", "64 hexadecimal digits"),
        ("# fine\n\nid abc 2026-01-31T09:30:00Z alice\n", "line 3"),
        (&format!("id {} yesterday alice\n", sha256sum("x")), "creation time"),
        (&format!("id {} 2026-01-31T09:30:00Z\n", sha256sum("x")), "no user"),
        (&format!("id {} 2026-01-31T09:30:00Z %ff\n", sha256sum("x")), "UTF-8"),
        (&format!("id {} 2026-01-31T09:30:00Z a sc\"ope\n", sha256sum("x")), "scope"),
    ] {
        fs::write(&path, text).unwrap();
        let error = StaticTokens::open(&path).unwrap_err().to_string();
        assert!(error.contains(said), "{text:?}: {error}");
        // An edit must not overwrite what the operator has to correct.
        assert!(TokensFile::new(&path).new_token("bob", [], None).is_err());
        assert_eq!(fs::read_to_string(&path).unwrap(), text);
    }
    fs::write(&path, b"id \xff\n").unwrap();
    assert!(StaticTokens::open(&path).unwrap_err().to_string().contains("UTF-8"));
}

#[test]
fn after_a_file_becomes_invalid_the_last_tokens_stay_in_force() {
    let (_dir, path) = tokens_path();
    let made = TokensFile::new(&path).new_token("alice", [], None).unwrap();
    let good = fs::read(&path).unwrap();
    let tokens = StaticTokens::open(&path).unwrap();

    fs::write(&path, "half a li").unwrap();
    sleep(NOTICED);
    assert!(check(&tokens, made.token.expose()).is_ok());
    fs::remove_file(&path).unwrap();
    sleep(NOTICED);
    assert!(check(&tokens, made.token.expose()).is_ok());
    fs::write(&path, "").unwrap();
    sleep(NOTICED);
    assert!(check(&tokens, made.token.expose()).is_err(), "an empty file revokes all");
    fs::write(&path, good).unwrap();
    sleep(NOTICED);
    assert!(check(&tokens, made.token.expose()).is_ok());
}

#[cfg(unix)]
#[test]
fn a_file_that_others_can_write_to_or_that_is_a_pipe_changes_nothing() {
    use std::os::unix::fs::PermissionsExt as _;

    let (dir, path) = tokens_path();
    let set_mode = |mode| fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
    let made = TokensFile::new(&path).new_token("alice", [], None).unwrap();
    let tokens = StaticTokens::open(&path).unwrap();
    let line = format!("a {} 2026-01-31T09:30:00Z mallory\n", sha256sum("forged"));

    set_mode(0o666);
    fs::write(&path, &line).unwrap();
    sleep(NOTICED);
    assert!(check(&tokens, "forged").is_err());
    assert!(check(&tokens, made.token.expose()).is_ok());
    let error = StaticTokens::open(&path).unwrap_err().to_string();
    assert!(error.contains("other users can write to it (mode 0666)"), "{error}");
    set_mode(0o600);
    sleep(NOTICED);
    assert!(check(&tokens, "forged").is_ok());

    let pipe = dir.path().join("pipe");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.unwrap().success());
    fs::rename(&pipe, &path).unwrap();
    sleep(NOTICED);
    assert!(check(&tokens, "forged").is_ok(), "the last tokens stay in force");
    let error = StaticTokens::open(&path).unwrap_err().to_string();
    assert!(error.contains("not a regular file"), "{error}");
    fs::remove_file(&path).unwrap();
    fs::write(&path, "").unwrap();
    sleep(NOTICED);
    assert!(check(&tokens, "forged").is_err());
}

// In a process of its own: other tests log without a subscriber, and `tracing` would cache that there
// is none.
#[test]
fn a_log_that_panics_delays_no_revocation() {
    own_process::run("static_tokens::a_log_that_panics_delays_no_revocation", || {
        let (_dir, path) = tokens_path();
        let file = TokensFile::new(&path);
        let made = [(); 3].map(|()| file.new_token("alice", [], None).unwrap());
        let tokens = StaticTokens::open(&path).unwrap();
        tracing_subscriber::fmt()
            .with_writer(|| -> std::io::Sink { panic!("the log is broken") })
            .init();
        for revoked in &made[..2] {
            file.revoke(&revoked.record.id).unwrap();
            sleep(NOTICED);
            let is_refused = check(&tokens, revoked.token.expose()).is_err();
            assert!(is_refused, "the token was revoked");
            assert!(check(&tokens, made[2].token.expose()).is_ok());
        }
    });
}

#[cfg(unix)]
#[test]
fn the_file_is_private_and_an_edit_keeps_its_mode_and_group() {
    use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};
    let (dir, path) = tokens_path();
    let file = TokensFile::new(&path);
    file.new_token("alice", [], None).unwrap();
    assert_eq!(fs::metadata(&path).unwrap().mode() & 0o7777, 0o600);

    fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
    // Only a privileged user can give files away; others keep their own.
    let given = std::os::unix::fs::chown(&path, None, Some(12345)).is_ok();
    let link = dir.path().join("link");
    symlink(&path, &link).unwrap();
    TokensFile::new(&link).new_token("bob", [], None).unwrap();
    let metadata = fs::metadata(&path).unwrap();
    assert_eq!(metadata.mode() & 0o7777, 0o640);
    assert!(!given || metadata.gid() == 12345);
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_eq!(file.list().unwrap().len(), 2);
}

fn tokens_path() -> (tempfile::TempDir, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("tokens");
    (dir, path)
}

fn check(tokens: &StaticTokens, token: &str) -> Result<Caller, VerifyError> {
    let (head, ()) = http::Request::new(()).into_parts();
    let token = BearerToken::new(token).unwrap();
    if let Some(known) = tokens.verify_now(&token, &head) {
        return known;
    }
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    let runtime = runtime.enable_time().build().unwrap();
    runtime.block_on(tokens.verify(&token, &head))
}

fn sha256sum(token: &str) -> String {
    use sha2::Digest as _;
    sha2::Sha256::digest(token).iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn missing_directories_are_created_for_their_owner_only() {
    use std::os::unix::fs::PermissionsExt as _;
    let dir = tempfile::tempdir().unwrap();
    let made = dir.path().join("one/two");
    let file = TokensFile::new(made.join("tokens"));
    file.new_token("alice", [], None).unwrap();
    let mode = fs::metadata(made).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o700);
}

#[test]
fn a_directory_that_cannot_be_created_is_an_error_that_names_the_file() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("file/tokens");
    fs::write(dir.path().join("file"), "").unwrap();
    let error = TokensFile::new(&path).new_token("alice", [], None).unwrap_err();
    let path = path.to_str().unwrap();
    assert!(error.to_string().contains(path), "{error}");
}

#[test]
fn a_b64token_is_made_of_the_bytes_of_rfc_6750_section_2_1() {
    for byte in 0..=u8::MAX {
        let fits = byte.is_ascii_alphanumeric() || b"-._~+/".contains(&byte);
        let text = String::from_utf8_lossy(&[b'a', byte, b'b']).into_owned();
        assert_eq!(BearerToken::new(&text).is_some(), fits, "{byte}");
    }
    for bad in ["", "=", "==", "a=b"] {
        assert!(BearerToken::new(bad).is_none(), "{bad:?}");
    }
    assert!(BearerToken::new("a==").is_some());
}
