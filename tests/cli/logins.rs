//! Refused passwords and several gateways on one database, as processes (docs/OPERATIONS.md, "Refused app
//! passwords"): the server counts at most five, ten if a gateway is killed at the worst moment, and users whose
//! password works are not affected.

use std::net::SocketAddr;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crate::several::{on, serve};
use crate::support::binary::{Served, credentials, exchange, in_dir, run, success, text, wait};
use crate::support::nextcloud::Nextcloud;
use crate::support::postgres::shared;

const APPS: &str = "/api/v1/apps";
const HEALTHY: usize = 5;
const DEAD: usize = 25;

/// A server and its users, whose passwords are stored; those of the first [`HEALTHY`] stay valid.
struct Site {
    nextcloud: Nextcloud,
    dir: tempfile::TempDir,
    url: String,
    users: Vec<User>,
}

struct User {
    name: String,
    password: String,
    token: String,
}

impl Site {
    async fn new(url: impl FnOnce(&Path) -> String) -> Self {
        let nextcloud = Nextcloud::start().await;
        nextcloud.answer("capabilities-admin-app-password");
        nextcloud.answer("user-alice");
        nextcloud.accounts([]);
        nextcloud.delay(Duration::from_millis(20));
        let dir = tempfile::tempdir().unwrap();
        let url = url(dir.path());
        let tokens = portreeve::identity::TokensFile::new(dir.path().join("tokens"));
        let user = |number| {
            let name = format!("user{number}");
            let password = format!("{number:05}-aaaaa-bbbbb-ccccc-ddddd");
            nextcloud.allow(&name, &name, &password);
            let arguments =
                ["credentials", "put", "--user", &name, "--groupware-url", nextcloud.url()];
            success(&mut on(&url, dir.path(), &arguments), &password);
            let token = tokens.new_token(&name, [], None).unwrap().token;
            let token = token.expose().to_owned();
            User { name, password, token }
        };
        let users = (0..HEALTHY + DEAD).map(user).collect();
        Self { nextcloud, dir, url, users }
    }

    fn gateway(&self) -> Served {
        let mut command = serve(&self.url, self.dir.path());
        Served::start(command.args(["--groupware-url", self.nextcloud.url()]))
    }

    fn revoke(&self, users: &[User]) {
        for user in users {
            self.nextcloud.revoke(&user.name, &user.password);
        }
    }

    /// Each of `users` calls through each of `gateways`, all at once; returns the statuses, 0 for a call
    /// without an answer.
    fn storm(users: &[User], gateways: &[SocketAddr]) -> Vec<u16> {
        let call = |user: &User, address| {
            exchange(address, "GET", APPS, &user.token).map_or(0, |it| it.status)
        };
        std::thread::scope(|scope| {
            let calls: Vec<_> = users
                .iter()
                .flat_map(|user| gateways.iter().map(move |address| (user, *address)))
                .map(|(user, address)| scope.spawn(move || call(user, address)))
                .collect();
            calls.into_iter().map(|call| call.join().unwrap()).collect()
        })
    }

    /// The users whose passwords stay valid call during the `disaster`, and are served each time.
    fn while_healthy_call(&self, gateways: &[SocketAddr], disaster: impl FnOnce()) {
        let is_over = AtomicBool::new(false);
        std::thread::scope(|scope| {
            for user in &self.users[..HEALTHY] {
                scope.spawn(|| {
                    let mut served = 0;
                    while !is_over.load(Ordering::SeqCst) || served == 0 {
                        for address in gateways {
                            let answer = exchange(*address, "GET", APPS, &user.token);
                            let answer = answer.expect("an answer");
                            assert_eq!(answer.status, 200, "{}: {answer:?}", user.name);
                            served += 1;
                        }
                    }
                });
            }
            let over = SetOnDrop(&is_over);
            disaster();
            drop(over);
        });
    }
}

/// Set even if the disaster panics; otherwise the users would call for ever.
struct SetOnDrop<'a>(&'a AtomicBool);

impl Drop for SetOnDrop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::SeqCst);
    }
}

fn are_refused(statuses: &[u16]) -> bool {
    statuses.iter().all(|status| matches!(status, 500 | 428))
}

/// 25 users are revoked at once while others call; then all gateways restart.
fn revoked_at_once(site: &Site, gateways: usize) {
    let (_, dead) = site.users.split_at(HEALTHY);
    let started: Vec<_> = (0..gateways).map(|_| site.gateway()).collect();
    let addresses: Vec<_> = started.iter().map(|it| it.address).collect();
    assert!(Site::storm(&site.users, &addresses).iter().all(|it| *it == 200));
    site.while_healthy_call(&addresses, || {
        site.revoke(&dead[..20]);
        for _ in 0..3 {
            let statuses = Site::storm(&dead[..20], &addresses);
            assert!(are_refused(&statuses), "{statuses:?}");
        }
    });
    assert!(site.nextcloud.failed_logins() <= 5);
    started.into_iter().for_each(Served::kill);

    site.revoke(&dead[20..]);
    let started: Vec<_> = (0..gateways).map(|_| site.gateway()).collect();
    let addresses: Vec<_> = started.iter().map(|it| it.address).collect();
    site.while_healthy_call(&addresses, || {
        let statuses = Site::storm(dead, &addresses);
        assert!(are_refused(&statuses), "{statuses:?}");
    });
    assert!(site.nextcloud.failed_logins() <= 5);
    assert_eq!(site.nextcloud.throttled_logins(), 0);
}

