//! Plays a test: starts a stand-in for Nextcloud and a gateway before it, and does what the lines say.

use std::collections::HashSet;
use std::panic::AssertUnwindSafe;
use std::time::{Duration, Instant};

use futures_util::FutureExt as _;
use portreeve::deliveries::{Deliveries, Limits, Networks, Queue, Worker};
use portreeve::gateway::{BearerLogins, ClientAddress, PageLogin, Settings, UnboundedWebhooks};
use portreeve::groupware::{DeliveryAuth, EventClasses, Groupware};
use portreeve::server::Bounds;
use portreeve::vault::{AppPassword, Change, Keyring, SqliteStore, Table, Vault};
use tempfile::TempDir;

use crate::pattern::{Names, fill};
use crate::script::{Line, Test};
use crate::support::gateway::{PASSWORD, TestGateway, Unstarted, set};
use crate::support::nextcloud::{Nextcloud, Release};
use crate::talk::{LONGEST, Outcome, Talk, decoded, time};

/// The address of a gateway with deliveries, and what their credentials are derived from.
const OWN_ADDRESS: &str = "https://gate.example.org";
const SECRET: &str = "the secret of deliveries";

struct Player<'a> {
    talk: Talk<'a>,
    gateway: TestGateway,
    settings: Vec<String>,
    /// Of the stored deliveries.
    _dir: Option<TempDir>,
}

/// Fails with the row, what was wanted there and what came.
pub(crate) fn play(test: &Test) -> Outcome {
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
    runtime.unwrap().block_on(async {
        let mut player = Player::start(test).await?;
        let mut last = 0;
        for line in &test.lines {
            last = line.number;
            let done = AssertUnwindSafe(player.line(line)).catch_unwind().await;
            let done = done.unwrap_or_else(|panic| {
                let text = panic.downcast::<String>();
                Err(text.map_or_else(|_| "a panic".to_owned(), |text| *text))
            });
            done.map_err(|what| at(test, line.number, &line.shown(), &what))?;
        }
        player.talk.finish(test).map_err(|what| at(test, last, "the end of the test", &what))
    })
}

fn at(test: &Test, number: usize, row: &str, what: &str) -> String {
    format!("{}.txt:{number}: {row}\n{what}", test.file)
}

// === impl Player ===

impl<'a> Player<'a> {
    async fn start(test: &Test) -> Result<Self, String> {
        let settings = |word: &str| {
            let lines = test.lines.iter();
            let values = lines.filter_map(move |line| line.text.strip_prefix(word));
            values.map(str::to_owned).collect::<Vec<_>>()
        };
        let is_new = settings("server version ").iter().any(|it| it == "34");
        let nextcloud = Nextcloud::of(if is_new { Release::V34 } else { Release::V32 }).await;
        let settings = settings("gateway ");
        let settings = settings.into_iter();
        let settings: Vec<_> = settings.filter(|it| !it.starts_with("restarts")).collect();
        let url = nextcloud.url().parse().unwrap();
        let groupware = Groupware::new(url, Default::default()).unwrap();
        let kept = settings.iter().find_map(|it| it.strip_prefix("deliveries"));
        let deliveries = match kept {
            Some(max) => Some(deliveries(max.trim().parse().ok()).await),
            None => None,
        };
        let (dir, deliveries) = deliveries.unzip();
        let change = |gateway: Unstarted| {
            let mut gateway = set(|it| set_all(it, &settings))(gateway);
            if let Some(worker) = deliveries {
                gateway = gateway.deliveries(worker);
            }
            if !settings.iter().any(|it| it == "without server") {
                gateway = gateway.groupware(groupware);
            }
            gateway
        };
        let requests = test.lines.iter().filter(|it| it.text.starts_with('>'));
        let callers: HashSet<_> = requests.flat_map(Line::callers).collect();
        let callers: Vec<_> = callers.iter().map(|it| token_of(it)).collect();
        let gateway = TestGateway::for_users(Bounds::default(), &callers, change).await;
        let mut names = Names::from([("password".to_owned(), PASSWORD.to_owned())]);
        if dir.is_some() {
            let auth = DeliveryAuth::derived(SECRET.into()).unwrap();
            for (name, path) in [
                ("credential", "/webhooks/nextcloud"),
                ("query credential", "/webhooks/nextcloud?preset=files"),
                ("callback credential", "/api/v1/webhooks/callback"),
            ] {
                let field = auth.authorization_for(&format!("{OWN_ADDRESS}{path}"));
                let value = field.expose().trim_start_matches("Bearer ").to_owned();
                names.insert(name.to_owned(), value);
            }
        }
        for (caller, ..) in &callers {
            names.insert(format!("token {caller}"), gateway.token(caller).to_owned());
        }
        Ok(Self {
            talk: Talk::new(nextcloud, Some(gateway.address), names),
            gateway,
            settings,
            _dir: dir,
        })
    }

