//! Bindings of persons to accounts, on each store (docs/API.md, section 2.7).

use std::time::{Duration, SystemTime};

use futures_util::StreamExt as _;
use futures_util::future::join_all;
use portreeve::vault::{
    BindOutcome, Binding, BoundBy, Change, FlowState, LoginFlow, PersonId, Store, Table, Vault,
    VaultError,
};

use crate::suite::{NEW_KEY, OLD_KEY, held, keys, login, password};

const ISSUER: &str = "https://id.example.org";

on_each_store! {
    bindings:
    binds_and_unbinds,
    two_persons_never_share_an_account_and_none_has_two,
    a_moved_or_altered_row_is_an_error_only_for_its_person,
    a_rotation_reseals_bindings,
    a_grant_binds_and_stores_atomically,
    invalid_persons_and_accounts_are_refused,
}

async fn account(vault: &Vault, subject: &str) -> Option<String> {
    let binding = vault.binding(ISSUER, subject).await.unwrap()?;
    assert_eq!((&*binding.issuer, &*binding.subject), (ISSUER, subject));
    Some(binding.user_id.to_string())
}

async fn listed(vault: &Vault) -> Vec<Result<Binding, VaultError>> {
    vault.bindings().collect().await
}

pub(crate) async fn binds_and_unbinds<S: Store>(store: S) {
    let vault = Vault::new(keys(&[OLD_KEY]), store);
    assert_eq!(account(&vault, "1").await, None);
    assert!(!vault.unbind(ISSUER, "1").await.unwrap());
    let before = SystemTime::now() - Duration::from_millis(1);
    let bound = vault.bind(ISSUER, "1", "alice").await.unwrap();
    assert_eq!(bound, BindOutcome::Bound);
    let binding = vault.binding(ISSUER, "1").await.unwrap().unwrap();
    assert_eq!(binding.bound_by, BoundBy::Operator);
    assert!(binding.bound_at >= before && binding.bound_at <= SystemTime::now());
    // The same subject of another issuer is another person, and so is one whose issuer and subject
    // concatenate to the same text.
    for (issuer, subject) in [("https://id.example.com", "1"), ("https://id.example.or", "g1")] {
        let other = vault.binding(issuer, subject).await.unwrap();
        assert!(other.is_none(), "{issuer} {subject}");
    }
    let again = vault.bind(ISSUER, "1", "alice").await.unwrap();
    assert_eq!(again, BindOutcome::AlreadyBound);
    assert_eq!(listed(&vault).await.len(), 1);

    assert!(vault.unbind(ISSUER, "1").await.unwrap());
    assert_eq!(account(&vault, "1").await, None);
    assert_eq!(vault.bind(ISSUER, "2", "alice").await.unwrap(), BindOutcome::Bound);
    assert!(!vault.unbind_user("bob").await.unwrap());
    assert!(vault.unbind_user("alice").await.unwrap());
    assert_eq!(account(&vault, "2").await, None);

    for number in 0..300 {
        let (subject, user) = (format!("s{number}"), format!("u{number}"));
        vault.bind(ISSUER, &subject, &user).await.unwrap();
    }
    let all = listed(&vault).await;
    let mut users: Vec<_> = all.iter().map(|it| it.as_ref().unwrap().user_id.clone()).collect();
    users.sort();
    users.dedup();
    assert_eq!(users.len(), 300);
    assert!(vault.unbind_user("u299").await.unwrap());
}

pub(crate) async fn two_persons_never_share_an_account_and_none_has_two<S: Store>(store: S) {
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
            let account = account(&vault, subject).await.expect("one of the two was free");
            with_it += usize::from(account == user);
        }
        assert!(with_it <= 1, "{with_it} people are {user}");
    }
}

