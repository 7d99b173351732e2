//! Opening the database: addresses, passwords, TLS, and its tables.

use std::os::unix::fs::PermissionsExt as _;
use std::time::Duration;

use futures_util::future::join_all;
use portreeve::vault::{PostgresOpenError, PostgresOptions, PostgresStore};
use secrecy::SecretString;

use super::{name, open, options, server, until, vault};
use crate::suite::{held, password, put};
use crate::support::postgres::Postgres;

fn with_password(url: &str, password: &str) -> PostgresOptions {
    let mut options = options(url);
    options.password = Some(SecretString::from(password));
    options
}

#[tokio::test(flavor = "multi_thread")]
async fn a_unix_socket_works() {
    let Some(server) = server() else { return };
    let url = server.database();
    let database = name(&url);
    let socket = server.socket();
    let url = format!("postgres://port@/{database}?host={}&port={}", socket.display(), server.port);
    let vault = vault(&open(&url).await);
    put(&vault, "alice", 1).await;
    assert!(held(&vault, "alice").await.is_some());
}

/// User ids have any characters: there each one beyond Latin would fail later, and receipts with it.
#[tokio::test(flavor = "multi_thread")]
async fn a_database_that_cannot_store_all_texts_is_refused() {
    let Some(server) = server() else { return };
    let of_latin =
        "CREATE DATABASE latin TEMPLATE template0 ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C'";
    tokio::task::block_in_place(|| server.psql("postgres", of_latin));
    let refused = PostgresStore::open(options(&server.url("latin"))).await;
    let refused = refused.unwrap_err().to_string();
    assert!(refused.contains("its encoding is LATIN1"), "{refused}");
}

/// The first address is dead, the second one is read-only.
#[tokio::test(flavor = "multi_thread")]
async fn the_writable_address_is_chosen() {
    let Some(server) = server() else { return };
    let url = server.database();
    let database = name(&url);
    let Some(standby) = tokio::task::block_in_place(|| {
        Postgres::start_with(&["default_transaction_read_only = on"])
    }) else {
        return;
    };
    standby.psql("postgres", &format!("CREATE DATABASE {database}"));
    let url = format!(
        "postgres://port@127.0.0.1:1,127.0.0.1:{},127.0.0.1:{}/{database}",
        standby.port, server.port
    );
    let vault = vault(&open(&url).await);
    put(&vault, "alice", 1).await;
    assert_eq!(server.psql(database, "SELECT count(*) FROM portreeve.credential"), "1");
}

