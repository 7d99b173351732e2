//! Bindings of persons to accounts, on each store (docs/API.md, section 2.7).

#[cfg(feature = "sqlite")]
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use futures_util::StreamExt as _;
use futures_util::future::join_all;
#[cfg(feature = "sqlite")]
use portreeve::vault::SqliteStore;
use portreeve::vault::{
    BindOutcome, Binding, BoundBy, Change, FlowState, MemoryStore, PersonId, RotationReport, Store,
    Table, Vault, VaultError,
};

use crate::suite::{NEW_KEY, OLD_KEY, held, keys, password};

const ISSUER: &str = "https://id.example.org";

macro_rules! suite {
    ($($name:ident),* $(,)?) => {
        mod memory {
            use super::*;
            $(#[tokio::test(flavor = "multi_thread")]
            async fn $name() {
                super::$name(MemoryStore::new()).await;
            })*
        }

        #[cfg(feature = "sqlite")]
        mod sqlite {
            use super::*;
            $(#[tokio::test(flavor = "multi_thread")]
            async fn $name() {
                let directory = tempfile::tempdir().unwrap();
                let store = SqliteStore::open(directory.path().join("portreeve.db")).await.unwrap();
                super::$name(store).await;
            })*
        }

        #[cfg(feature = "postgres")]
        mod postgres {
            $(#[tokio::test(flavor = "multi_thread")]
            async fn $name() {
                let Some(store) = crate::postgres::store().await else { return };
                super::$name(store).await;
            })*
        }
    };
}

suite! {
    binds_and_unbinds,
    two_persons_never_share_an_account_and_none_has_two,
    a_moved_or_altered_row_is_an_error_only_for_its_person,
    a_rotation_reseals_bindings,
    a_grant_binds_and_stores_atomically,
    invalid_persons_and_accounts_are_refused,
}

async fn account(vault: &Vault, subject: &str) -> Option<String> {
    let binding = vault.binding(ISSUER, subject).await.unwrap()?;
    assert_eq!((binding.issuer(), binding.subject()), (ISSUER, subject));
    Some(binding.user_id().to_string())
}

async fn listed(vault: &Vault) -> Vec<Result<Binding, VaultError>> {
    vault.bindings().collect().await
}

async fn binds_and_unbinds<S: Store>(store: S) {
    let vault = Vault::new(keys(&[OLD_KEY]), store);
    assert_eq!(account(&vault, "1").await, None);
    assert!(!vault.unbind(ISSUER, "1").await.unwrap());
    let before = SystemTime::now() - Duration::from_millis(1);
    let bound = vault.bind(ISSUER, "1", "alice").await.unwrap();
    assert_eq!(bound, BindOutcome::Bound);
    let binding = vault.binding(ISSUER, "1").await.unwrap().unwrap();
    assert_eq!(binding.bound_by(), BoundBy::Operator);
    assert!(binding.bound_at() >= before && binding.bound_at() <= SystemTime::now());
    // The same subject of another issuer is another person, and so is one whose issuer and subject
    // concatenate to the same text.
    assert!(
        vault
            .binding("https://id.example.com", "1")
            .await
            .unwrap()
            .is_none()
    );
    assert!(
        vault
            .binding("https://id.example.or", "g1")
            .await
            .unwrap()
            .is_none()
    );
    let again = vault.bind(ISSUER, "1", "alice").await.unwrap();
    assert_eq!(again, BindOutcome::AlreadyBound);
    assert_eq!(listed(&vault).await.len(), 1);

    assert!(vault.unbind(ISSUER, "1").await.unwrap());
    assert_eq!(account(&vault, "1").await, None);
    assert_eq!(
        vault.bind(ISSUER, "2", "alice").await.unwrap(),
        BindOutcome::Bound
    );
    assert!(!vault.unbind_user("bob").await.unwrap());
    assert!(vault.unbind_user("alice").await.unwrap());
    assert_eq!(account(&vault, "2").await, None);

    for number in 0..300 {
        let (subject, user) = (format!("s{number}"), format!("u{number}"));
        vault.bind(ISSUER, &subject, &user).await.unwrap();
    }
    let all = listed(&vault).await;
    let mut users: Vec<_> = all
        .iter()
        .map(|it| it.as_ref().unwrap().user_id().clone())
        .collect();
    users.sort();
    users.dedup();
    assert_eq!(users.len(), 300);
    assert!(vault.unbind_user("u299").await.unwrap());
}

