//! The real binary, killed while it stores: every acknowledged credential is still there and can be
//! decrypted.
//!
//! 50 kills; `PORTREEVE_CRASH_ROUNDS=1000 cargo test --test cli crash` makes it 1,000.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use portreeve::vault::{Keyring, SqliteStore, Vault};

use crate::support::seed;

const USERS: usize = 5;
/// After this many kills comes a new directory, so that the first start is often killed, too.
const KILLS_PER_DIRECTORY: usize = 10;

/// The stores of a user: the last one that was acknowledged, and one that was killed after it.
#[derive(Clone, Copy, Debug, Default)]
struct Known {
    acknowledged: Option<usize>,
    cut_off: Option<usize>,
}

#[test]
fn acknowledged_credentials_survive_sigkill() {
    let rounds = std::env::var("PORTREEVE_CRASH_ROUNDS")
        .map_or(50, |text| text.parse().expect("PORTREEVE_CRASH_ROUNDS is a number"));
    let (mut killed, mut number, mut checked) = (0, 0, 0);
    let mut random = seed::rng();
    while killed < rounds {
        let directory = tempfile::tempdir().unwrap();
        let mut known = BTreeMap::<String, Known>::new();
        let mut longest = Duration::from_millis(40);
        for _ in 0..KILLS_PER_DIRECTORY {
            // A few stores are acknowledged, then one is killed at a random moment.
            let before_kill = random.u8(..3);
            for turn in 0..=before_kill {
                number += 1;
                let user = format!("user-{}", number % USERS);
                let start = Instant::now();
                let mut child = put(directory.path(), &user, number);
                let cut = turn == before_kill;
                if cut {
                    let micros = random.u64(..=longest.as_micros() as u64);
                    std::thread::sleep(Duration::from_micros(micros));
                    child.kill().unwrap();
                }
                let done = child.wait().unwrap();
                let known = known.entry(user).or_default();
                if done.success() {
                    *known = Known { acknowledged: Some(number), cut_off: None };
                    longest = start.elapsed() * 5 / 4;
                } else {
                    assert!(cut, "a store that nobody killed failed: {done}");
                    known.cut_off = Some(number);
                    killed += 1;
                }
            }
            checked += check(directory.path(), &mut known);
        }
    }
    assert!(checked > 0, "something was acknowledged");
}

/// Opens the directory as any process would and compares; returns how many records it compared.
fn check(directory: &Path, known: &mut BTreeMap<String, Known>) -> usize {
    let any = known.values().any(|known| known.acknowledged.is_some());
    let key_file = directory.join("vault.key");
    if !key_file.exists() {
        assert!(!any, "a key that sealed something is gone");
        return 0;
    }
    let keyring = Keyring::read(&key_file).expect("a key file is whole or not there");
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(async {
        let store = SqliteStore::open(directory.join("portreeve.db")).await.unwrap();
        let vault = Vault::new(keyring, store);
        for (user, known) in known.iter_mut() {
            let credential = vault.credential(user).await.unwrap();
            let stored = credential.map(|it| it.password.expose()[..20].parse().unwrap());
            let explained = stored == known.acknowledged
                || (known.cut_off.is_some() && stored == known.cut_off);
            assert!(explained, "{user} has {stored:?}, known is {known:?}");
            // A store that took effect before it was killed must persist from now on.
            *known = Known { acknowledged: stored, cut_off: None };
        }
    });
    known.values().filter(|known| known.acknowledged.is_some()).count()
}

fn put(directory: &Path, user: &str, number: usize) -> Child {
    let mut child = Command::new(env!("CARGO_BIN_EXE_portreeve"))
        .args(["credentials", "put", "--user", user, "--data-dir"])
        .arg(directory)
        .env_clear()
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    input.write_all(format!("{number:020}-app-password\n").as_bytes()).unwrap();
    child
}
