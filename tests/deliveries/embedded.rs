//! What an embedder has to set so that deliveries are received, in any order.

use bytes::Bytes;
use http_body_util::Empty;
use portreeve::deliveries::{Deliveries, Limits, Networks, Queue, Worker};
use portreeve::gateway::{Gateway, IncompleteError, Settings};
use portreeve::groupware::DeliveryAuth;
use portreeve::identity::{StaticTokens, TokensFile};
use portreeve::vault::{Keyring, SqliteStore, Vault};

#[tokio::test]
async fn deliveries_that_would_not_be_received_are_an_error_that_says_what_is_missing() {
    let dir = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(dir.path().join("db")).await.unwrap();
    let queue = Queue::in_sqlite(&store);
    let vault = Vault::new(Keyring::generate().unwrap(), store);
    let deliveries = Deliveries::new(vault.clone(), queue, Limits::default());
    let worker = Worker::new(deliveries, Networks::default());
    let tokens = TokensFile::new(dir.path().join("tokens"));
    tokens.new_token("alice", [], None).unwrap();
    let receives = |credential: bool, public_url: bool, receives_at: bool| {
        let address = |is_set: bool| is_set.then(|| "https://hooks.example".parse().unwrap());
        let mut settings = Settings::default();
        let auth = || DeliveryAuth::derived("a secret".into()).unwrap();
        settings.delivery = credential.then(auth);
        settings.public_url = address(public_url);
        settings.receives_at = address(receives_at);
        let verifier = StaticTokens::open(tokens.path()).unwrap();
        let gateway = Gateway::new(verifier, vault.clone());
        let gateway = gateway.deliveries(worker.clone()).settings(settings);
        gateway.into_service::<Empty<Bytes>>().map(drop)
    };
    assert_eq!(receives(true, true, false), Ok(()));
    assert_eq!(receives(true, false, true), Ok(()));
    let no_address = receives(true, false, false).unwrap_err();
    assert_eq!(no_address, IncompleteError::NoAddress);
    assert!(no_address.to_string().contains("public_url"));
    let no_credential = receives(false, true, true).unwrap_err();
    assert_eq!(no_credential, IncompleteError::NoCredential);
    assert!(no_credential.to_string().contains("Settings::delivery"));
}