async fn two_persons_never_share_an_account_and_none_has_two<S: Store>(store: S) {
    let vault = Vault::new(keys(&[OLD_KEY]), store);
    for round in 0..20 {
        let user = format!("user {round}");
        let people: Vec<_> = (0..8).map(|number| format!("{round}/{number}")).collect();
        // At once, eight persons bind one account, and each of them an account of its own, too.
        let tries = people.iter().enumerate().flat_map(|(number, subject)| {
            let own = format!("own {round}/{number}");
            [(subject, user.clone()), (subject, own)]
        });
        let tries = tries.map(|(subject, user)| {
            let (vault, subject) = (vault.clone(), subject.clone());
            tokio::spawn(async move { vault.bind(ISSUER, &subject, &user).await.unwrap() })
        });
        for outcome in join_all(tries.collect::<Vec<_>>()).await {
            let outcome = outcome.unwrap();
            assert_ne!(outcome, BindOutcome::AlreadyBound);
        }
        let mut with_it = 0;
        for subject in &people {
            let account = account(&vault, subject)
                .await
                .expect("one of the two was free");
            with_it += usize::from(account == user);
        }
        assert!(with_it <= 1, "{with_it} people are {user}");
    }
}

async fn a_moved_or_altered_row_is_an_error_only_for_its_person<S: Store>(store: S) {
    let vault = Vault::new(keys(&[OLD_KEY]), store);
    vault.bind(ISSUER, "alice", "alice").await.unwrap();
    vault.bind(ISSUER, "mallory", "mallory").await.unwrap();
    let row = |subject: &str| {
        let person = PersonId::of(ISSUER, subject);
        let store = vault.store();
        async move {
            store
                .get(Table::Binding, person.as_str())
                .await
                .unwrap()
                .unwrap()
        }
    };
    let (alice, mallory) = (row("alice").await, row("mallory").await);
    // Somebody who can write to the database gives Mallory's row another account, Alice's sealed bytes, or
    // both, and flips each byte.
    let mut forged = Vec::new();
    for (user, sealed) in [
        ("admin", &mallory.sealed),
        ("mallory", &alice.sealed),
        ("admin", &alice.sealed),
    ] {
        forged.push((user, sealed.clone()));
    }
    for position in 0..mallory.sealed.len() {
        let mut sealed = mallory.sealed.clone();
        sealed[position] ^= 1;
        forged.push(("mallory", sealed));
    }
    forged.push(("mallory", Box::default()));
    for (user, sealed) in forged {
        let mut row = (*mallory).clone();
        (row.owner, row.sealed) = (user.into(), sealed);
        let change = Change::put(Table::Binding, row);
        let stored = vault.store().commit("forge a binding", vec![change]);
        assert!(stored.await.unwrap().is_done());
        let error = vault.binding(ISSUER, "mallory").await.unwrap_err();
        assert!(
            matches!(error, VaultError::UnopenedBinding { .. }),
            "{error}"
        );
        assert_eq!(account(&vault, "alice").await.as_deref(), Some("alice"));
    }
    // The listing continues, and a binding that does not open can be removed.
    let items = listed(&vault).await;
    assert_eq!(items.len(), 2);
    assert_eq!(items.iter().filter(|it| it.is_err()).count(), 1);
    assert!(vault.unbind(ISSUER, "mallory").await.unwrap());
    assert_eq!(
        vault.bind(ISSUER, "mallory", "mallory").await.unwrap(),
        BindOutcome::Bound
    );
    assert_eq!(account(&vault, "mallory").await.as_deref(), Some("mallory"));
}

