//! The URL of a database: what it names, and what is refused.

use std::net::TcpListener;

use portreeve::vault::{PostgresOptions, PostgresStore};

use super::options;

#[test]
fn a_url_is_read_as_libpq_reads_it() {
    for (url, shown) in [
        (
            "postgresql://port@db1:5433,db2/gate?sslmode=verify-ca&connect_timeout=7",
            "postgres://port@db1:5433,db2/gate",
        ),
        (
            "postgres://port@/gate?host=/run/postgresql&port=5433",
            "postgres://port@/run/postgresql:5433/gate",
        ),
        ("postgres://port@%2Frun%2Fpostgresql/gate", "postgres://port@/run/postgresql/gate"),
        ("postgres://port@[::1]", "postgres://port@[::1]/port"),
        ("postgres://port@/gate?hostaddr=10.0.0.1", "postgres://port@10.0.0.1/gate"),
    ] {
        assert_eq!(options(url).to_string(), shown);
    }
}

#[test]
fn the_certificate_of_another_machine_is_checked_by_default() {
    for (url, exposed) in [
        ("postgres://p@db/x", false),
        ("postgres://p@localhost,db/x", false),
        ("postgres://p@127.0.0.1/x", false),
        ("postgres://p@localhost/x", false),
        ("postgres://p@/x?host=/run/postgresql", false),
        ("postgres://p@db/x?sslmode=verify-ca", true),
        ("postgres://p@db/x?sslmode=require", true),
        ("postgres://p@db/x?sslmode=prefer", true),
        ("postgres://p@db/x?sslmode=disable", true),
        ("postgres://p@localhost/x?hostaddr=10.0.0.1", false),
        ("postgres://p@localhost/x?hostaddr=10.0.0.1&sslmode=prefer", true),
    ] {
        assert_eq!(options(url).exposure().is_some(), exposed, "{url}");
    }
}

#[test]
fn an_unusable_url_is_refused_without_repeating_it() {
    for url in [
        "postgres://db/x",
        "postgres://p@/x",
        "postgres://p:hunter22@db/x",
        "postgres://p@db/x?password=hunter22",
        "postgres://p@db/x?sslmode=hunter22",
        "postgres://p@db/x?sslmode",
        "postgres://p@db/x?nonsense=hunter22",
        "postgres://p@db/x?sslcert=hunter22",
        "postgres://p@db/x?target_session_attrs=any",
        "postgres://p@db/x?target_session_attrs=read-only",
        "postgres://p@db1,db2/x?port=1,2,3",
        "postgres://p@db:hunter22/x",
        "mysql://p@db/x",
    ] {
        let refused = url.parse::<PostgresOptions>().unwrap_err().to_string();
        assert!(!refused.contains("hunter22"), "{url}: {refused}");
    }
}

#[tokio::test]
async fn the_time_to_connect_is_that_of_the_url() {
    // It accepts connections, and answers nothing.
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = silent.local_addr().unwrap();
    let url = format!("postgres://port@{address}/gate?connect_timeout=1");
    let refused = PostgresStore::inspect(options(&url)).await;
    let said = refused.unwrap_err().to_string();
    assert!(said.contains("no answer within 1s"), "{said}");
}