    async fn line(&mut self, line: &'a Line) -> Outcome {
        if self.talk.line(line).await? {
            return Ok(());
        }
        let text = fill(&line.text, &self.talk.names);
        match text.split_once(' ').unwrap_or((&text, "")) {
            ("gateway", rest) if let Some(more) = rest.strip_prefix("restarts") => {
                let mut settings = self.settings.clone();
                settings.push(more.trim_start().to_owned());
                let change = set(|it| set_all(it, &settings));
                let url = self.talk.nextcloud.url();
                self.gateway = self.gateway.again(url, change).await;
                self.talk.address = Some(self.gateway.address);
            }
            // At the start.
            ("gateway", _) => {}
            ("vault", rest) => self.vault(rest).await?,
            ("users", count) => {
                for number in 1..=count.parse().map_err(|_| "no number")? {
                    let name = format!("u{number}");
                    let password = format!("{number:05}-aaaaa-bbbbb-ccccc-ddddd");
                    self.talk.nextcloud.allow(&name, &name, &password);
                    self.vault(&format!("stores {name} {name} {password}")).await?;
                    self.talk.names.insert(name, password);
                }
            }
            (word, _) => return Err(format!("there is no {word:?}")),
        }
        Ok(())
    }

    async fn vault(&self, rest: &str) -> Outcome {
        let words: Vec<_> = rest.split(' ').collect();
        let name = match words[..] {
            ["stores", name, login_name, password] => {
                let password = AppPassword::new(password).map_err(|error| error.to_string())?;
                let (user, login_name) = (decoded(name), decoded(login_name));
                let stored = self.gateway.vault.put(&user, &login_name, &password);
                return stored.await.map(drop).map_err(|error| error.to_string());
            }
            ["removes", name] => {
                let removed = self.gateway.vault.remove(&decoded(name)).await;
                return removed.map(drop).map_err(|error| error.to_string());
            }
            ["suspends", name] => {
                let stored = self.gateway.vault.credential(name).await.unwrap();
                let revision = stored.ok_or("nothing is stored")?.revision;
                let done = self.gateway.vault.suspend(name, revision).await;
                return done.map(drop).map_err(|error| error.to_string());
            }
            ["forges", name, "from", other] => {
                let store = self.gateway.vault.store();
                let row = store.get(Table::Credential, other).await.unwrap();
                let mut row = (*row.ok_or("nothing is stored")?).clone();
                row.key = name.into();
                let forged = vec![Change::put(Table::Credential, row)];
                let done = store.commit("forge a credential", forged).await;
                return done.map(drop).map_err(|error| error.to_string());
            }
            ["has", name, ..] | ["lacks", name] => name,
            _ => return Err("the vault can do no such thing".to_owned()),
        };
        let began = Instant::now();
        loop {
            let found = self.gateway.vault.credential(&decoded(name)).await;
            let found = found.map_err(|error| error.to_string())?;
            let is_wanted = match (&words[..], &found) {
                (["lacks", _], None) | (["has", _], Some(_)) => true,
                (["has", _, "suspended"], Some(found)) => found.suspended_at.is_some(),
                (["has", _, login_name, password], Some(found)) => {
                    *found.login_name == *decoded(login_name)
                        && found.password.expose() == *password
                }
                _ => false,
            };
            if is_wanted {
                return Ok(());
            }
            if words[0] == "lacks" || began.elapsed() > LONGEST {
                return Err(format!("came: {found:?}"));
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }
}

/// What a gateway with deliveries keeps in a folder, up to `max` bytes; its targets may be on loopback. Nothing sends.
async fn deliveries(max: Option<u64>) -> (TempDir, Worker) {
    let dir = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(dir.path().join("portreeve.db")).await.unwrap();
    let queue = Queue::in_sqlite(&store);
    let vault = Vault::new(Keyring::generate().unwrap(), store);
    let mut limits = Limits::default();
    limits.max = max.unwrap_or(limits.max);
    let networks = Networks::new(["127.0.0.0/8".parse().unwrap()]);
    let deliveries = Deliveries::new(vault, queue, limits);
    (dir, Worker::new(deliveries, networks))
}

/// The token of a caller: `carol`, or `carol[admin]` with scopes.
fn token_of(caller: &str) -> (String, String, Vec<String>) {
    let (user, scopes) = match caller.strip_suffix(']').and_then(|it| it.split_once('[')) {
        Some((user, scopes)) => (user, scopes.split(',').map(str::to_owned).collect()),
        None => (caller, Vec::new()),
    };
    (caller.to_owned(), decoded(user), scopes)
}

fn set_all(settings: &mut Settings, lines: &[String]) {
    for line in lines {
        let (name, value) = line.split_once(' ').unwrap_or((line, ""));
        match name {
            "" | "without" => {}
            "deliveries" => {
                settings.delivery = Some(DeliveryAuth::derived(SECRET.into()).unwrap());
                settings.public_url = Some(OWN_ADDRESS.parse().unwrap());
            }
            "shared_key" => settings.shared_key = Some(value.into()),
            "webhook_secret" => {
                settings.delivery = Some(DeliveryAuth::derived(value.into()).unwrap());
            }
            "issuer" => settings.issuer = Some(value.into()),
            "public_url" => settings.public_url = Some(value.parse().unwrap()),
            "scope" => settings.scopes.push(value.into()),
            "groupware_public_url" => {
                settings.groupware_public_url = Some(value.parse().unwrap());
            }
            "page" => {
                settings.public_url = Some(OWN_ADDRESS.parse().unwrap());
                settings.page = Some(PageLogin::Paste);
            }
            "public_status" => settings.public_status = value == "on",
            "client_address" => {
                settings.client_address = match value {
                    "forwarded" => ClientAddress::forwarded([]),
                    _ => ClientAddress::forwarded([value.parse().unwrap()]),
                };
            }
            "trusts" => settings.event_classes = EventClasses::trusting([value]),
            "refuses" => settings.unbounded_webhooks = UnboundedWebhooks::Refuse,
            "admin_scope" => settings.administrators.scope = Some(value.into()),
            "reveals" => settings.administrators.reveal = true,
            "request_timeout" => settings.request_timeout = time(value).unwrap(),
            "refused_retry" => settings.logins.refused_retry = time(value).unwrap(),
            "unlimited" => settings.logins.refused_login_budget = None,
            "bearer" => settings.logins.bearer = BearerLogins::Off,
            "max_in_flight" => settings.max_in_flight = value.parse().unwrap(),
            "max_in_flight_per_caller" => {
                settings.max_in_flight_per_caller = value.parse().unwrap();
            }
            "max_body" => settings.max_body = value.parse().unwrap(),
            _ => panic!("the gateway has no setting {name}"),
        }
    }
}
