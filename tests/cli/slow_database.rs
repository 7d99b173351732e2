//! A slow PostgreSQL: on a slow or stuck disk, suspended, or not answering a gateway that starts
//! (docs/OPERATIONS.md, "What is promised").

use std::io::{BufRead as _, BufReader};
use std::net::SocketAddr;
use std::process::Stdio;
use std::time::{Duration, Instant};

use crate::several::{on, put, serve, write_keys};
use crate::slow_disk::removal;
use crate::support::binary::{
    STATUS, Served, address_in, exchange, has_access, is_ready, run, success, text, token, wait,
};
use crate::support::nextcloud::Nextcloud;
use crate::support::postgres::Postgres;
use crate::support::seed;
use crate::support::slow_disk::SlowDisk;

const AWAY: &str = "The stored credentials cannot be reached at the moment";
const PERHAPS: &str = "The stored credentials cannot be reached at the moment. It is not known whether the request \
    was carried out: look before you repeat it.";

/// Users whose credentials are removed in each step of the test; one more user keeps them.
const USERS: usize = 4;

/// Removes the credentials of several users, each through one of the gateways, and calls `meanwhile`
/// until all are answered; returns whether each removal was acknowledged.
fn removals(
    gateways: [SocketAddr; 3],
    tokens: &[String],
    mut meanwhile: impl FnMut(),
) -> Vec<bool> {
    std::thread::scope(|scope| {
        let removing: Vec<_> = tokens
            .iter()
            .zip(gateways.iter().cycle())
            .map(|(token, gateway)| scope.spawn(move || removal(*gateway, token)))
            .collect();
        while !removing.iter().all(|it| it.is_finished()) {
            meanwhile();
            std::thread::sleep(Duration::from_millis(50));
        }
        let answers = removing.into_iter().map(|it| it.join().unwrap());
        let is_acknowledged = |answer: crate::support::gateway::Answer| {
            if answer.status != 200 {
                let message = answer.assert_error(500, "Internal error");
                assert!([AWAY, PERHAPS].contains(&&*message), "{message}");
            }
            answer.status == 200
        };
        answers.map(is_acknowledged).collect()
    })
}

/// Asserts that all gateways agree about each user, and that acknowledged removals took effect.
fn assert_agreement(gateways: [SocketAddr; 3], tokens: &[String], acknowledged: &[bool]) {
    wait("the gateways recover", || gateways.into_iter().all(is_ready));
    // Each gateway sees the last changes within a second.
    std::thread::sleep(Duration::from_secs(1));
    for (token, acknowledged) in tokens.iter().zip(acknowledged) {
        let found = gateways.map(|gateway| has_access(gateway, token));
        assert!(found[0].is_some() && found.iter().all(|it| *it == found[0]), "{found:?}");
        assert!(!acknowledged || found[0] == Some(false), "an acknowledged removal is lost");
    }
}

