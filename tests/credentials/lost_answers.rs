//! Changes of a PostgreSQL whose answers are lost (docs/API.md, sections 6.3 and 12.1).

use std::sync::Arc;
use std::time::Duration;

use portreeve::audit::Outcome;
use portreeve::deliveries::{Deliveries, Limits, Networks, NewReceipt, Queue, ReceiptId, Worker};
use portreeve::gateway::{Gateway, Settings};
use portreeve::groupware::DeliveryAuth;
use portreeve::vault::{AppPassword, Keyring, PostgresOptions, PostgresStore, Vault, VaultError};
use serde_json::json;

use crate::audit_records::Kept;
use crate::support::cutter::{Cut, Cutter};
use crate::support::gateway::{Answer, PASSWORD, TestGateway};
use crate::support::nextcloud::Nextcloud;
use crate::support::postgres::{self, Postgres};

const ADDRESS: &str = "https://gate.example.org";
const NOT_KNOWN: &str =
    "It is not known whether the request was carried out: look before you repeat it.";
const AWAY: &str = "The stored credentials cannot be reached at the moment";

/// A gateway of `alice` whose database is behind a proxy.
struct Behind {
    server: &'static Postgres,
    database: String,
    cutter: Cutter,
    gateway: TestGateway,
    audit: Arc<Kept>,
    credential: String,
    nextcloud: Nextcloud,
}

impl Behind {
    /// One that waits for the database for so long; `None` if there is no PostgreSQL.
    async fn start(timeout: Duration) -> Option<Self> {
        let server = tokio::task::block_in_place(postgres::shared)?;
        let url = server.database();
        let cutter = Cutter::before(server.port).await;
        let mut options: PostgresOptions = cutter.through(&url).parse().unwrap();
        options.timeout = timeout;
        let store = PostgresStore::open(options).await.unwrap();
        let queue = Queue::in_postgres(&store);
        let vault = Vault::new(Keyring::generate().unwrap(), store);
        let deliveries = Deliveries::new(vault.clone(), queue, Limits::default());
        let worker = Worker::new(deliveries, Networks::default());
        let auth = DeliveryAuth::derived("a secret".into()).unwrap();
        let credential = auth.authorization_for(&format!("{ADDRESS}/webhooks/nextcloud"));
        let nextcloud = Nextcloud::start().await;
        nextcloud.answer("user-alice");
        nextcloud.accounts([("alice", "alice", PASSWORD)]);
        let audit = Arc::new(Kept::default());
        let mut gateway = TestGateway::before(nextcloud.url()).await;
        gateway.vault = vault;
        let change = |gateway: Gateway<_>| {
            let mut settings = Settings::default();
            settings.delivery = Some(auth);
            settings.public_url = Some(ADDRESS.parse().unwrap());
            let gateway = gateway.settings(settings).audit(audit.clone());
            gateway.deliveries(worker)
        };
        Some(Self {
            database: url.rsplit('/').next().unwrap().to_owned(),
            gateway: gateway.beside(nextcloud.url(), change).await,
            server,
            cutter,
            audit,
            credential: credential.expose().to_owned(),
            nextcloud,
        })
    }

    /// Runs SQL in the database, by no way of the proxy.
    fn psql(&self, sql: &str) -> String {
        tokio::task::block_in_place(|| self.server.psql(&self.database, sql))
    }

    /// Rows of a table.
    fn count(&self, table: &str) -> String {
        self.psql(&format!("SELECT count(*) FROM portreeve.{table}"))
    }

    /// Makes each insertion of a password do something.
    fn on_insertion(&self, sql: &str) {
        self.psql(&format!(
            "CREATE FUNCTION portreeve.obstacle() RETURNS trigger LANGUAGE plpgsql AS \
             $$ BEGIN {sql}; RETURN NEW; END $$; \
             CREATE TRIGGER obstacle BEFORE INSERT ON portreeve.credential \
             FOR EACH ROW EXECUTE FUNCTION portreeve.obstacle()"
        ));
    }

    /// Stores a password; returns the message, and the outcome in the audit log.
    async fn store(&self) -> (String, Outcome) {
        let path = "/api/v1/background-sync/credentials";
        let body = json!({ "appPassword": PASSWORD }).to_string();
        let answer = self.gateway.call("alice", "POST", path, &body).await;
        let message = answer.assert_error(500, "Internal error");
        let records = std::mem::take(&mut *self.audit.0.lock().unwrap());
        let [record] = &records[..] else {
            panic!("{records:?}");
        };
        let said = record.reason.as_deref().unwrap();
        let is_unknown = record.outcome == Outcome::Unknown;
        assert_eq!(said.contains("it may have been done"), is_unknown, "{said}");
        (message, record.outcome)
    }

