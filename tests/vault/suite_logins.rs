//! The behavior that every store must have with logins: refusals, permits, and login flows.

use std::time::{Duration, SystemTime};

use futures_util::future::join_all;
use portreeve::vault::{FlowState, PermitLease, Store, Table, Vault};

use crate::suite::{NEW_KEY, OLD_KEY, held, keys, login, metadata, password, put};

/// The list of scopes is sealed with the password (docs/API.md, section 10.4), and stays when that is replaced, unless
/// another one is stored with it.
pub(crate) async fn keeps_scopes<S: Store + Clone>(store: S) {
    let vault = Vault::new(keys(&[OLD_KEY]), store.clone());
    let scopes = async |vault: &Vault| {
        let stored = metadata(vault, "alice").await;
        stored.scopes().map(|scopes| scopes.join(" "))
    };
    assert_eq!(vault.set_scopes("alice", "notes.read").await.unwrap(), None);
    let first = put(&vault, "alice", 1).await;
    assert_eq!((first.scopes(), first.updated_at()), (None, first.provisioned_at));
    for list in ["notes.read files.write", ""] {
        let changed = vault.set_scopes("alice", list).await.unwrap().unwrap();
        assert_eq!(changed.revision, first.revision);
        assert!(changed.updated_at() >= first.updated_at());
        assert_eq!(changed.provisioned_at, first.provisioned_at);
        assert_eq!(metadata(&vault, "alice").await, changed);
        assert_eq!(scopes(&vault).await.as_deref(), Some(list));
    }
    vault.set_scopes("alice", "notes.read").await.unwrap();
    vault.suspend("alice", first.revision).await.unwrap();
    vault.set_scopes("alice", "deck.read").await.unwrap();
    assert!(
        metadata(&vault, "alice").await.suspended_at.is_some(),
        "the list says nothing of that"
    );
    vault.resume("alice", first.revision).await.unwrap();
    // Whoever replaces the password: the user with a token, a login flow, one that binds.
    put(&vault, "alice", 2).await;
    assert_eq!(scopes(&vault).await.as_deref(), Some("deck.read"));
    let expires_at = SystemTime::now() + Duration::from_secs(60);
    let flow = vault.put_flow("alice", expires_at, FlowState::Collected(login("alice", 3)));
    let flow = flow.await.unwrap();
    let granted = vault.grant_flow(&flow, &login("alice", 3)).await.unwrap().unwrap();
    assert_eq!(granted.scopes(), Some(vec!["deck.read"]));
    let person = ("https://issuer.example", "a-person");
    let flow = vault.put_flow("alice", expires_at, FlowState::Collected(login("alice", 4)));
    let flow = flow.await.unwrap();
    vault.grant_flow_and_bind(&flow, person, "alice", &login("alice", 4)).await.unwrap();
    assert_eq!(scopes(&vault).await.as_deref(), Some("deck.read"));
    // With another key, and to another account, as which it does not open.
    let both = Vault::new(keys(&[NEW_KEY, OLD_KEY]), store.clone());
    both.rotate_keys().await.unwrap();
    let new = Vault::new(keys(&[NEW_KEY]), store);
    assert_eq!(scopes(&new).await.as_deref(), Some("deck.read"));
    assert_eq!(held(&new, "alice").await, Some(4));

    let stored = new.put_with_scopes("alice", "alice", &password(5), Some("talk.read")).await;
    assert_eq!(stored.unwrap().scopes(), Some(vec!["talk.read"]));
    assert_eq!(scopes(&new).await.as_deref(), Some("talk.read"));
    new.put_with_scopes("alice", "alice", &password(6), None).await.unwrap();
    assert_eq!(scopes(&new).await, None);
    new.set_scopes("alice", "talk.read").await.unwrap();
    new.remove("alice").await.unwrap();
    put(&new, "alice", 7).await;
    assert_eq!(scopes(&new).await, None, "it went with its password");
}

/// A list that is changed while passwords are stored and granted is not lost.
pub(crate) async fn loses_no_change_of_scopes<S: Store + Clone>(store: S) {
    let vaults = [(), ()].map(|()| Vault::new(keys(&[OLD_KEY]), store.clone()));
    put(&vaults[0], "alice", 0).await;
    let expires_at = SystemTime::now() + Duration::from_secs(60);
    for round in 1..40 {
        let list = format!("round.{round}");
        let number = login("alice", round);
        let collected = FlowState::Collected(number.clone());
        let flow = vaults[0].put_flow("alice", expires_at, collected).await.unwrap();
        let (limited, stored, granted) = tokio::join!(
            vaults[1].set_scopes("alice", &list),
            vaults[0].put("alice", "alice", &number.password),
            vaults[0].grant_flow(&flow, &number),
        );
        assert!(limited.unwrap().is_some() && granted.unwrap().is_some());
        stored.unwrap();
        let left = metadata(&vaults[0], "alice").await;
        assert_eq!(left.scopes(), Some(vec![&*list]));
    }
}

