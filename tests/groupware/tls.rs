//! TLS to the groupware server: real handshakes, HTTP/2 by ALPN, trust.

use http::Version;
use portreeve::groupware::{BuildError, ClientSettings, Groupware, GroupwareError};
use portreeve::outbound::{PemError, certificates};

use crate::recorded::{access, account, client_with};
use crate::support::nextcloud::{Nextcloud, Seen};

#[tokio::test]
async fn http_2_is_used_if_the_server_offers_it() {
    for (http2, version) in [(true, Version::HTTP_2), (false, Version::HTTP_11)] {
        let nextcloud = Nextcloud::start_tls(http2).await;
        nextcloud.answer("webhooks-list-admin");
        let access = access(&nextcloud, "admin");
        for _ in 0..3 {
            access.webhooks().await.result.unwrap();
        }
        let seen = nextcloud.seen();
        assert_eq!(seen.len(), 3);
        assert!(seen.iter().all(|seen| seen.version == version), "{version:?}");
        // Over HTTP/2 the server is named by `:authority` alone.
        let names_host = |seen: &Seen| seen.headers.contains_key("host");
        assert!(seen.iter().all(|seen| names_host(seen) != http2));
    }
}

#[tokio::test]
async fn a_server_with_a_certificate_of_an_unknown_authority_gets_no_request() {
    let nextcloud = Nextcloud::start_tls(true).await;
    let other = Nextcloud::start_tls(true).await;
    for ca in [None, Some(other.ca_pem())] {
        let client = client_with(&nextcloud, |settings| {
            let ca = ca.map(|ca| certificates(ca.as_bytes()).unwrap());
            settings.extra_ca = ca.unwrap_or_default();
        });
        let access = client.access(account("admin"));
        let fault = access.webhooks().await.result.unwrap_err();
        assert!(matches!(fault, GroupwareError::Unreachable(_)), "{fault:?}");
    }
    assert!(nextcloud.seen().is_empty());
}

#[tokio::test]
async fn a_certificate_for_another_name_is_refused() {
    let nextcloud = Nextcloud::start_tls(true).await;
    let url = nextcloud.url().replace("127.0.0.1", "127.0.0.2");
    let mut settings = ClientSettings::default();
    settings.extra_ca = certificates(nextcloud.ca_pem().as_bytes()).unwrap();
    let client = Groupware::new(url.parse().unwrap(), settings).unwrap();
    let access = client.access(account("admin"));
    access.webhooks().await.result.unwrap_err();
    assert!(nextcloud.seen().is_empty());
}

#[tokio::test]
async fn plain_http_is_not_used_for_an_https_address() {
    let nextcloud = Nextcloud::start().await;
    let url = nextcloud.url().replace("http:", "https:").parse().unwrap();
    let client = Groupware::new(url, Default::default()).unwrap();
    let reply = client.access(account("admin")).webhooks().await;
    assert!(matches!(reply.result, Err(GroupwareError::Unreachable(_))));
    assert!(nextcloud.seen().is_empty());
}

#[test]
fn a_ca_file_without_a_certificate_is_refused() {
    let read = |pem: &str| certificates(pem.as_bytes());
    assert!(matches!(read(""), Err(PemError::NoCertificate)));
    assert!(matches!(read("text"), Err(PemError::NoCertificate)));
    let block =
        |base64| format!("-----BEGIN CERTIFICATE-----\n{base64}\n-----END CERTIFICATE-----\n");
    assert!(matches!(read(&block("!!!")), Err(PemError::Syntax(_))));
    let mut settings = ClientSettings::default();
    settings.extra_ca = read(&block("AAAA")).unwrap();
    let made = Groupware::new("https://cloud.example.org".parse().unwrap(), settings);
    assert!(matches!(made, Err(BuildError::Certificate(_))));
}

#[tokio::test]
async fn names_below_localhost_resolve_to_this_machine() {
    let nextcloud = Nextcloud::start().await;
    nextcloud.answer("webhooks-list-admin");
    for host in ["localhost", "cloud.localhost", "no.such.name.localhost"] {
        let url = nextcloud.url().replace("127.0.0.1", host);
        let client = Groupware::new(url.parse().unwrap(), Default::default()).unwrap();
        let reply = client.access(account("admin")).webhooks().await;
        reply.result.expect(host);
    }
}
