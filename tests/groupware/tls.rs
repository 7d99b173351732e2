//! TLS to the groupware server: real handshakes, HTTP/2 by ALPN, trust.

use http::Version;
use portreeve::groupware::{Account, Groupware, GroupwareError, TlsError};

use crate::support::nextcloud::Nextcloud;

fn account() -> Account {
    Account::new("admin", "admin", "FAKEAppPassword00000000").unwrap()
}

#[tokio::test]
async fn http_2_if_the_server_offers_it() {
    for (http2, version) in [(true, Version::HTTP_2), (false, Version::HTTP_11)] {
        let nextcloud = Nextcloud::start_tls(http2).await;
        nextcloud.answer("webhooks-list-admin");
        let builder = Groupware::builder(nextcloud.url().parse().unwrap());
        let client = builder
            .extra_ca(nextcloud.ca_pem().as_bytes())
            .unwrap()
            .build()
            .unwrap();
        for _ in 0..3 {
            client
                .access(account())
                .webhooks()
                .await
                .into_result()
                .unwrap();
        }
        let seen = nextcloud.seen();
        assert_eq!(seen.len(), 3);
        assert!(
            seen.iter().all(|seen| seen.version == version),
            "{version:?}"
        );
    }
}

#[tokio::test]
async fn an_unknown_authority_gets_no_request() {
    let nextcloud = Nextcloud::start_tls(true).await;
    let other = Nextcloud::start_tls(true).await;
    for ca in [None, Some(other.ca_pem())] {
        let mut builder = Groupware::builder(nextcloud.url().parse().unwrap());
        if let Some(ca) = ca {
            builder = builder.extra_ca(ca.as_bytes()).unwrap();
        }
        let fault = builder
            .build()
            .unwrap()
            .access(account())
            .webhooks()
            .await
            .into_result()
            .unwrap_err();
        assert!(matches!(fault, GroupwareError::Unreachable(_)), "{fault:?}");
    }
    assert!(nextcloud.seen().is_empty());
}

#[tokio::test]
async fn a_certificate_for_another_name_is_refused() {
    let nextcloud = Nextcloud::start_tls(true).await;
    let url = nextcloud.url().replace("127.0.0.1", "127.0.0.2");
    let builder = Groupware::builder(url.parse().unwrap());
    let client = builder
        .extra_ca(nextcloud.ca_pem().as_bytes())
        .unwrap()
        .build()
        .unwrap();
    client
        .access(account())
        .webhooks()
        .await
        .into_result()
        .unwrap_err();
    assert!(nextcloud.seen().is_empty());
}

#[tokio::test]
async fn plain_http_is_not_spoken_to_an_https_address() {
    let nextcloud = Nextcloud::start().await;
    let url = nextcloud.url().replace("http:", "https:").parse().unwrap();
    let fault = Groupware::builder(url)
        .build()
        .unwrap()
        .access(account())
        .webhooks()
        .await
        .into_result();
    assert!(matches!(fault, Err(GroupwareError::Unreachable(_))));
    assert!(nextcloud.seen().is_empty());
}

#[test]
fn a_ca_file_that_is_none() {
    let builder = || Groupware::builder("https://cloud.example.org".parse().unwrap());
    assert!(matches!(
        builder().extra_ca(b"").unwrap_err(),
        TlsError::NoCertificate
    ));
    assert!(matches!(
        builder().extra_ca(b"text").unwrap_err(),
        TlsError::NoCertificate
    ));
    let broken = "-----BEGIN CERTIFICATE-----\n!!!\n-----END CERTIFICATE-----\n";
    assert!(matches!(
        builder().extra_ca(broken.as_bytes()).unwrap_err(),
        TlsError::Pem(_)
    ));
    let empty = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
    builder()
        .extra_ca(empty.as_bytes())
        .unwrap()
        .build()
        .unwrap_err();
}

#[tokio::test]
async fn names_below_localhost_are_this_machine_whatever_the_system_says() {
    let nextcloud = Nextcloud::start().await;
    nextcloud.answer("webhooks-list-admin");
    for host in ["localhost", "cloud.localhost", "no.such.name.localhost"] {
        let url = nextcloud.url().replace("127.0.0.1", host);
        let client = Groupware::builder(url.parse().unwrap()).build().unwrap();
        let reply = client.access(account()).webhooks().await;
        reply.into_result().expect(host);
    }
}