/// Three gateways, and a database whose disk is slow, then stuck, then stuck while it is killed.
#[test]
fn a_slow_or_stuck_disk_under_the_database_loses_no_acknowledged_change() {
    let Some(mut server) = Postgres::start() else {
        return;
    };
    server.move_to(SlowDisk::new());
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let url = server.database();
    let database = url.rsplit('/').next().unwrap();
    // An administrator who sets this does not mean to lose the passwords of users.
    server.psql(database, &format!("ALTER DATABASE {database} SET synchronous_commit = off"));
    write_keys(dir, &[1]);
    let tokens: Vec<_> = (0..=USERS).map(|user| token(dir, &format!("user{user}"))).collect();
    let (kept, tokens) = tokens.split_last().unwrap();
    let store = || {
        for user in 0..=USERS {
            put(&url, dir, &format!("user{user}"), user);
        }
    };
    store();
    let served = [(); 3].map(|()| Served::start(&mut serve(&url, dir)));
    let gateways = served.each_ref().map(|it| it.address);
    // Credentials can be read all the time, and the gateways are ready.
    let can_be_read = || {
        for gateway in gateways {
            assert_eq!(has_access(gateway, kept), Some(true));
            assert!(is_ready(gateway));
        }
    };

    server.disk().slow(200);
    let acknowledged = removals(gateways, tokens, can_be_read);
    assert!(acknowledged.contains(&true), "slow is not stuck");
    assert_agreement(gateways, tokens, &acknowledged);
    server.disk().heal();
    store();

    server.disk().stick();
    let acknowledged = removals(gateways, tokens, can_be_read);
    assert!(!acknowledged.contains(&true), "nothing can be stored on a stuck disk");
    // A gateway still starts, and a command ends in time.
    let another = Served::start(&mut serve(&url, dir));
    assert_eq!(has_access(another.address, kept), Some(true));
    drop(another);
    let mut command = on(&url, dir, &["credentials", "remove", "--user", "user0"]);
    let began = Instant::now();
    let output = run(&mut command, "");
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert!(text(&output.stderr).contains(&url), "{output:?}");
    assert!(began.elapsed() < Duration::from_secs(30));
    can_be_read();
    server.disk().heal();
    wait("removals work again", || removals(gateways, tokens, can_be_read).iter().all(|it| *it));
    assert_agreement(gateways, tokens, &[true; USERS]);
    store();

    server.disk().stick();
    std::thread::scope(|scope| {
        let removing = scope.spawn(|| removals(gateways, tokens, || {}));
        let wait = seed::rng().u64(..2000);
        std::thread::sleep(Duration::from_millis(wait));
        server.kill();
        server.disk().heal();
        server.start_again();
        let acknowledged = removing.join().unwrap();
        assert_agreement(gateways, tokens, &acknowledged);
    });
    store();
    for gateway in gateways {
        wait("all is as before", || {
            tokens.iter().all(|token| has_access(gateway, token) == Some(true))
        });
    }
}

/// Nothing can be read, either, and each request gets an error in time.
#[test]
fn a_suspended_database_makes_requests_fail_in_time() {
    let Some(server) = Postgres::start() else {
        return;
    };
    let dir = tempfile::tempdir().unwrap();
    let url = server.database();
    put(&url, dir.path(), "alice", 1);
    let alice = token(dir.path(), "alice");
    let served = Served::start(&mut serve(&url, dir.path()));
    wait("it serves", || has_access(served.address, &alice) == Some(true));
    server.signal("STOP");
    // What was read within the last second may still be used.
    std::thread::sleep(Duration::from_secs(1));
    std::thread::scope(|scope| {
        let asks = |method, path| {
            let (address, token) = (served.address, &alice);
            scope.spawn(move || exchange(address, method, path, token).expect("an answer in time"))
        };
        let probes = [asks("GET", "/readyz"), asks("GET", "/readyz")];
        // More than there are connections.
        let others = [(); 12].map(|()| asks("GET", STATUS));
        let removal = asks("DELETE", crate::slow_disk::CREDENTIALS);
        for probe in probes {
            assert_eq!(probe.join().unwrap().status, 503);
        }
        for other in others.into_iter().chain([removal]) {
            let answer = other.join().unwrap();
            assert_eq!(answer.assert_error(500, "Internal error"), AWAY);
        }
        let alive = asks("GET", "/healthz").join().unwrap();
        assert_eq!(alive.status, 200);
    });
    server.signal("CONT");
    wait("it is ready", || is_ready(served.address));
    wait("credentials can be read again", || has_access(served.address, &alice).is_some());
    assert_eq!(removal(served.address, &alice).status, 200);
    assert_eq!(has_access(served.address, &alice), Some(false));
}