async fn a_rotation_reseals_bindings<S: Store + Clone>(store: S) {
    let old = Vault::new(keys(&[OLD_KEY]), store.clone());
    for number in 0..300 {
        let subject = number.to_string();
        old.bind(ISSUER, &subject, &format!("u{number}"))
            .await
            .unwrap();
    }
    let both = Vault::new(keys(&[NEW_KEY, OLD_KEY]), store.clone());
    // Another task binds and unbinds meanwhile.
    let busy = tokio::spawn({
        let vault = old.clone();
        async move {
            for number in 0..50 {
                let subject = number.to_string();
                assert!(vault.unbind(ISSUER, &subject).await.unwrap());
                vault
                    .bind(ISSUER, &subject, &format!("u{number}"))
                    .await
                    .unwrap();
            }
        }
    });
    both.rotate_keys(|_| {}).await.unwrap();
    busy.await.unwrap();
    let report = both.rotate_keys(|_| {}).await.unwrap();
    let RotationReport {
        resealed,
        up_to_date,
        unopened,
        ..
    } = report;
    assert_eq!((resealed + up_to_date, unopened), (300, 0), "{report:?}");
    let new = Vault::new(keys(&[NEW_KEY]), store);
    for number in 0..300 {
        let expected = format!("u{number}");
        assert_eq!(account(&new, &number.to_string()).await, Some(expected));
    }
    let report = new.rotate_keys(|_| {}).await.unwrap();
    assert_eq!((report.resealed, report.up_to_date), (0, 300));
}