/// Refused logins, and servers that take bearer tokens (docs/API.md, section 5.6).
pub(crate) async fn keeps_refused_logins_and_bearer_servers<S: Store>(store: S) {
    let vault = Vault::new(keys(&[OLD_KEY]), store);
    let millis = |millis| SystemTime::UNIX_EPOCH + Duration::from_millis(millis);
    // Two refusals in the same millisecond are both kept.
    for at in [1000, 2000, 3000, 3000] {
        let kept = vault.put_refused_login(millis(at), millis(0)).await;
        kept.unwrap();
    }
    let mut kept = vault.refused_logins(millis(2000)).await.unwrap();
    kept.sort_unstable();
    assert_eq!(kept, [2000, 3000, 3000].map(millis));
    let old = vault.put_refused_login(millis(4000), millis(3000)).await;
    old.unwrap();
    let mut kept = vault.refused_logins(millis(0)).await.unwrap();
    kept.sort_unstable();
    assert_eq!(kept, [3000, 3000, 4000].map(millis));

    let (one, other) = ("https://one.example/cloud", "https://other.example");
    assert!(!vault.is_bearer_server(one).await.unwrap());
    for _ in 0..2 {
        vault.put_bearer_server(one).await.unwrap();
    }
    assert!(vault.is_bearer_server(one).await.unwrap());
    assert!(!vault.is_bearer_server(other).await.unwrap());

    let stored = put(&vault, "alice", 1).await;
    assert_eq!(stored.refusals, 0);
    for refusals in 1..=2 {
        vault.suspend("alice", stored.revision).await.unwrap();
        assert_eq!(metadata(&vault, "alice").await.refusals, refusals);
    }
    vault.resume("alice", stored.revision).await.unwrap();
    assert_eq!(metadata(&vault, "alice").await.refusals, 0);
}

/// One gateway holds the permits, and another gets them when it is gone (docs/OPERATIONS.md).
pub(crate) async fn leases_the_permits_to_one_gateway<S: Store>(store: S) {
    let lease = lease(&store).await;
    for _ in 0..20 {
        assert!(store.lease_permits().is_none());
        tokio::time::sleep(Duration::from_millis(50)).await;
        assert!(lease.holds());
    }
    drop(lease);
    assert!(self::lease(&store).await.holds());
}

/// A lease, which a store may take a moment to get.
pub(crate) async fn lease<S: Store>(store: &S) -> Box<dyn PermitLease> {
    loop {
        if let Some(lease) = store.lease_permits() {
            return lease;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

/// A user has at most 16 login flows, however many start at once; those of other users are not dropped.
pub(crate) async fn drops_the_oldest_flow_for_a_new_one<S: Store>(store: S) {
    let vault = Vault::new(keys(&[OLD_KEY]), store);
    let soon = SystemTime::now() + Duration::from_secs(60);
    let start = async |user: &str, second| {
        let expires_at = soon + Duration::from_secs(second);
        let flow = vault.put_flow(user, expires_at, FlowState::Granted).await;
        flow.unwrap().flow_id().to_owned()
    };
    let others = start("bob", 0).await;
    let mut ids = Vec::new();
    for second in 1..=20 {
        ids.push(start("alice", second).await);
    }
    for (at, id) in ids.iter().enumerate() {
        let flow = vault.flow("alice", id).await.unwrap();
        assert_eq!(flow.is_some(), at >= 4, "flow {at}");
    }
    join_all((0..8).map(|_| start("alice", 30))).await;
    let store = vault.store();
    let flows = store.page(Table::LoginFlow, Some("alice"), None, 100).await;
    assert_eq!(flows.unwrap().len(), 16);
    assert!(vault.flow("alice", &ids[11]).await.unwrap().is_none());
    assert!(vault.flow("alice", &ids[12]).await.unwrap().is_some());
    assert!(vault.flow("bob", &others).await.unwrap().is_some());
    // As many are left if no call finds a flow to drop when it begins.
    for count in [17, 18, 32, 40] {
        let user = format!("carol {count}");
        let started = join_all((0..count).map(|second| start(&user, second / 4))).await;
        assert_eq!(started.len() as u64, count);
        let flows = store.page(Table::LoginFlow, Some(&user), None, 100).await;
        assert_eq!(flows.unwrap().len(), 16, "{count}");
    }
}

/// A flow with a password from the groupware server is neither evicted nor removed when it expires
/// (docs/API.md, section 5.5).
pub(crate) async fn keeps_flows_that_hold_a_password<S: Store>(store: S) {
    let vault = Vault::new(keys(&[OLD_KEY]), store);
    let now = SystemTime::now();
    let collected = || FlowState::Collected(login("alice", 1));
    let soon = now + Duration::from_secs(60);
    let kept = vault.put_flow("alice", soon, collected()).await.unwrap();
    for _ in 0..20 {
        let later = soon + Duration::from_secs(1);
        let state = FlowState::Granted;
        vault.put_flow("alice", later, state).await.unwrap();
    }
    assert!(vault.flow("alice", kept.flow_id()).await.unwrap().is_some());
    let past = now - Duration::from_secs(1);
    let expired = vault.put_flow("bob", past, collected()).await.unwrap();
    assert_eq!(vault.remove_expired_flows().await.unwrap(), 0);
    let hidden = vault.flow("bob", expired.flow_id()).await.unwrap();
    assert!(hidden.is_none());
    let found = vault.expired_flows_with_password(now).await.unwrap();
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].user_id(), "bob");
    assert!(matches!(found[0].state, FlowState::Collected(_)));
    assert!(vault.remove_flow(&found[0]).await.unwrap());
    assert!(!vault.remove_flow(&found[0]).await.unwrap());
    let found = vault.expired_flows_with_password(now).await.unwrap();
    assert!(found.is_empty());
}