/// A database that is there but does not answer: the gateway says at once what it waits for, and starts
/// when the database answers. If it never does, startup fails.
#[test]
fn a_starting_gateway_logs_that_it_waits_for_the_database() {
    let Some(server) = Postgres::start() else {
        return;
    };
    let dir = tempfile::tempdir().unwrap();
    let url = server.database();
    put(&url, dir.path(), "alice", 1);
    let alice = token(dir.path(), "alice");
    let starting = || {
        let mut command = serve(&url, dir.path());
        command.env("PORTREEVE_DATABASE_PASSWORD", "hunter22");
        let command = command.stdout(Stdio::null()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let lines = BufReader::new(child.stderr.take().unwrap()).lines();
        (child, lines.map(Result::unwrap))
    };
    let is_waiting = |line: &String| line.contains("the database does not answer yet");
    server.signal("STOP");
    let (mut child, mut lines) = starting();
    // It is still waiting, as the database is suspended until the line is there.
    let line = lines.find(is_waiting).expect("it says what it waits for");
    assert!(line.contains("WARN") && line.contains(&url), "{line}");
    assert!(line.contains("trying for 15s"), "{line}");
    assert!(!line.contains("hunter22"), "{line}");
    server.signal("CONT");
    let line = lines.find(|line| line.contains("listening")).unwrap();
    let address = address_in(&line).unwrap();
    wait("it serves", || has_access(address, &alice) == Some(true));
    child.kill().unwrap();
    child.wait().unwrap();
    // A start that does not have to wait does not log it.
    let served = Served::start(&mut serve(&url, dir.path()));
    assert!(!served.before_listening.iter().any(is_waiting));
    drop(served);

    server.signal("STOP");
    let (mut child, lines) = starting();
    let lines: Vec<_> = lines.collect();
    assert_eq!(child.wait().unwrap().code(), Some(1), "{lines:#?}");
    assert_eq!(lines.iter().filter(|line| is_waiting(line)).count(), 1);
    let last = lines.last().unwrap();
    assert!(last.contains(&url) && last.contains("no answer"), "{last}");
    assert!(!lines.concat().contains("hunter22"), "{lines:#?}");
    server.signal("CONT");
}

/// The database still works on what the gateway has given up. However many requests there are, each is
/// answered in time, credentials can be read, and a gateway has no more connections there than docs/OPERATIONS.md says.
#[test]
fn a_stuck_disk_exhausts_neither_the_gateway_nor_the_database() {
    const CONNECTIONS: usize = 4;
    const CALLERS: usize = 16;

    let Some(mut server) = Postgres::start() else {
        return;
    };
    server.move_to(SlowDisk::new());
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let url = server.database();
    let database = url.rsplit('/').next().unwrap();
    write_keys(dir, &[1]);
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let nextcloud = runtime.block_on(Nextcloud::start());
    nextcloud.answer("capabilities-admin-app-password");
    nextcloud.answer("login-flow-v2-init");
    let users: Vec<_> = (0..CALLERS).map(|user| format!("user{user}")).collect();
    let password = |user: &String| format!("{user:X>7}-app-password-of-its-own");
    for user in &users {
        nextcloud.allow(user, user, &password(user));
    }
    let tokens: Vec<_> = users.iter().map(|user| token(dir, user)).collect();
    for user in &users {
        let mut put = on(&url, dir, &["credentials", "put", "--user", user]);
        success(&mut put, &password(user));
    }
    let mut command = serve(&url, dir);
    command.args(["--groupware-url", nextcloud.url()]);
    let served = Served::start(command.args(["--database-connections", &CONNECTIONS.to_string()]));
    let ask = |method, path, token: &String| {
        let answer = exchange(served.address, method, path, token);
        answer.expect("an answer in time")
    };
    let apps = ("GET", "/api/v1/apps");
    // Changes of login flows do not wait for each other.
    let flow = ("POST", "/api/v1/background-sync/login-flow");
    let works = || {
        for token in &tokens {
            for (method, path) in [apps, flow] {
                wait("it works", || ask(method, path, token).status == 200);
            }
        }
    };
    works();
    server.disk().stick();
    let began = Instant::now();
    let mut most = 0;
    std::thread::scope(|scope| {
        let asking: Vec<_> = tokens
            .iter()
            .map(|token| {
                scope.spawn(move || {
                    while began.elapsed() < Duration::from_secs(20) {
                        for (method, path) in [apps, flow] {
                            let answer = ask(method, path, token);
                            if ![200, 429].contains(&answer.status) {
                                let message = answer.assert_error(500, "Internal error");
                                let is_sent = method == "POST" && message == PERHAPS;
                                assert!(message == AWAY || is_sent, "{method}: {message}");
                            }
                        }
                    }
                })
            })
            .collect();
        let count = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'portreeve'";
        while !asking.iter().all(|it| it.is_finished()) {
            most = most.max(server.psql(database, count).parse().unwrap());
            assert!(is_ready(served.address), "after {:?}", began.elapsed());
            std::thread::sleep(Duration::from_millis(200));
        }
    });
    // One more connection listens for notifications.
    assert!(most <= CONNECTIONS + 1, "{most} connections");
    server.disk().heal();
    wait("it is ready", || is_ready(served.address));
    works();
}