#[tokio::test(flavor = "multi_thread")]
async fn unreachable_addresses_are_named_without_a_password() {
    let Some(server) = server() else { return };
    let url = "postgres://port@127.0.0.1:1,localhost:2/gate?sslmode=require";
    let refused = PostgresStore::open(with_password(url, "hunter22")).await;
    let said = refused.unwrap_err().to_string();
    for part in ["postgres://port@127.0.0.1:1,localhost:2/gate", "127.0.0.1:1: ", "localhost:2: "] {
        assert!(said.contains(part), "{said}");
    }
    assert!(!said.contains("hunter22"), "{said}");
    let missing = with_password(&server.url("no_such_database"), "hunter22");
    let said = format!("{:?}", PostgresStore::open(missing).await.unwrap_err());
    assert!(said.contains("createdb") && !said.contains("hunter22"), "{said}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_password_comes_from_its_setting_or_from_the_file() {
    let Some(server) = tokio::task::block_in_place(Postgres::start) else {
        return;
    };
    let url = server.database();
    server.psql(
        "postgres",
        "SET password_encryption = 'scram-sha-256'; ALTER ROLE port PASSWORD 'hunter:22\\'",
    );
    let hba = server.data().join("pg_hba.conf");
    std::fs::write(&hba, "local all all trust\nhost all all 127.0.0.1/32 scram-sha-256\n").unwrap();
    server.signal("HUP");
    // The server reads the file a moment later.
    until(async || PostgresStore::open(options(&url)).await.is_err()).await;
    let refused = PostgresStore::open(options(&url)).await.unwrap_err();
    assert!(matches!(refused, PostgresOpenError::NoPassword { .. }), "{refused}");
    let wrong = with_password(&url, "another");
    let said = PostgresStore::open(wrong).await.unwrap_err().to_string();
    assert!(said.contains("password") && !said.contains("another"), "{said}");
    let right = with_password(&url, "hunter:22\\");
    PostgresStore::open(right).await.unwrap();

    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("pgpass");
    // The first line that fits counts.
    let lines = format!(
        "# a comment\nbroken line\n127.0.0.1:1:*:port:wrong\n\
         127.0.0.1:{}:*:port:hunter\\:22\\\\:ignored\n*:*:*:*:last\n",
        server.port
    );
    std::fs::write(&file, lines).unwrap();
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o600)).unwrap();
    let mut with_file = options(&url);
    with_file.pass_file = Some(file.clone());
    PostgresStore::open(with_file).await.unwrap();
    let url = format!("{url}?passfile={}", file.display());
    PostgresStore::open(options(&url)).await.unwrap();
    std::fs::write(&file, "another:*:*:*:hunter22\n").unwrap();
    let said = PostgresStore::open(options(&url)).await.unwrap_err();
    let said = said.to_string();
    assert!(said.contains("no line for 127.0.0.1:") && !said.contains("hunter22"), "{said}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_certificate_is_checked_as_sslmode_says() {
    let certified = rcgen::generate_simple_self_signed(vec!["db.example.org".to_owned()]).unwrap();
    let Some(server) = tokio::task::block_in_place(Postgres::start) else {
        return;
    };
    let (cert, key) = (server.data().join("server.crt"), server.data().join("server.key"));
    std::fs::write(&cert, certified.cert.pem()).unwrap();
    std::fs::write(&key, certified.signing_key.serialize_pem()).unwrap();
    std::fs::set_permissions(&key, std::fs::Permissions::from_mode(0o600)).unwrap();
    for file in [&cert, &key] {
        let data = std::fs::metadata(server.data()).unwrap();
        use std::os::unix::fs::MetadataExt as _;
        std::os::unix::fs::chown(file, Some(data.uid()), Some(data.gid())).unwrap();
    }
    let url = server.database();
    let unencrypted = PostgresStore::open(options(&format!("{url}?sslmode=require"))).await;
    assert!(unencrypted.is_err(), "the server has no TLS yet");
    server.psql("postgres", "ALTER SYSTEM SET ssl = on");
    server.signal("HUP");
    let encrypted = options(&format!("{url}?sslmode=require"));
    until(async || PostgresStore::open(encrypted.clone()).await.is_ok()).await;
    let directory = tempfile::tempdir().unwrap();
    let roots = directory.path().join("roots.pem");
    std::fs::write(&roots, format!("\u{feff}{}", certified.cert.pem())).unwrap();
    let roots = roots.display();
    let named = url.replace("@127.0.0.1", "@db.example.org");
    let named = format!("{named}?hostaddr=127.0.0.1");
    for (url, works) in [
        (format!("{url}?sslmode=disable"), true),
        (format!("{url}?sslmode=prefer"), true),
        (format!("{url}?sslmode=verify-ca"), false),
        (format!("{url}?sslmode=verify-ca&sslrootcert={roots}"), true),
        (format!("{url}?sslmode=verify-full&sslrootcert={roots}"), false),
        (format!("{named}&sslmode=verify-full&sslrootcert={roots}"), true),
        (format!("{named}&sslmode=verify-full"), false),
    ] {
        let opened = PostgresStore::open(options(&url)).await;
        assert_eq!(opened.is_ok(), works, "{url}: {opened:?}");
    }
    let missing = options(&format!("{url}?sslmode=verify-full&sslrootcert=/no/such/file"));
    let said = PostgresStore::open(missing).await.unwrap_err().to_string();
    assert!(said.contains("/no/such/file"), "{said}");
}