/// The gateway that has the permits is killed with refusals in flight, and another one takes
/// the permits over.
fn holder_killed(site: &Site) {
    let (_, dead) = site.users.split_at(HEALTHY);
    let holder = site.gateway();
    // It has the permits once it logs in by HTTP Basic.
    wait("it gets the permits", || {
        Site::storm(&site.users[..1], &[holder.address]);
        let last = site.nextcloud.seen().pop().unwrap();
        let field = last.headers["authorization"].to_str().unwrap();
        field.starts_with("Basic ")
    });
    assert!(Site::storm(&site.users, &[holder.address]).iter().all(|it| *it == 200));
    let other = site.gateway();
    site.revoke(dead);
    site.nextcloud.delay(Duration::from_millis(300));
    std::thread::scope(|scope| {
        scope.spawn(|| Site::storm(&dead[..10], &[holder.address]));
        // They have arrived and are not answered yet.
        wait("five are refused", || site.nextcloud.failed_logins() >= 5);
        holder.signal("KILL");
    });
    site.nextcloud.delay(Duration::from_millis(20));
    // Time for the other one to get the permits.
    std::thread::sleep(Duration::from_secs(1));
    let addresses = [other.address];
    site.while_healthy_call(&addresses, || {
        for _ in 0..3 {
            let statuses = Site::storm(dead, &addresses);
            assert!(are_refused(&statuses), "{statuses:?}");
        }
    });
    assert!(site.nextcloud.failed_logins() <= 10, "{}", site.nextcloud.failed_logins());
    assert_eq!(site.nextcloud.throttled_logins(), 0);
}

fn sqlite(dir: &Path) -> String {
    format!("sqlite:{}", dir.join("portreeve.db").display())
}

#[tokio::test(flavor = "multi_thread")]
async fn api_5_6_refusals_are_limited_when_25_users_are_revoked_on_1_gateway() {
    let site = Site::new(sqlite).await;
    tokio::task::block_in_place(|| revoked_at_once(&site, 1));
}

#[tokio::test(flavor = "multi_thread")]
async fn api_5_6_refusals_are_limited_when_25_users_are_revoked_on_2_sqlite_gateways() {
    let site = Site::new(sqlite).await;
    tokio::task::block_in_place(|| revoked_at_once(&site, 2));
}

#[tokio::test(flavor = "multi_thread")]
async fn api_5_6_refusals_are_limited_when_25_users_are_revoked_on_3_postgresql_gateways() {
    let Some(server) = tokio::task::block_in_place(shared) else {
        return;
    };
    let site = Site::new(|_| server.database()).await;
    tokio::task::block_in_place(|| revoked_at_once(&site, 3));
}

#[tokio::test(flavor = "multi_thread")]
async fn api_5_6_permits_pass_to_another_gateway_if_their_holder_is_killed_on_sqlite() {
    let site = Site::new(sqlite).await;
    tokio::task::block_in_place(|| holder_killed(&site));
}

#[tokio::test(flavor = "multi_thread")]
async fn api_5_6_permits_pass_to_another_gateway_if_their_holder_is_killed_on_postgresql() {
    let Some(server) = tokio::task::block_in_place(shared) else {
        return;
    };
    let site = Site::new(|_| server.database()).await;
    tokio::task::block_in_place(|| holder_killed(&site));
}

/// It may take no bearer tokens, or refuse all logins of an account that is disabled.
#[tokio::test(flavor = "multi_thread")]
async fn users_remove_says_destroyed_of_what_was_destroyed() {
    const PASSWORD: &str = "aaaaa-bbbbb-ccccc-ddddd-eeeee";

    let nextcloud = Nextcloud::start().await;
    nextcloud.answer("apppassword-delete");
    nextcloud.accounts([]);
    nextcloud.allow("alice", "alice", PASSWORD);
    nextcloud.refuse_bearer();
    let dir = tempfile::tempdir().unwrap();
    let remove = || {
        credentials(dir.path(), &["put", "--user", "alice"], PASSWORD);
        let mut remove = in_dir(dir.path(), &["users", "remove", "alice", "--revoke"]);
        let done = run(remove.env("PORTREEVE_GROUPWARE_URL", nextcloud.url()), "");
        assert!(done.status.success(), "{done:?}");
        text(&done.stderr).to_owned()
    };
    for (number, said, unsaid) in
        [(1, "destroyed and removed", "refused"), (2, "refused by Nextcloud", "destroyed")]
    {
        let line = tokio::task::block_in_place(remove);
        let line = line.lines().find(|line| line.contains("app password: ")).unwrap();
        assert!(line.contains(said) && !line.contains(unsaid), "{line}");
        let seen = nextcloud.seen();
        let deletions = seen.iter().filter(|seen| seen.method == "DELETE").count();
        assert_eq!(deletions, 2 * number, "each time as a bearer token, and by HTTP Basic");
    }
}