pub(crate) async fn a_moved_or_altered_row_is_an_error_only_for_its_person<S: Store>(store: S) {
    let vault = Vault::new(keys(&[OLD_KEY]), store);
    vault.bind(ISSUER, "alice", "alice").await.unwrap();
    vault.bind(ISSUER, "mallory", "mallory").await.unwrap();
    let row = async |subject: &str| {
        let person = PersonId::new(ISSUER, subject);
        let row = vault.store().get(Table::Binding, person.as_str()).await;
        row.unwrap().unwrap()
    };
    let (alice, mallory) = (row("alice").await, row("mallory").await);
    // Somebody who can write to the database gives Mallory's row another account, Alice's sealed bytes, or
    // both, and flips each byte.
    let mut forged = vec![
        ("admin", mallory.sealed.clone()),
        ("mallory", alice.sealed.clone()),
        ("admin", alice.sealed.clone()),
    ];
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
        assert!(matches!(error, VaultError::Unopened { .. }), "{error}");
        assert_eq!(account(&vault, "alice").await.as_deref(), Some("alice"));
    }
    // The listing continues, and a binding that does not open can be removed.
    let items = listed(&vault).await;
    assert_eq!(items.len(), 2);
    assert_eq!(items.iter().filter(|it| it.is_err()).count(), 1);
    assert!(vault.unbind(ISSUER, "mallory").await.unwrap());
    assert_eq!(vault.bind(ISSUER, "mallory", "mallory").await.unwrap(), BindOutcome::Bound);
    assert_eq!(account(&vault, "mallory").await.as_deref(), Some("mallory"));
}

pub(crate) async fn a_rotation_reseals_bindings<S: Store + Clone>(store: S) {
    let old = Vault::new(keys(&[OLD_KEY]), store.clone());
    for number in 0..300 {
        let subject = number.to_string();
        old.bind(ISSUER, &subject, &format!("u{number}")).await.unwrap();
    }
    let both = Vault::new(keys(&[NEW_KEY, OLD_KEY]), store.clone());
    // Another gateway binds and unbinds meanwhile.
    let busy = tokio::spawn({
        let vault = Vault::new(keys(&[OLD_KEY, NEW_KEY]), store.clone());
        async move {
            for number in 0..50 {
                let subject = number.to_string();
                assert!(vault.unbind(ISSUER, &subject).await.unwrap());
                vault.bind(ISSUER, &subject, &format!("u{number}")).await.unwrap();
            }
        }
    });
    both.rotate_keys().await.unwrap();
    busy.await.unwrap();
    let report = both.rotate_keys().await.unwrap();
    let opened = report.resealed + report.up_to_date;
    assert_eq!((opened, report.unopened), (300, 0), "{report:?}");
    let new = Vault::new(keys(&[NEW_KEY]), store);
    for number in 0..300 {
        let expected = format!("u{number}");
        assert_eq!(account(&new, &number.to_string()).await, Some(expected));
    }
    let report = new.rotate_keys().await.unwrap();
    assert_eq!((report.resealed, report.up_to_date), (0, 300));
}

