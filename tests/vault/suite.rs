//! The behavior that every store must have, as seen through the vault.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, SystemTime};

use futures_util::StreamExt as _;
use portreeve::vault::{
    AppPassword, Change, Committed, FlowState, Keyring, Login, LoginFlow, MemoryStore, Metadata,
    Row, Store, Table, Vault, VaultError,
};

pub(crate) use crate::suite_keys::{
    keeps_a_key_that_records_need, lets_the_store_say_which_key_seals,
};
pub(crate) use crate::suite_logins::{
    drops_the_oldest_flow_for_a_new_one, keeps_flows_that_hold_a_password,
    keeps_refused_logins_and_bearer_servers, keeps_scopes, leases_the_permits_to_one_gateway,
    loses_no_change_of_scopes,
};
pub(crate) use crate::suite_rows::{
    binds_an_owner_only_once, commits_all_changes_or_none, loses_no_concurrent_change_of_a_row,
};

pub(crate) const OLD_KEY: &str = "AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE=";
pub(crate) const NEW_KEY: &str = "AgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgI=";

pub(crate) fn keys(keys: &[&str]) -> Keyring {
    Keyring::from_base64_keys(keys.iter().copied()).unwrap()
}

/// A password that contains its number.
pub(crate) fn password(number: usize) -> AppPassword {
    AppPassword::new(&format!("{number:020}-app-password")).unwrap()
}

/// A [`password`] with the login name `name`.
pub(crate) fn login(name: &str, number: usize) -> Login {
    Login { name: name.into(), password: password(number) }
}

pub(crate) async fn listed(vault: &Vault) -> Vec<Result<Metadata, VaultError>> {
    vault.list().collect().await
}

/// The number of the [`password`] that a user has.
pub(crate) async fn held(vault: &Vault, user_id: &str) -> Option<usize> {
    let credential = vault.credential(user_id).await.unwrap()?;
    let text = credential.password.expose();
    let number = text[..20].parse().unwrap();
    assert_eq!(text, password(number).expose());
    Some(number)
}

/// Stores a password for a user whose login name is the user id.
pub(crate) async fn put(vault: &Vault, user_id: &str, number: usize) -> Metadata {
    let stored = vault.put(user_id, user_id, &password(number)).await;
    stored.unwrap()
}

pub(crate) async fn metadata(vault: &Vault, user_id: &str) -> Metadata {
    vault.metadata(user_id).await.unwrap().unwrap()
}

/// Records that were sealed elsewhere are stored together, and existing records stay.
pub(crate) async fn adds_new_records_together<S: Store>(store: S) {
    let elsewhere = Vault::new(keys(&[OLD_KEY]), MemoryStore::new());
    for number in 0..300 {
        let user_id = format!("user-{number:03}");
        let stored = elsewhere.put(&user_id, "name", &password(number)).await;
        if number % 7 == 0 {
            let revision = stored.unwrap().revision;
            elsewhere.suspend(&user_id, revision).await.unwrap();
        }
    }
    let vault = Vault::new(keys(&[OLD_KEY]), store);
    vault.put("user-005", "own", &password(1000)).await.unwrap();
    // The vault caches that there was none, and must not do so for longer than it is true.
    assert_eq!(held(&vault, "user-006").await, None);
    let table = Table::Credential;
    let records = elsewhere.store().page(table, None, None, 300).await;
    let records = records.unwrap();
    let add = async |records: &[Arc<Row>]| {
        let added = records.iter().map(|row| Change::add(table, row.clone()));
        let added = vault.store().commit("store credentials", added.collect());
        added.await.unwrap()
    };
    assert_eq!(add(&[]).await, Committed::Done);
    assert_eq!(add(&records).await, Committed::Conflict { at: 5 });
    assert_eq!(held(&vault, "user-006").await, None);
    let others = [&records[..5], &records[6..]].concat();
    assert_eq!(add(&others).await, Committed::Done);
    assert_eq!(add(&others).await, Committed::Conflict { at: 0 });
    for number in [5, 6, 7, 299] {
        let own = if number == 5 { 1000 } else { number };
        let user_id = format!("user-{number:03}");
        assert_eq!(held(&vault, &user_id).await, Some(own));
    }
    let mut stored = vault.store().page(table, None, None, 1000).await.unwrap();
    stored[5] = records[5].clone();
    assert_eq!(stored, records);
}

