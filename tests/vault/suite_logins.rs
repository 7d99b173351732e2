//! What every store must do for the logins: refusals, and flows that hold a password.

use std::time::{Duration, SystemTime};

use portreeve::vault::{FlowState, LoginPurpose, RefusedLogin, Store, Vault};

use crate::suite::{OLD_KEY, keys, password};

/// Refused logins and what is known of passwords (docs/API.md, section 5.6).
pub(crate) async fn keeps_refused_logins<S: Store>(store: S) {
    let millis = |millis| SystemTime::UNIX_EPOCH + Duration::from_millis(millis);
    let login = |id, at| RefusedLogin {
        id,
        user_id: "alice".into(),
        refused_at: millis(at),
        purpose: LoginPurpose::New,
        forgivable: id == 1,
    };
    for (id, at) in [(1, 1000), (u64::MAX >> 1, 2000), (3, 3000)] {
        let kept = store.put_refused_login(login(id, at), millis(0)).await;
        kept.unwrap();
    }
    let mut kept = store.refused_logins(millis(2000)).await.unwrap();
    kept.sort_by_key(|it| it.refused_at);
    assert_eq!(kept, [login(u64::MAX >> 1, 2000), login(3, 3000)]);
    store.remove_refused_logins(vec![3, 77]).await.unwrap();
    let old = store.put_refused_login(login(4, 4000), millis(2000)).await;
    old.unwrap();
    let mut kept = store.refused_logins(millis(0)).await.unwrap();
    kept.sort_by_key(|it| it.refused_at);
    assert_eq!(kept, [login(u64::MAX >> 1, 2000), login(4, 4000)]);

    let vault = Vault::new(keys(&[OLD_KEY]), store);
    let stored = vault.put("alice", "alice", &password(1)).await.unwrap();
    assert_eq!((stored.refusals(), stored.worked_at()), (0, None));
    for refusals in 1..=2 {
        vault.suspend("alice", stored.revision()).await.unwrap();
        let now = vault.metadata("alice").await.unwrap().unwrap();
        assert_eq!(now.refusals(), refusals);
    }
    vault.resume("alice", stored.revision()).await.unwrap();
    let worked = vec![
        ("alice".into(), stored.revision()),
        ("bob".into(), 1),
        ("alice".into(), stored.revision() ^ 1),
    ];
    vault.store().note_worked(worked, millis(7)).await.unwrap();
    let now = vault.metadata("alice").await.unwrap().unwrap();
    assert_eq!((now.refusals(), now.worked_at()), (0, Some(millis(7))));
    vault.put("alice", "alice", &password(2)).await.unwrap();
    let now = vault.metadata("alice").await.unwrap().unwrap();
    assert_eq!(now.worked_at(), None, "of the password before");
}

/// What the groupware server handed out is neither evicted nor expired (docs/API.md, section 5.5).
pub(crate) async fn keeps_flows_that_hold_a_password<S: Store>(store: S) {
    let vault = Vault::new(keys(&[OLD_KEY]), store);
    let now = SystemTime::now();
    let collected = || FlowState::Collected {
        login_name: "alice".into(),
        password: password(1),
    };
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
    assert!(
        vault
            .flow("bob", expired.flow_id())
            .await
            .unwrap()
            .is_none()
    );
    let found = vault.expired_flows_with_password(now).await.unwrap();
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].user_id(), "bob");
    assert!(matches!(found[0].state(), FlowState::Collected { .. }));
    assert!(vault.remove_flow(&found[0]).await.unwrap());
    assert!(!vault.remove_flow(&found[0]).await.unwrap());
    let found = vault.expired_flows_with_password(now).await.unwrap();
    assert!(found.is_empty());
}
