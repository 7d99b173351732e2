//! Plays a test: starts a stand-in for Nextcloud and a gateway before it, and does what the lines say.

use std::collections::HashSet;
use std::panic::AssertUnwindSafe;
use std::time::Duration;

use futures_util::FutureExt as _;
use percent_encoding::percent_decode_str;
use portreeve::deliveries::{Deliveries, Limits, Networks, Queue, Sender};
use portreeve::gateway::{ClientAddress, Settings, UnboundedWebhooks};
use portreeve::groupware::{DeliveryAuth, EventClasses, Groupware};
use portreeve::server::Bounds;
use portreeve::vault::{AppPassword, Change, Keyring, SqliteStore, Table, Vault};
use tempfile::TempDir;

use crate::pattern::{Names, fill, json, matches, matches_text};
use crate::script::{Line, Test};
use crate::support::gateway::{Answer, PASSWORD, TestGateway, Unstarted, set};
use crate::support::nextcloud::{Fault, Nextcloud, Recording, Release, Seen, basic};

/// The address of a gateway with deliveries, and what their credentials are derived from.
const OWN_ADDRESS: &str = "https://gate.example.org";
const SECRET: &str = "the secret of deliveries";

/// A caller without a token.
const NOBODY: &str = "-";

/// What a line found, if it is not as wanted.
type Outcome = Result<(), String>;

struct Player<'a> {
    nextcloud: Nextcloud,
    gateway: TestGateway,
    names: Names,
    /// The requests that wait for the line that says what is wanted.
    asked: Vec<&'a Line>,
    /// How many of the server's requests were spoken of.
    spoken_of: usize,
    /// Of the stored deliveries.
    _dir: Option<TempDir>,
}

