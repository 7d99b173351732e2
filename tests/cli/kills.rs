//! Kills and power cuts while deliveries are received and sent (docs/OPERATIONS.md, "What survives what").

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use serde_json::json;

use super::receiving::{Arrival, Target, call, deliver, event, receiving};
use super::scrape::{self, Scrape};
use crate::support::binary::{LONGEST, Served, serve_in, token, wait};
use crate::support::seed;
use crate::support::slow_disk::SlowDisk;

/// The deliveries of a target that are claimed at once.
const CLAIMED: usize = 16;

/// SIGKILL under load: what was answered 200 arrives at each target that was there, always with the same id, and twice
/// only if a kill came between.
#[test]
fn api_12_3_kills_lose_nothing_and_repeat_only_what_was_in_flight() {
    let dir = tempfile::tempdir().unwrap();
    kill(dir.path(), &|_| {}, &|| {});
}

/// The same where nothing is left that was not synced.
#[test]
fn api_12_3_power_cuts_lose_nothing_and_repeat_only_what_was_in_flight() {
    let (dir, disk) = (tempfile::tempdir().unwrap(), SlowDisk::new());
    let under = |command: &mut Command| _ = disk.under_power(command);
    kill(dir.path(), &under, &|| disk.cut_power(dir.path()));
}

/// Kills `serve`, started by a command as `prepare` changes it, a few times; `killed` does something after each.
fn kill(dir: &Path, prepare: &dyn Fn(&mut Command), killed: &dyn Fn()) {
    let serve = || {
        let mut command = serve_in(dir);
        prepare(receiving(&mut command));
        Served::start(&mut command)
    };
    const KILLS: usize = 4;
    let alice = token(dir, "alice");
    let receiver = Target::start();
    let (next, stored) = (AtomicU32::new(0), Mutex::new(BTreeMap::new()));
    let (mut random, mut kills) = (seed::rng(), Vec::new());
    for round in 1..=KILLS {
        let served = serve();
        let (address, is_over) = (served.address, AtomicBool::new(false));
        // The claims of those before are in force for a while.
        let path = format!("/{round}");
        let uri = format!("http://{}{path}", receiver.address);
        call(address, &alice, "POST targets", json!({"uri": uri}));
        thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    while !is_over.load(Ordering::SeqCst) {
                        let n = next.fetch_add(1, Ordering::SeqCst);
                        let answer = deliver(address, &event(n, 300));
                        if answer.is_some_and(|answer| answer.status == 200) {
                            stored.lock().unwrap().insert(n, round);
                        }
                        thread::sleep(Duration::from_millis(20));
                    }
                });
            }
            wait("it receives and delivers", || {
                let arrivals = receiver.arrivals();
                arrivals.iter().filter(|it| it.path == path).count() > 10
            });
            thread::sleep(Duration::from_millis(random.u64(0..700)));
            served.kill();
            let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
            kills.push(now.as_secs());
            is_over.store(true, Ordering::SeqCst);
        });
        killed();
    }
    let served = serve();
    let stored = stored.into_inner().unwrap();
    let wanted = stored.iter().flat_map(|(number, round)| {
        let targets = 1..=*round;
        targets.map(move |target| (format!("/{target}"), *number))
    });
    let wanted: BTreeSet<_> = wanted.collect();
    // What was in flight waits until its claim has run out.
    let deadline = Instant::now() + 3 * LONGEST;
    let missing = || {
        let arrivals = receiver.arrivals().into_iter();
        let arrived: BTreeSet<_> = arrivals.map(|it| (it.path, it.number)).collect();
        wanted.difference(&arrived).cloned().collect::<Vec<_>>()
    };
    while !missing().is_empty() {
        assert!(Instant::now() < deadline, "lost: {:?}", missing());
        thread::sleep(Duration::from_millis(100));
    }
    let metrics = scrape::address(&served);
    wait("nothing waits", || Scrape::of(metrics).value("portreeve_deliveries_pending") == 0.0);
    let mut deliveries = BTreeMap::<(String, u32), Vec<Arrival>>::new();
    for arrival in receiver.arrivals() {
        let name = (arrival.path.clone(), arrival.number);
        deliveries.entry(name).or_default().push(arrival);
    }
    let (mut ids, mut repeated) = (BTreeSet::new(), 0);
    for attempts in deliveries.values() {
        let id = &attempts[0].id;
        assert!(attempts.iter().all(|it| it.id == *id), "{attempts:?}");
        assert!(ids.insert(id), "each has an id of its own: {attempts:?}");
        for pair in attempts.windows(2) {
            let mut between = pair[0].timestamp..=pair[1].timestamp;
            let is_explained = between.any(|second| kills.contains(&second));
            assert!(is_explained, "{pair:?}, killed at {kills:?}");
            repeated += 1;
        }
    }
    println!("{} received, {repeated} attempts repeated", stored.len());
    // A target has no more claimed.
    assert!(repeated <= CLAIMED * KILLS * KILLS, "{repeated}");
}