/// A stored password is read back, with its login name (docs/API.md, sections 2.2 and 5.1).
pub(crate) async fn stores_and_removes<S: Store>(store: S) {
    let vault = Vault::new(keys(&[OLD_KEY]), store);
    vault.ready().await.unwrap();
    assert!(vault.credential("alice").await.unwrap().is_none());
    assert!(vault.metadata("alice").await.unwrap().is_none());
    assert!(!vault.remove("alice").await.unwrap());

    let before = SystemTime::now() - Duration::from_millis(1);
    let stored = vault.put("alice", "alice@example.org", &password(1)).await.unwrap();
    assert!(stored.provisioned_at >= before && stored.provisioned_at <= SystemTime::now());
    put(&vault, "Alice", 2).await;
    vault.put("älice ☂", "ä", &password(3)).await.unwrap();

    let credential = vault.credential("alice").await.unwrap().unwrap();
    assert_eq!(&*credential.user_id, "alice");
    assert_eq!(&*credential.login_name, "alice@example.org");
    assert_eq!(credential.password.expose(), password(1).expose());
    assert_eq!(credential.provisioned_at, stored.provisioned_at);
    assert_eq!(credential.revision, stored.revision);
    assert_eq!(credential.suspended_at, None);
    assert_eq!(vault.metadata("alice").await.unwrap(), Some(stored.clone()));
    assert_eq!(Metadata::CREDENTIAL_TYPE, "app_password");
    assert_eq!(held(&vault, "Alice").await, Some(2));
    assert_eq!(held(&vault, "älice ☂").await, Some(3));

    let again = put(&vault, "alice", 4).await;
    assert_ne!(again.revision, stored.revision);
    assert_eq!(held(&vault, "alice").await, Some(4));
    assert!(vault.remove("alice").await.unwrap());
    assert!(vault.credential("alice").await.unwrap().is_none());
    assert_eq!(held(&vault, "Alice").await, Some(2));
}

pub(crate) async fn refuses_invalid_names<S: Store>(store: S) {
    let vault = Vault::new(keys(&[OLD_KEY]), store);
    let long = "x".repeat(256);
    for user_id in ["", "a\0b", "a\nb", &long] {
        let stored = vault.put(user_id, "alice", &password(1)).await;
        assert!(matches!(stored, Err(VaultError::UserId)), "{user_id:?}");
        assert!(vault.credential(user_id).await.unwrap().is_none());
    }
    for login_name in ["", "a:b", "a\rb", &long] {
        let stored = vault.put("alice", login_name, &password(1)).await;
        assert!(matches!(stored, Err(VaultError::LoginName)), "{login_name:?}");
    }
    let longest = "x".repeat(255);
    vault.put(&longest, &longest, &password(1)).await.unwrap();
    let credential = vault.credential(&longest).await.unwrap().unwrap();
    assert_eq!(&*credential.login_name, longest);
}

pub(crate) async fn suspends_only_the_refused_password<S: Store>(store: S) {
    let vault = Vault::new(keys(&[OLD_KEY]), store);
    let first = put(&vault, "alice", 1).await.revision;
    assert!(vault.suspend("alice", first).await.unwrap());
    let at = metadata(&vault, "alice").await.suspended_at.unwrap();
    assert!(at <= SystemTime::now() && at > SystemTime::now() - Duration::from_secs(60));
    tokio::time::sleep(Duration::from_millis(5)).await;
    assert!(vault.suspend("alice", first).await.unwrap());
    let later = metadata(&vault, "alice").await.suspended_at.unwrap();
    assert!(later > at, "a probe that was refused too moves the time on");
    assert!(vault.resume("alice", first).await.unwrap());
    assert_eq!(metadata(&vault, "alice").await.suspended_at, None);

    let second = put(&vault, "alice", 2).await.revision;
    assert!(!vault.suspend("alice", first).await.unwrap(), "another password is stored since");
    assert_eq!(metadata(&vault, "alice").await.suspended_at, None);
    assert!(vault.suspend("alice", second).await.unwrap());
    assert!(!vault.resume("alice", first).await.unwrap());
    let third = put(&vault, "alice", 3).await.revision;
    assert_eq!(metadata(&vault, "alice").await.suspended_at, None);
    assert!(!vault.suspend("bob", first).await.unwrap());

    assert!(!vault.remove_revision("alice", second).await.unwrap());
    assert_eq!(held(&vault, "alice").await, Some(3));
    assert!(vault.remove_revision("alice", third).await.unwrap());
    assert!(!vault.remove_revision("alice", third).await.unwrap());
    assert_eq!(held(&vault, "alice").await, None);
}

