//! Which key seals, and keys that are taken away, in every store.

use std::sync::Arc;

use portreeve::vault::{Change, FlowState, MemoryStore, Row, Store, Table, Vault, VaultError};

use crate::suite::{NEW_KEY, OLD_KEY, held, keys, login, put};

/// What is sealed at two gateways while a key is rotated in the documented order opens at both of them all the time.
pub(crate) async fn lets_the_store_say_which_key_seals<S: Store + Clone>(store: S) {
    let (only_old, both) = (&[OLD_KEY][..], &[NEW_KEY, OLD_KEY][..]);
    let gateway = |of: &[&str]| Vault::new(keys(of), store.clone());
    let (a, b) = (gateway(only_old), gateway(only_old));
    put(&a, "alice", 1).await;

    // The new key is first at one of them, and nothing is rotated yet.
    let a = gateway(both);
    put(&a, "alice", 2).await;
    assert_eq!(held(&b, "alice").await, Some(2));
    assert_eq!(a.sealing_key().await.unwrap(), b.keyring().first_key());
    assert_eq!(a.rotate_keys().await.unwrap().unopened, 0);
    assert_eq!(a.sealing_key().await.unwrap(), a.keyring().first_key());

    // The other one was forgotten. It seals nothing, and says which key it needs.
    let new = a.keyring().first_key().to_string();
    for refused in [
        b.put("bob", "bob", &crate::suite::password(1)).await.map(drop),
        b.ready().await,
        b.rotate_keys().await.map(drop),
    ] {
        let error = refused.unwrap_err();
        assert!(matches!(error, VaultError::NoSealingKey(_)), "{error}");
        assert!(error.to_string().contains(&new), "{error}");
    }
    let b = gateway(&[OLD_KEY, NEW_KEY]);
    put(&b, "bob", 3).await;
    assert_eq!(held(&gateway(&[NEW_KEY]), "bob").await, Some(3));
    b.ready().await.unwrap();

    // A key that has sealed does so no more.
    assert_eq!(b.rotate_keys().await.unwrap().up_to_date, 2);
    assert_eq!(b.sealing_key().await.unwrap().to_string(), new);
}

/// What was sealed before a key was taken away, and is committed afterwards, is refused.
pub(crate) async fn keeps_a_key_that_records_need<S: Store + Clone>(store: S) {
    let old = Vault::new(keys(&[OLD_KEY]), store.clone());
    put(&old, "alice", 1).await;
    let late = Vault::new(keys(&[OLD_KEY]), MemoryStore::new());
    put(&late, "late", 1).await;
    late.bind("https://id", "1", "late").await.unwrap();
    let soon = std::time::SystemTime::now() + std::time::Duration::from_secs(60);
    let flow = FlowState::Collected(login("late", 1));
    late.put_flow("late", soon, flow).await.unwrap();

    let both = Vault::new(keys(&[NEW_KEY, OLD_KEY]), store.clone());
    assert!(both.take_keys_away().await.unwrap().is_empty(), "it seals");
    both.rotate_keys().await.unwrap();
    assert!(both.take_keys_away().await.unwrap().is_empty(), "ten minutes have not passed");
    age(&store).await;
    let taken = both.take_keys_away().await.unwrap();
    assert_eq!(taken, [old.keyring().first_key()]);

    let tables = [Table::Credential, Table::Binding, Table::LoginFlow];
    let mut rows = Vec::new();
    for table in tables {
        let row = late.store().page(table, None, None, 1).await.unwrap();
        rows.push(Change::add(table, row[0].clone()));
    }
    for change in &rows {
        let refused = store.commit("store it", vec![change.clone()]).await;
        let error = refused.unwrap_err().to_string();
        assert!(error.contains("has been pruned"), "{error}");
    }
    // Nor does it take the place of a row.
    let alice = store.get(Table::Credential, "alice").await.unwrap().unwrap();
    let row = Row {
        sealed: late.store().page(Table::Credential, None, None, 1).await.unwrap()[0]
            .sealed
            .clone(),
        ..Row::clone(&alice)
    };
    let replacing = Change::replace(Table::Credential, alice, row);
    store.commit("store it", vec![replacing]).await.unwrap_err();
    assert_eq!(held(&both, "alice").await, Some(1));
    put(&both, "bob", 2).await;

    // Records were found that need it.
    both.give_back_keys(&taken).await.unwrap();
    assert!(store.commit("store them", rows).await.unwrap().is_done());
    assert_eq!(held(&both, "late").await, Some(1));

    // While they are looked for, or if nobody gives the key back, what is stored can change its standing.
    assert_eq!(both.take_keys_away().await.unwrap(), taken);
    let revision = both.metadata("late").await.unwrap().unwrap().revision;
    assert!(both.suspend("late", revision).await.unwrap());
    assert!(both.metadata("late").await.unwrap().unwrap().suspended_at.is_some());
    both.give_back_keys(&taken).await.unwrap();
}

/// Moves back by ten minutes when keys were replaced.
pub(crate) async fn age(store: &dyn Store) {
    let rows = store.page(Table::SealingKey, None, None, 100).await.unwrap();
    for row in rows.into_iter().filter(|row| row.since.is_some()) {
        let aged = Row { since: row.since.map(|since| since - 600_000), ..Row::clone(&row) };
        let change = Change::replace(Table::SealingKey, Arc::clone(&row), aged);
        assert!(store.commit("age it", vec![change]).await.unwrap().is_done());
    }
}