async fn a_grant_binds_and_stores_atomically<S: Store>(store: S) {
    let vault = Vault::new(keys(&[OLD_KEY]), store);
    let soon = SystemTime::now() + Duration::from_secs(60);
    let start = |subject: &str| {
        let owner = PersonId::of(ISSUER, subject);
        let vault = vault.clone();
        async move {
            let state = FlowState::Collected {
                login_name: "alice".into(),
                password: password(1),
            };
            vault.put_flow(owner.as_owner(), soon, state).await.unwrap()
        }
    };
    let grant = |flow, subject: &'static str, user: &'static str, number| {
        let vault = vault.clone();
        async move {
            let password = password(number);
            let granted =
                vault.grant_flow_and_bind(&flow, (ISSUER, subject), user, user, &password);
            granted.await.unwrap()
        }
    };
    let (first, second) = (start("1").await, start("1").await);
    let (outcome, stored) = grant(first.clone(), "1", "alice", 1).await;
    assert_eq!(
        (outcome, stored.unwrap().user_id()),
        (BindOutcome::Bound, "alice")
    );
    let binding = vault.binding(ISSUER, "1").await.unwrap().unwrap();
    assert_eq!(binding.bound_by(), BoundBy::LoginFlow);
    assert_eq!(held(&vault, "alice").await, Some(1));
    // A flow that is over changes nothing, and a person who has an account gets no other.
    assert_eq!(
        grant(first, "1", "alice", 2).await,
        (BindOutcome::FlowChanged, None)
    );
    assert_eq!(
        grant(second.clone(), "1", "bob", 2).await,
        (BindOutcome::PersonTaken, None)
    );
    // Nor is an account bound to another person.
    let third = start("2").await;
    assert_eq!(
        grant(third.clone(), "2", "alice", 2).await,
        (BindOutcome::AccountTaken, None)
    );
    assert_eq!(held(&vault, "alice").await, Some(1));
    assert_eq!(held(&vault, "bob").await, None);
    assert_eq!(account(&vault, "2").await, None);
    // The flow is unchanged.
    let owner = PersonId::of(ISSUER, "2");
    let flow = vault
        .flow(owner.as_owner(), third.flow_id())
        .await
        .unwrap()
        .unwrap();
    assert!(matches!(flow.state(), FlowState::Collected { .. }));
    // Another grant of the same account replaces the password.
    let (outcome, stored) = grant(second, "1", "alice", 3).await;
    assert_eq!(
        (outcome, stored.is_some()),
        (BindOutcome::AlreadyBound, true)
    );
    assert_eq!(held(&vault, "alice").await, Some(3));

    // Many persons' flows, granted at once by the same account.
    let people: [&'static str; 8] = ["a", "b", "c", "d", "e", "f", "g", "h"];
    let flows = join_all(people.map(start)).await;
    let grants = flows
        .into_iter()
        .zip(people)
        .enumerate()
        .map(|(number, (flow, subject))| tokio::spawn(grant(flow, subject, "carol", 10 + number)));
    let outcomes: Vec<_> = join_all(grants.collect::<Vec<_>>()).await;
    let won: Vec<_> = outcomes
        .iter()
        .map(|it| it.as_ref().unwrap())
        .zip(people)
        .enumerate()
        .filter(|(_, ((outcome, _), _))| *outcome == BindOutcome::Bound)
        .collect();
    assert_eq!(won.len(), 1);
    let (number, (_, subject)) = &won[0];
    assert_eq!(held(&vault, "carol").await, Some(10 + number));
    assert_eq!(account(&vault, subject).await.as_deref(), Some("carol"));
    for other in people.iter().filter(|other| *other != subject) {
        assert_eq!(account(&vault, other).await, None);
    }
}

async fn invalid_persons_and_accounts_are_refused<S: Store>(store: S) {
    let vault = Vault::new(keys(&[OLD_KEY]), store);
    let long = "x".repeat(1025);
    for (issuer, subject) in [("", "1"), (ISSUER, ""), (&long, "1"), (ISSUER, &long)] {
        let error = vault.bind(issuer, subject, "alice").await.unwrap_err();
        assert!(matches!(error, VaultError::Person), "{error}");
    }
    let owner = PersonId::of(ISSUER, "1");
    for user in ["", "a\nb", &"x".repeat(256), owner.as_owner()] {
        let error = vault.bind(ISSUER, "1", user).await.unwrap_err();
        assert!(matches!(error, VaultError::UserId), "{error}");
    }
    // The owner id of a person can own login flows, and nothing else.
    let soon = SystemTime::now() + Duration::from_secs(60);
    let state = || FlowState::Granted;
    vault
        .put_flow(owner.as_owner(), soon, state())
        .await
        .unwrap();
    assert!(
        vault
            .put(owner.as_owner(), "a", &password(1))
            .await
            .is_err()
    );
    for owner in [
        "\u{1}",
        "\u{1}abc",
        &format!("{}0", owner.as_owner()),
        &format!("\u{2}{owner}"),
    ] {
        assert!(
            vault.put_flow(owner, soon, state()).await.is_err(),
            "{owner:?}"
        );
    }
    assert_eq!(
        vault.bind(ISSUER, "a\n\tb", "ä b").await.unwrap(),
        BindOutcome::Bound
    );
    assert_eq!(account(&vault, "a\n\tb").await.as_deref(), Some("ä b"));
}

/// One handle binds and unbinds; each lookup on another handle to the same file sees the changes
/// that were acknowledged before it began.
#[cfg(feature = "sqlite")]
#[tokio::test(flavor = "multi_thread")]
async fn an_unbinding_is_seen_by_another_handle_at_once() {
    use std::sync::atomic::{AtomicUsize, Ordering};

    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("portreeve.db");
    let open = async || {
        let store = SqliteStore::open(&path).await.unwrap();
        Vault::new(keys(&[OLD_KEY]), store)
    };
    let (writing, reading) = (open().await, open().await);
    let done = Arc::new(AtomicUsize::new(0));
    let readers = [reading.clone(), reading.clone(), writing.clone()].map(|vault| {
        let done = done.clone();
        tokio::spawn(async move {
            while done.load(Ordering::SeqCst) < 200 {
                let before = done.load(Ordering::SeqCst);
                let seen = vault.binding(ISSUER, "1").await.unwrap();
                // Odd rounds bind to an account of their own, even rounds unbind.
                if let Some(binding) = seen {
                    let round: usize = binding.user_id()[1..].parse().unwrap();
                    assert!(round >= before, "round {round} after {before}");
                }
                tokio::task::yield_now().await;
            }
        })
    });
    for round in 1..=200 {
        match round % 2 {
            1 => {
                let bound = writing
                    .bind(ISSUER, "1", &format!("u{round}"))
                    .await
                    .unwrap();
                assert_eq!(bound, BindOutcome::Bound);
            }
            _ => assert!(writing.unbind(ISSUER, "1").await.unwrap()),
        }
        done.store(round, Ordering::SeqCst);
        let expected = (round % 2 == 1).then(|| format!("u{round}"));
        for _ in 0..3 {
            assert_eq!(account(&reading, "1").await, expected, "round {round}");
        }
    }
    for reader in readers {
        reader.await.unwrap();
    }
}