pub(crate) async fn lists_in_order<S: Store>(store: S) {
    let count = 600;
    let vault = Vault::new(keys(&[OLD_KEY]), store);
    for number in 0..count {
        let user_id = format!("user-{number:06}");
        put(&vault, &user_id, number).await;
    }
    let listed = listed(&vault).await;
    assert_eq!(listed.len(), count);
    for (number, item) in listed.into_iter().enumerate() {
        assert_eq!(*item.unwrap().user_id, format!("user-{number:06}"));
    }
}

/// A record sealed with an unknown key is an error only for its user.
pub(crate) async fn opens_records_only_with_its_own_keys<S: Store + Clone>(store: S) {
    let old = Vault::new(keys(&[OLD_KEY]), store.clone());
    let new = Vault::new(keys(&[NEW_KEY]), store.clone());
    let both = Vault::new(keys(&[NEW_KEY, OLD_KEY]), store);
    put(&old, "alice", 1).await;
    assert_eq!(new.rotate_keys().await.unwrap().unopened, 1);
    put(&new, "bob", 2).await;

    let error = new.credential("alice").await.unwrap_err();
    let said = error.to_string();
    assert!(matches!(error, VaultError::Unopened { .. }), "{said}");
    assert!(said.contains("alice") && said.contains(&old.keyring().first_key().to_string()));
    assert!(!said.contains(password(1).expose()));
    assert_eq!(held(&new, "bob").await, Some(2));
    assert_eq!(held(&both, "alice").await, Some(1));
    assert_eq!(held(&both, "bob").await, Some(2));

    let items = listed(&new).await;
    assert!(matches!(items[0], Err(VaultError::Unopened { .. })), "and the listing goes on");
    assert_eq!(&*items[1].as_ref().unwrap().user_id, "bob");
    assert_eq!(items.len(), 2);
}

pub(crate) async fn rotates_keys<S: Store + Clone>(store: S) {
    let old = Vault::new(keys(&[OLD_KEY]), store.clone());
    for number in 0..300 {
        let user_id = format!("user-{number:03}");
        put(&old, &user_id, number).await;
    }
    let kept = metadata(&old, "user-007").await;
    let revision = metadata(&old, "user-008").await.revision;
    old.suspend("user-008", revision).await.unwrap();
    let flow = old.put_flow("user-001", soon(), pending()).await.unwrap();

    let both = Vault::new(keys(&[NEW_KEY, OLD_KEY]), store.clone());
    both.put("user-000", "login", &password(0)).await.unwrap();
    assert_eq!(held(&old, "user-000").await, Some(0), "the old key seals");
    let report = both.rotate_keys().await.unwrap();
    assert_eq!((report.resealed, report.up_to_date, report.unopened), (300, 0, 0));

    let new = Vault::new(keys(&[NEW_KEY]), store.clone());
    for number in 0..300 {
        let user_id = format!("user-{number:03}");
        assert_eq!(held(&new, &user_id).await, Some(number));
    }
    assert_eq!(new.metadata("user-007").await.unwrap(), Some(kept), "not another revision");
    assert!(metadata(&new, "user-008").await.suspended_at.is_some());
    let moved = new.flow("user-001", flow.flow_id()).await.unwrap().unwrap();
    assert!(matches!(moved.state, FlowState::Pending { .. }));
    // A handle that read the flow before the rotation can still update it.
    let updated = both.update_flow(&flow, FlowState::OtherAccount).await;
    assert!(updated.unwrap().is_some());

    let report = new.rotate_keys().await.unwrap();
    assert_eq!((report.resealed, report.up_to_date), (0, 300));
}