pub(crate) async fn a_grant_binds_and_stores_atomically<S: Store>(store: S) {
    let vault = Vault::new(keys(&[OLD_KEY]), store);
    let soon = SystemTime::now() + Duration::from_secs(60);
    let start = async |subject: &str| {
        let owner = PersonId::new(ISSUER, subject);
        let state = FlowState::Collected(login("alice", 1));
        let started = vault.put_flow(owner.as_owner(), soon, state).await;
        started.unwrap()
    };
    let grant = async |flow: &LoginFlow, subject: &str, user: &str, number| {
        let (person, login) = ((ISSUER, subject), login(user, number));
        let granted = vault.grant_flow_and_bind(flow, person, user, &login);
        granted.await.unwrap()
    };
    let (first, second) = (start("1").await, start("1").await);
    let outcome = grant(&first, "1", "alice", 1).await;
    assert_eq!(outcome, BindOutcome::Bound);
    let binding = vault.binding(ISSUER, "1").await.unwrap().unwrap();
    assert_eq!(binding.bound_by, BoundBy::LoginFlow);
    assert_eq!(held(&vault, "alice").await, Some(1));
    // A flow that is over changes nothing, and a person who has an account gets no other.
    let outcome = grant(&first, "1", "alice", 2).await;
    assert_eq!(outcome, BindOutcome::FlowChanged);
    let outcome = grant(&second, "1", "bob", 2).await;
    assert_eq!(outcome, BindOutcome::PersonTaken);
    // Nor is an account bound to another person.
    let third = start("2").await;
    let outcome = grant(&third, "2", "alice", 2).await;
    assert_eq!(outcome, BindOutcome::AccountTaken);
    assert_eq!(held(&vault, "alice").await, Some(1));
    assert_eq!(held(&vault, "bob").await, None);
    assert_eq!(account(&vault, "2").await, None);
    // The flow is unchanged.
    let owner = PersonId::new(ISSUER, "2");
    let flow = vault.flow(owner.as_owner(), third.flow_id()).await;
    let flow = flow.unwrap().unwrap();
    assert!(matches!(flow.state, FlowState::Collected(_)));
    // Another grant of the same account replaces the password.
    let outcome = grant(&second, "1", "alice", 3).await;
    assert_eq!(outcome, BindOutcome::AlreadyBound);
    assert_eq!(held(&vault, "alice").await, Some(3));

    // Many persons' flows, granted at once by the same account.
    let people = ["a", "b", "c", "d", "e", "f", "g", "h"];
    let flows = join_all(people.map(start)).await;
    let grants = people.iter().zip(&flows).enumerate();
    let grants = grants.map(|(number, (subject, flow))| grant(flow, subject, "carol", 10 + number));
    let outcomes = join_all(grants).await;
    let bound = |outcome: &BindOutcome| *outcome == BindOutcome::Bound;
    assert_eq!(outcomes.iter().filter(|outcome| bound(outcome)).count(), 1);
    let won = outcomes.iter().position(bound).unwrap();
    assert_eq!(held(&vault, "carol").await, Some(10 + won));
    for (number, subject) in people.iter().enumerate() {
        let account = account(&vault, subject).await;
        assert_eq!(account.is_some_and(|account| account == "carol"), number == won);
    }
}

pub(crate) async fn invalid_persons_and_accounts_are_refused<S: Store>(store: S) {
    let vault = Vault::new(keys(&[OLD_KEY]), store);
    let long = "x".repeat(1025);
    for (issuer, subject) in [("", "1"), (ISSUER, ""), (&long, "1"), (ISSUER, &long)] {
        let error = vault.bind(issuer, subject, "alice").await.unwrap_err();
        assert!(matches!(error, VaultError::Person), "{error}");
    }
    let owner = PersonId::new(ISSUER, "1");
    for user in ["", "a\nb", &"x".repeat(256), owner.as_owner()] {
        let error = vault.bind(ISSUER, "1", user).await.unwrap_err();
        assert!(matches!(error, VaultError::UserId), "{error}");
    }
    // The owner id of a person can own login flows, and nothing else.
    let soon = SystemTime::now() + Duration::from_secs(60);
    let state = || FlowState::Granted;
    let flow = vault.put_flow(owner.as_owner(), soon, state()).await;
    assert!(flow.is_ok());
    let stored = vault.put(owner.as_owner(), "a", &password(1)).await;
    assert!(stored.is_err());
    for owner in ["\u{1}", "\u{1}abc", &format!("{}0", owner.as_owner()), &format!("\u{2}{owner}")]
    {
        assert!(vault.put_flow(owner, soon, state()).await.is_err(), "{owner:?}");
    }
    assert_eq!(vault.bind(ISSUER, "a\n\tb", "ä b").await.unwrap(), BindOutcome::Bound);
    assert_eq!(account(&vault, "a\n\tb").await.as_deref(), Some("ä b"));
}