/// Fails with the row, what was wanted there and what came.
pub(crate) fn play(test: &Test) -> Outcome {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build();
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
        player
            .finish(test)
            .map_err(|what| at(test, last, "the end of the test", &what))
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
        let url = nextcloud.url().parse().unwrap();
        let groupware = Groupware::new(url, Default::default()).unwrap();
        let kept = settings.iter().find_map(|it| it.strip_prefix("deliveries"));
        let deliveries = match kept {
            Some(max) => Some(deliveries(max.trim().parse().ok()).await),
            None => None,
        };
        let (dir, deliveries) = deliveries.unzip();
        let change = |mut gateway: Unstarted| {
            gateway = gateway.deliveries(deliveries);
            if !settings.iter().any(|it| it == "without server") {
                gateway = gateway.groupware(groupware);
            }
            set(|it| set_all(it, &settings))(gateway)
        };
        let requests = test.lines.iter();
        let requests = requests.filter_map(|line| line.text.strip_prefix("> "));
        let callers: HashSet<_> = requests.filter_map(|it| it.split(' ').next()).collect();
        let callers: Vec<_> = callers.into_iter().map(token_of).collect();
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
            nextcloud,
            gateway,
            names,
            asked: Vec::new(),
            spoken_of: 0,
            _dir: dir,
        })
    }

    async fn line(&mut self, line: &'a Line) -> Outcome {
        let text = fill(&line.text, &self.names);
        let (word, rest) = text.split_once(' ').unwrap_or((&text, ""));
        match word {
            ">" => self.asked.push(line),
            "<" => {
                if self.asked.is_empty() {
                    return Err("answers no request".to_owned());
                }
                for asked in std::mem::take(&mut self.asked) {
                    let answer = self.ask(asked).await?;
                    self.expect(line, &answer).map_err(|what| {
                        format!("of line {}: {:.200}\n{what}", asked.number, asked.text)
                    })?;
                }
            }
            // At the start.
            "gateway" => {}
            "server" => self.server(line, rest).await?,
            "let" => {
                let (name, value) = rest.split_once(' ').unwrap_or((rest, ""));
                self.names.insert(name.to_owned(), value.to_owned());
            }
            "vault" => self.vault(rest).await?,
            "wait" => tokio::time::sleep(time(rest)?).await,
            _ => return Err(format!("there is no {word:?}")),
        }
        Ok(())
    }

    async fn ask(&self, line: &Line) -> Result<Answer, String> {
        let row = fill(&line.text[2..], &self.names);
        let words: Vec<_> = row.splitn(4, ' ').collect();
        let [name, method, path, body @ ..] = &words[..] else {
            return Err("no user, method and path".to_owned());
        };
        let mut head = format!("{method} {path} HTTP/1.1\r\n");
        if *name != NOBODY {
            head += &format!("Authorization: Bearer {}\r\n", self.gateway.token(name));
        }
        for (name, value) in &line.fields {
            let value = value.as_deref().unwrap_or_default();
            head += &format!("{name}: {}\r\n", with_login(&fill(value, &self.names)));
        }
        let body = body.first().copied().unwrap_or_default();
        Ok(self.gateway.send(&head, body).await)
    }

    fn expect(&mut self, line: &Line, answer: &Answer) -> Outcome {
        let came = || format!("came: {answer:?}");
        let row = fill(&line.text[2..], &self.names);
        let (status, wanted) = row.split_once(' ').unwrap_or((&row, ""));
        if status.parse() != Ok(answer.status) {
            return Err(came());
        }
        for secret in [PASSWORD, self.nextcloud.url()] {
            if answer.body.contains(secret) && !line.text.contains("<password>") {
                return Err(format!("shows {secret}; {}", came()));
            }
        }
        let is_wanted = match wanted.chars().next() {
            None => true,
            Some('=') => matches_text(&recorded(&wanted[2..]), &answer.body, &mut self.names),
            Some('{' | '[') => {
                let wanted = json(wanted)?;
                matches(&wanted, &answer.json(), &mut self.names)
            }
            Some(_) => {
                let (error, message) = wanted.split_once(": ").unwrap_or((wanted, "…"));
                let found = answer.assert_error(answer.status, error);
                matches_text(message, &found, &mut self.names)
            }
        };
        let found = |name: &str| answer.header(name).map(str::to_owned);
        if is_wanted && self.has_fields(line, found) {
            return Ok(());
        }
        Err(came())
    }

    /// Whether the header fields are as below `line`.
    fn has_fields(&mut self, line: &Line, found: impl Fn(&str) -> Option<String>) -> bool {
        line.fields
            .iter()
            .all(|(name, wanted)| match (wanted, found(name)) {
                (Some(wanted), Some(found)) => matches_text(
                    &with_login(&fill(wanted, &self.names)),
                    &found,
                    &mut self.names,
                ),
                (None, None) => true,
                _ => false,
            })
    }

    async fn server(&mut self, line: &Line, rest: &str) -> Outcome {
        let words: Vec<_> = rest.split(' ').collect();
        match words[..] {
            ["version", _] => {}
            ["answers", name] => self.nextcloud.answer(name),
            ["answers", name, "once"] => self.nextcloud.answer_once(name),
            ["answers", name, "to", user] => self.nextcloud.answer_for(user, name),
            ["answers", name, "with", status, ref body @ ..] => {
                let status = status.parse().map_err(|_| "no status".to_owned())?;
                self.nextcloud.answer_with(name, status, body.join(" "));
            }
            ["accounts"] => {
                let users = ["admin", "alice", "bob"].map(|user| (user, user, PASSWORD));
                self.nextcloud.accounts(users);
            }
            ["allows", user, login_name, password] => {
                self.nextcloud
                    .allow(&decoded(user), &decoded(login_name), password);
            }
            ["allows-account-password", user, password] => {
                self.nextcloud.allow_account_password(user, password);
            }
            ["revokes", login_name, password] => self.nextcloud.revoke(login_name, password),
            ["keeps", "webhooks"] => self.nextcloud.keep_webhooks(),
            ["fails", fault] => self.nextcloud.fault(fault_named(fault)?).await,
            ["heals"] => self.nextcloud.heal().await,
            ["delays", delay] => self.nextcloud.delay(time(delay)?),
            ["counts", failures, "failed", "logins"] => {
                let found = self.nextcloud.failed_logins();
                if failures.parse() != Ok(found) {
                    return Err(format!("came: {found}"));
                }
            }
            ["saw", ref wanted @ ..] => return self.saw(line, wanted),
            _ => return Err("the server can do no such thing".to_owned()),
        }
        Ok(())
    }

    /// `saw 2`, `saw GET /path`, `saw 2 GET /path`: the next are so many, and such; `saw 0`: there are no more.
    fn saw(&mut self, line: &Line, wanted: &[&str]) -> Outcome {
        let seen = self.nextcloud.seen();
        let new = &seen[self.spoken_of..];
        let came = || format!("came: {new:#?}");
        let count = wanted.first().and_then(|word| word.parse().ok());
        let wanted = if count.is_some() {
            &wanted[1..]
        } else {
            wanted
        };
        let count = count.unwrap_or(1);
        let is_all = wanted.is_empty();
        if new.len() < count || (count == 0 && !new.is_empty()) {
            return Err(came());
        }
        self.spoken_of += count;
        match new[..count]
            .iter()
            .all(|seen| is_all || self.is_as(line, wanted, seen))
        {
            true => Ok(()),
            false => Err(came()),
        }
    }

    fn is_as(&mut self, line: &Line, wanted: &[&str], seen: &Seen) -> bool {
        let [method, target, body @ ..] = wanted else {
            return false;
        };
        let found = String::from_utf8_lossy(&seen.body);
        let body = body.join(" ");
        let has_body = match body.chars().next() {
            None => true,
            Some('=') => matches_text(&body[2..], &found, &mut self.names),
            Some(_) => match (json(&body), serde_json::from_str(&found)) {
                (Ok(wanted), Ok(found)) => matches(&wanted, &found, &mut self.names),
                _ => false,
            },
        };
        let field = |name: &str| Some(seen.headers.get(name)?.to_str().ok()?.to_owned());
        seen.method.as_str() == *method
            && matches_text(target, &seen.target, &mut self.names)
            && has_body
            && self.has_fields(line, field)
    }

    async fn vault(&self, rest: &str) -> Outcome {
        let words: Vec<_> = rest.split(' ').collect();
        let found = match words[..] {
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
            ["forges", name, "from", other] => {
                let store = self.gateway.vault.store();
                let row = store.get(Table::Credential, other).await.unwrap();
                let mut row = (*row.ok_or("nothing is stored")?).clone();
                row.key = name.into();
                let forged = vec![Change::put(Table::Credential, row)];
                let done = store.commit("forge a credential", forged).await;
                return done.map(drop).map_err(|error| error.to_string());
            }
            ["has", name, ..] | ["lacks", name] => {
                let found = self.gateway.vault.credential(&decoded(name)).await;
                found.map_err(|error| error.to_string())?
            }
            _ => return Err("the vault can do no such thing".to_owned()),
        };
        let is_wanted = match (&words[..], &found) {
            (["lacks", _], None) | (["has", _], Some(_)) => true,
            (["has", _, login_name, password], Some(found)) => {
                found.login_name() == decoded(login_name) && found.password().expose() == *password
            }
            _ => false,
        };
        if is_wanted {
            Ok(())
        } else {
            Err(format!("came: {found:?}"))
        }
    }

    /// Who speaks of the server's requests speaks of all of them.
    fn finish(&self, test: &Test) -> Outcome {
        if !self.asked.is_empty() {
            return Err("a request without a line that says what is wanted".to_owned());
        }
        let speaks = test
            .lines
            .iter()
            .any(|line| line.text.starts_with("server saw"));
        let seen = self.nextcloud.seen();
        if speaks && seen.len() > self.spoken_of {
            return Err(format!(
                "the server saw more: {:?}",
                &seen[self.spoken_of..]
            ));
        }
        Ok(())
    }
}