#[tokio::test(flavor = "multi_thread")]
async fn many_gateways_can_create_the_tables_at_once() {
    let Some(server) = server() else { return };
    let url = server.database();
    for opened in join_all((0..8).map(|_| PostgresStore::open(options(&url)))).await {
        opened.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn another_version_is_refused_unless_it_works_with_this_one() {
    let Some(server) = server() else { return };
    let url = server.database();
    let database = name(&url);
    open(&url).await;
    server.psql(database, "UPDATE portreeve.schema_version SET version = 99");
    open(&url).await;
    server.psql(database, "UPDATE portreeve.schema_version SET compatible_from = 98");
    let refused = PostgresStore::open(options(&url)).await.unwrap_err();
    assert!(matches!(refused, PostgresOpenError::Version { found: 99, .. }), "{refused}");
    let older = "UPDATE portreeve.schema_version SET version = 6, compatible_from = 2";
    server.psql(database, older);
    let refused = PostgresStore::open(options(&url)).await.unwrap_err();
    assert!(matches!(refused, PostgresOpenError::Version { found: 6, .. }), "{refused}");
}

/// The rights that docs/OPERATIONS.md lists are enough, once the tables exist.
#[tokio::test(flavor = "multi_thread")]
async fn a_role_with_the_documented_rights_is_enough() {
    let Some(server) = server() else { return };
    let url = server.database();
    let database = name(&url);
    let role = format!("gateway_{database}");
    server.psql(database, &format!("CREATE ROLE {role} LOGIN"));
    let as_role = url.replace("//port@", &format!("//{role}@"));
    let refused = PostgresStore::open(options(&as_role)).await.unwrap_err();
    assert!(refused.to_string().contains("GRANT CREATE"), "{refused}");
    open(&url).await;
    let page = include_str!("../../../docs/OPERATIONS.md");
    let rights = page.split("<!-- rights -->").nth(1).unwrap();
    let rights = rights.split("```").nth(1).unwrap().trim_start_matches("sql");
    server.psql(database, &rights.replace("gateway_role", &role));
    let store = open(&as_role).await;
    crate::suite::stores_and_removes(store.clone()).await;
    crate::suite::keeps_login_flows(store.clone()).await;
    crate::suite::keeps_refused_logins_and_bearer_servers(store).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn connections_are_limited_and_waited_for() {
    let Some(server) = server() else { return };
    let url = server.database();
    let database = name(&url);
    let with_timeout = async |seconds| {
        let mut options = options(&url);
        options.connections = 2;
        options.listen = false;
        options.timeout = Duration::from_secs(seconds);
        vault(&PostgresStore::open(options).await.unwrap())
    };
    let patient = with_timeout(120).await;
    let users: Vec<_> = (0..50).map(|number| format!("user{number}")).collect();
    join_all(users.iter().map(|user| put(&patient, user, 1))).await;
    let used = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() \
                AND application_name = 'portreeve'";
    let used: u32 = server.psql(database, used).parse().unwrap();
    assert!(used <= 2, "{used} connections");
    // With all connections blocked, waiting ends with an error that says why.
    let lock =
        "BEGIN; LOCK portreeve.credential IN ACCESS EXCLUSIVE MODE; SELECT pg_sleep(600); COMMIT";
    let impatient = with_timeout(2).await;
    let locking = std::thread::spawn({
        let database = database.to_owned();
        move || server.psql(&database, lock)
    });
    let held = "SELECT count(*) FROM pg_locks WHERE mode = 'AccessExclusiveLock' AND granted \
                AND relation = 'portreeve.credential'::regclass";
    until(async || server.psql(database, held) == "1").await;
    let password = password(1);
    let late = join_all((0..4).map(|_| impatient.put("late", "late", &password))).await;
    let said: Vec<_> = late.into_iter().map(|put| put.unwrap_err().to_string()).collect();
    assert!(said.iter().any(|it| it.contains("no connection came free")), "{said:?}");
    let end =
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'BEGIN; LOCK%'";
    server.psql(database, end);
    assert!(locking.join().is_err(), "its connection has ended");
    put(&patient, "late", 1).await;
}