/// A rotation is interrupted and repeated several times, while others store and remove.
pub(crate) async fn rotates_while_written_to<S: Store + Clone>(store: S) {
    let old = Vault::new(keys(&[OLD_KEY]), store.clone());
    let both = Vault::new(keys(&[NEW_KEY, OLD_KEY]), store.clone());
    for number in 0..400 {
        old.put(&format!("user-{number:03}"), "login", &password(number)).await.unwrap();
    }
    let stop = Arc::new(AtomicBool::new(false));
    let writer = tokio::spawn({
        let (both, stop) = (both.clone(), stop.clone());
        async move {
            let mut round = 1;
            while !stop.load(Ordering::SeqCst) || round < 3 {
                for number in (0..400).step_by(7) {
                    let user_id = format!("user-{number:03}");
                    if number % 2 == 0 {
                        let fresh = password(1000 * round + number);
                        both.put(&user_id, "login", &fresh).await.unwrap();
                    } else {
                        both.remove(&user_id).await.unwrap();
                    }
                }
                round += 1;
            }
            round - 1
        }
    });
    for millis in [1, 5, 20] {
        // Dropping the future interrupts the rotation.
        let _ = tokio::time::timeout(Duration::from_millis(millis), both.rotate_keys()).await;
    }
    both.rotate_keys().await.unwrap();
    stop.store(true, Ordering::SeqCst);
    let last = writer.await.unwrap();
    let report = both.rotate_keys().await.unwrap();
    assert_eq!((report.resealed, report.unopened), (0, 0));

    let new = Vault::new(keys(&[NEW_KEY]), store);
    for number in 0..400 {
        let expected = match (number % 7, number % 2) {
            (0, 0) => Some(1000 * last + number),
            (0, _) => None,
            _ => Some(number),
        };
        let stored = held(&new, &format!("user-{number:03}")).await;
        assert_eq!(stored, expected, "{number}");
    }
}

fn soon() -> SystemTime {
    SystemTime::now() + Duration::from_secs(60)
}

fn pending() -> FlowState {
    FlowState::Pending {
        login_url: "https://cloud.example.org/login/v2/flow/page".into(),
        poll_path: "/login/v2/poll".into(),
        poll_token: zeroize::Zeroizing::new("the-poll-token".into()),
        is_in_doubt: false,
    }
}

pub(crate) async fn keeps_login_flows<S: Store>(store: S) {
    let vault = Vault::new(keys(&[OLD_KEY]), store);
    let find = async |user: &str, id: &str| vault.flow(user, id).await.unwrap();
    let grant = async |flow: &LoginFlow, number| {
        let login = login("alice@example.org", number);
        vault.grant_flow(flow, &login).await.unwrap().is_some()
    };
    let flow = vault.put_flow("alice", soon(), pending()).await.unwrap();
    let id = flow.flow_id();
    assert!(find("bob", id).await.is_none(), "another user's is invisible");
    assert!(find("alice", "unknown").await.is_none());
    let read = find("alice", id).await.unwrap();
    assert_eq!(read.expires_at(), flow.expires_at());
    let FlowState::Pending { login_url, poll_path, poll_token, is_in_doubt: false } = &read.state
    else {
        panic!("{:?}", read.state);
    };
    assert_eq!(&**login_url, "https://cloud.example.org/login/v2/flow/page");
    let (path, token) = (&**poll_path, &***poll_token);
    assert_eq!((path, token), ("/login/v2/poll", "the-poll-token"));

    let collected = FlowState::Collected(login("alice@example.org", 1));
    let next = vault.update_flow(&read, collected.clone()).await.unwrap();
    let next = next.unwrap();
    let late = vault.update_flow(&flow, collected).await.unwrap();
    assert!(late.is_none(), "another call changed it");
    let read = find("alice", id).await.unwrap();
    assert_eq!(read.state.login(), Some(&login("alice@example.org", 1)));

    assert!(!grant(&flow, 9).await);
    assert_eq!(held(&vault, "alice").await, None, "too late, so nothing is stored");
    assert!(grant(&next, 1).await);
    assert_eq!(held(&vault, "alice").await, Some(1));
    vault.remove("alice").await.unwrap();
    assert!(!grant(&read, 1).await);
    assert_eq!(held(&vault, "alice").await, None, "removed stays removed");
    let read = find("alice", id).await.unwrap();
    assert!(matches!(read.state, FlowState::Granted));

    let past = SystemTime::now() - Duration::from_secs(1);
    let gone = vault.put_flow("alice", past, pending()).await.unwrap();
    assert!(find("alice", gone.flow_id()).await.is_none());
    assert_eq!(vault.remove_expired_flows().await.unwrap(), 1);
    assert!(find("alice", id).await.is_some());
}