/// What a gateway with deliveries keeps in a folder, up to `max` bytes; its targets may be on loopback. Nothing sends.
async fn deliveries(max: Option<u64>) -> (TempDir, (Deliveries, Sender)) {
    let dir = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(dir.path().join("deliveries.db"))
        .await
        .unwrap();
    let queue = Queue::in_sqlite(&store).unwrap();
    let vault = Vault::new(Keyring::generate().unwrap(), store);
    let default = Limits::default();
    let max = max.unwrap_or(default.max);
    let limits = Limits { max, ..default };
    let networks = Networks::new(["127.0.0.0/8".parse().unwrap()]);
    let sender = Sender::with_system_roots(networks, []).unwrap();
    (dir, (Deliveries::new(vault, queue, limits), sender))
}

/// The token of a caller: `carol`, or `carol[admin]` with scopes.
fn token_of(caller: &str) -> (String, String, Vec<String>) {
    let (user, scopes) = match caller.strip_suffix(']').and_then(|it| it.split_once('[')) {
        Some((user, scopes)) => (user, scopes.split(',').map(str::to_owned).collect()),
        None => (caller, Vec::new()),
    };
    (caller.to_owned(), decoded(user), scopes)
}

/// A name with `%20` for a space, as in a URL.
fn decoded(word: &str) -> String {
    percent_decode_str(word).decode_utf8_lossy().into_owned()
}

/// A text with the `data` of a recorded answer in place of `<data of NAME>`.
fn recorded(text: &str) -> String {
    let Some((before, rest)) = text.split_once("<data of ") else {
        return text.to_owned();
    };
    let (name, after) = rest.split_once('>').expect("the name of a recording");
    let body = Recording::load(name).response.body.unwrap();
    let (_, data) = body.split_once("\"data\":").unwrap();
    format!("{before}{}{after}", data.strip_suffix("}}").unwrap())
}

/// A value of `Authorization`, with `basic LOGIN PASSWORD` encoded.
fn with_login(value: &str) -> String {
    let words: Vec<_> = value.split(' ').collect();
    match words[..] {
        ["basic", login_name, password] => basic(&decoded(login_name), &decoded(password)),
        _ => value.to_owned(),
    }
}

fn time(text: &str) -> Result<Duration, String> {
    humantime::parse_duration(text).map_err(|error| error.to_string())
}

fn fault_named(name: &str) -> Result<Fault, String> {
    let page = name.strip_prefix("page-").and_then(|it| it.parse().ok());
    Ok(match name {
        "close" => Fault::Close,
        "reset" => Fault::Reset,
        "short-body" => Fault::ShortBody,
        "garbage" => Fault::GarbageStatusLine,
        "redirect" => Fault::Redirect,
        "slow-headers" => Fault::SlowHeaders,
        _ => Fault::Page(page.ok_or_else(|| format!("there is no fault {name}"))?),
    })
}

fn set_all(settings: &mut Settings, lines: &[String]) {
    for line in lines {
        let (name, value) = line.split_once(' ').unwrap_or((line, ""));
        match name {
            "without" => {}
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
            "max_body" => settings.max_body = value.parse().unwrap(),
            _ => panic!("the gateway has no setting {name}"),
        }
    }
}