    /// Delivers an event, as the groupware server does.
    async fn deliver(&self) -> Answer {
        let head =
            format!("POST /webhooks/nextcloud HTTP/1.1\r\nAuthorization: {}\r\n", self.credential);
        self.gateway.send(&head, r#"{"event":{"class":"A"}}"#).await
    }

    /// Delivers an event that cannot be kept, as far as is known; returns the reason.
    async fn deliver_in_vain(&self) -> String {
        let answer = self.deliver().await;
        assert_eq!(answer.status, 503, "{answer:?}");
        assert_eq!(answer.header("retry-after"), Some("5"));
        let body = answer.json();
        assert_eq!(body["status"], "unavailable");
        body["reason"].as_str().unwrap().to_owned()
    }
}

const PATIENT: Duration = Duration::from_secs(60);
const HASTY: Duration = Duration::from_secs(3);
/// As an administrator or a restart ends connections.
const TERMINATE: &str = "PERFORM pg_terminate_backend(pg_backend_pid()); PERFORM pg_sleep(60)";

/// The statement of a transaction that adds receipts after which the others come, and the commit with them.
const TOTAL: &str = "FROM portreeve.receipt_total HAVING";

fn not_known(cause: &str) -> String {
    format!("{cause}. {NOT_KNOWN}")
}

#[tokio::test(flavor = "multi_thread")]
async fn api_6_3_a_password_may_be_stored_although_the_answer_of_the_database_is_lost() {
    let Some(behind) = Behind::start(PATIENT).await else {
        return;
    };
    behind.cutter.set(Cut::After("INSERT INTO portreeve.credential"));
    let unknown = (not_known(AWAY), Outcome::Unknown);
    assert_eq!(behind.store().await, unknown);
    assert!(behind.cutter.has_cut());
    assert_eq!(behind.count("credential"), "1");
    let stored = behind.gateway.vault.credential("alice").await.unwrap();
    assert_eq!(stored.unwrap().password.expose(), PASSWORD);
}

#[tokio::test(flavor = "multi_thread")]
async fn api_6_3_a_password_may_be_stored_after_the_time_to_answer() {
    let Some(behind) = Behind::start(HASTY).await else {
        return;
    };
    behind.cutter.set(Cut::Hold("FROM portreeve.credential "));
    let read = behind.gateway.vault.credential("alice").await;
    let Err(VaultError::Store(error)) = read else {
        panic!("{read:?}");
    };
    assert!(behind.cutter.has_cut());
    assert!(!error.is_effect_unknown, "a read changes nothing");
    behind.cutter.set(Cut::Hold("INSERT INTO portreeve.credential"));
    let unknown = (not_known(AWAY), Outcome::Unknown);
    assert_eq!(behind.store().await, unknown);
    assert_eq!(behind.count("credential"), "1");
}

#[tokio::test(flavor = "multi_thread")]
async fn api_6_3_the_end_of_a_connection_that_is_announced_is_no_answer() {
    let Some(behind) = Behind::start(PATIENT).await else {
        return;
    };
    behind.on_insertion(TERMINATE);
    let unknown = (not_known(AWAY), Outcome::Unknown);
    assert_eq!(behind.store().await, unknown);
    assert_eq!(behind.count("credential"), "0");
}

#[tokio::test(flavor = "multi_thread")]
async fn api_6_3_what_the_database_refuses_or_is_never_sent_is_not_done() {
    let Some(behind) = Behind::start(PATIENT).await else {
        return;
    };
    behind.on_insertion("RAISE 'no'");
    let failed = (AWAY.to_owned(), Outcome::Failed);
    assert_eq!(behind.store().await, failed);
    behind.psql("DROP FUNCTION portreeve.obstacle CASCADE");
    behind.cutter.set(Cut::Now);
    assert_eq!(behind.store().await, failed);
    let password = AppPassword::new(PASSWORD).unwrap();
    let stored = behind.gateway.vault.put("alice", "alice", &password).await;
    let Err(VaultError::Store(error)) = stored else {
        panic!("{stored:?}");
    };
    assert!(!error.is_effect_unknown);
    let said = error.to_string();
    // The scopes of the one before are read first.
    assert!(said.starts_with("cannot read a credential"), "{said}");
    assert!(!said.contains("may have been done"), "{said}");
    assert_eq!(behind.count("credential"), "0");
}

#[tokio::test(flavor = "multi_thread")]
async fn api_12_1_a_delivery_may_be_kept_although_the_answer_of_the_database_is_lost() {
    let Some(behind) = Behind::start(PATIENT).await else {
        return;
    };
    behind.cutter.set(Cut::After("COMMIT"));
    let reason = behind.deliver_in_vain().await;
    assert_eq!(reason, not_known("queue unavailable"));
    assert!(behind.cutter.has_cut());
    assert_eq!(behind.count("receipt"), "1");
    // It is sent again.
    assert_eq!(behind.deliver().await.status, 200);
    assert_eq!(behind.count("receipt"), "2");
}

#[tokio::test(flavor = "multi_thread")]
async fn api_12_1_a_delivery_may_be_kept_after_the_time_to_answer() {
    let Some(behind) = Behind::start(HASTY).await else {
        return;
    };
    behind.cutter.set(Cut::Hold("COMMIT"));
    let reason = behind.deliver_in_vain().await;
    assert_eq!(reason, not_known("queue unavailable"));
    assert_eq!(behind.count("receipt"), "1");
}

#[tokio::test(flavor = "multi_thread")]
async fn api_12_1_a_delivery_whose_commit_is_not_sent_is_not_kept() {
    let Some(behind) = Behind::start(HASTY).await else {
        return;
    };
    for cut in [Cut::Before(TOTAL), Cut::After(TOTAL), Cut::Hold(TOTAL)] {
        behind.cutter.set(cut);
        assert_eq!(behind.deliver_in_vain().await, "queue unavailable");
        assert!(behind.cutter.has_cut());
    }
    // The commit goes with it, so that the gateway has sent that.
    behind.cutter.set(Cut::Before("INSERT INTO portreeve.receipt "));
    assert_eq!(behind.deliver_in_vain().await, not_known("queue unavailable"));
    assert_eq!(behind.count("receipt"), "0");
    assert_eq!(behind.deliver().await.status, 200);
}

/// In the middle of a transaction, for as long as the others wait for its lock, and longer.
#[tokio::test(flavor = "multi_thread")]
async fn a_gateway_that_stands_still_makes_no_other_refuse_a_delivery() {
    let Some(behind) = Behind::start(Duration::from_secs(8)).await else {
        return;
    };
    let url = behind.server.url(&behind.database);
    let mut options: PostgresOptions = url.parse().unwrap();
    options.timeout = Duration::from_secs(6);
    let other = Queue::in_postgres(&PostgresStore::open(options).await.unwrap());
    behind.cutter.set(Cut::Hold(TOTAL));
    let inserting = async {
        while !behind.cutter.has_cut() {
            tokio::task::yield_now().await;
        }
        let receipt = NewReceipt {
            id: ReceiptId::random().unwrap(),
            account: None,
            class: "A".into(),
            sealed: vec![7; 100].into(),
        };
        other.insert(receipt, 1 << 20).await
    };
    let (inserted, _) = tokio::join!(inserting, behind.deliver());
    inserted.unwrap();
    assert_eq!(behind.count("receipt"), "1");
}

const FLOW: &str = "/api/v1/background-sync/login-flow";
const GRANTED: &str = "FAKEAppPasswordFromLoginFlow00000000000000000000000000000000000000000000";

/// Has a login flow granted, and the connection cut at the write of the password, after which `away` is awaited. The
/// server hands it out once: it must be neither lost nor destroyed.
async fn is_kept(cut: impl Fn(&'static str) -> Cut, away: impl AsyncFn(&Behind)) {
    let Some(behind) = Behind::start(PATIENT).await else {
        return;
    };
    let (gateway, nextcloud) = (&behind.gateway, &behind.nextcloud);
    nextcloud.accounts([("alice", "alice", GRANTED)]);
    nextcloud.answer("login-flow-v2-init");
    nextcloud.answer("apppassword-delete");
    let started = gateway.call("alice", "POST", FLOW, "").await.json();
    let path = format!("{FLOW}/{}", started["flow_id"].as_str().unwrap());
    nextcloud.answer_once("login-flow-v2-poll-after-grant");
    nextcloud.holds();
    let cutting = async {
        // What precedes the poll is written already.
        nextcloud.until_seen(2).await;
        behind.cutter.set(cut("UPDATE portreeve.login_flow"));
        nextcloud.goes_on();
        while !behind.cutter.has_cut() {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        away(&behind).await;
    };
    let (answer, ()) = tokio::join!(gateway.call("alice", "GET", &path, ""), cutting);
    assert_eq!(answer.json(), json!({"status": "granted"}));
    let mut seen = nextcloud.seen().into_iter();
    assert!(seen.all(|seen| seen.method != "DELETE"));
    let stored = gateway.vault.credential("alice").await.unwrap();
    assert_eq!(stored.unwrap().password.expose(), GRANTED);
}

#[tokio::test(flavor = "multi_thread")]
async fn api_5_5_a_granted_password_is_kept_although_the_answer_of_the_database_is_lost() {
    is_kept(Cut::Before, async |_| {}).await;
    is_kept(Cut::After, async |_| {}).await;
}

/// For longer than a write is tried again that has not been done.
#[tokio::test(flavor = "multi_thread")]
async fn api_5_5_a_granted_password_is_kept_although_the_database_is_away_afterwards() {
    let away = async |behind: &Behind| {
        behind.cutter.set(Cut::Now);
        tokio::time::sleep(Duration::from_secs(20)).await;
        behind.cutter.set(Cut::Never);
    };
    is_kept(Cut::After, away).await;
}
