//! What is stored, copied to another database and sealed anew.

use std::time::Duration;

use portreeve::deliveries::queue::Accounts;
use portreeve::deliveries::{
    AttemptOutcome, Deliveries, Incoming, Limits, Maker, Queue, Retried, Scope, TargetSettings,
};
use portreeve::groupware::EventClasses;
use portreeve::vault::{Change, CopyError, Keyring, MemoryStore, Row, Table, Vault};

use super::{Halves as _, Place, at, ended, for_each_store};
use crate::support::changed;

const OLD: &str = "AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE=";
const NEW: &str = "AgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgI=";

for_each_store! {
    everything_is_copied_to_another_database,
    a_copy_that_was_interrupted_is_completed,
    where_a_gateway_receives_nothing_is_copied,
    targets_are_sealed_anew_when_the_key_is_rotated,
    what_a_pruned_key_sealed_is_refused,
    a_target_that_is_changed_during_the_rotation_is_sealed_anew,
}

async fn everything_is_copied_to_another_database(place: Place) {
    let (one, paused) = (place.target("alice").await, place.target("bob").await);
    for _ in 0..5 {
        place.due(&[one, paused]).await;
    }
    let claimed = place.queue().claim(64, None).await.unwrap();
    let outcomes = [AttemptOutcome::Delivered, AttemptOutcome::Rejected].into_iter().cycle();
    let done = claimed.iter().zip(outcomes);
    let done = done.map(|(it, outcome)| ended(it, outcome, None));
    place.queue().complete(done.collect()).await.unwrap();
    let (unmatched, _) = place.receive("alice").await;
    let other = Place::sqlite().await.unwrap();
    assert_eq!(place.copy_to(&other).await.unwrap(), 11);
    let all = async |place: &Place| {
        let queue = place.queue();
        let mut deliveries = Vec::new();
        for target in [one, paused] {
            let of_target = queue.deliveries(Scope::All, target, None, None, 300).await;
            deliveries.push(of_target.unwrap().unwrap());
        }
        (
            queue.counts().await.unwrap(),
            queue.targets(Scope::All, None, 300).await.unwrap(),
            queue.events(Scope::All, at(0), 300).await.unwrap(),
            deliveries,
        )
    };
    assert_eq!(all(&other).await, all(&place).await);
    let failed = claimed.last().unwrap().id();
    let retried = other.queue().retry(Scope::All, failed).await.unwrap();
    assert_eq!(retried, Some(Retried::Due));
    assert!(!other.queue().claim(64, None).await.unwrap().is_empty());
    assert_eq!(other.queue().lease(10, Accounts::AllBut(&[])).await.unwrap()[0].id, unmatched);
    // What comes now comes after it.
    let last = place.receive("alice").await.1;
    assert_eq!(other.receive("alice").await.1, last);
    let again = place.copy_to(&other).await;
    assert!(matches!(again, Err(CopyError::NotEmpty(..))), "{again:?}");
}

/// One that was killed is there no more after 15 seconds.
async fn where_a_gateway_receives_nothing_is_copied(place: Place) {
    let (queue, second) = (place.queue(), Duration::from_secs(1));
    place.receive("alice").await;
    place.step_back(20 * second);
    queue.sign_of_life(600 * second).await.unwrap();
    place.copy_to(&Place::sqlite().await.unwrap()).await.unwrap();
    place.pass(20 * second);
    queue.sign_of_life(600 * second).await.unwrap();
    let other = Place::sqlite().await.unwrap();
    let copied = place.copy_to(&other).await;
    assert!(matches!(copied, Err(CopyError::Serving)), "{copied:?}");
    assert_eq!(other.queue().counts().await.unwrap().receipts, 0);
    queue.leave().await.unwrap();
    assert_eq!(place.copy_to(&other).await.unwrap(), 1);
}

/// What an interrupted copy has left is completed, whatever it is.
async fn a_copy_that_was_interrupted_is_completed(place: Place) {
    let target = place.target("alice").await;
    for _ in 0..5 {
        place.due(&[target]).await;
    }
    let other = Place::sqlite().await.unwrap();
    place.copy_to(&other).await.unwrap();
    let file = other._kept.as_ref().unwrap().path().join("deliveries.db");
    let lost =
        "DELETE FROM receipt_total; DELETE FROM delivery; DELETE FROM receipt WHERE position > 2";
    let database = rusqlite::Connection::open(file).unwrap();
    for lost in [lost, ""] {
        database.execute_batch(lost).unwrap();
        assert_eq!(place.copy_to(&other).await.unwrap(), 5);
        let events =
            async |place: &Place| place.queue().events(Scope::All, at(0), 300).await.unwrap();
        assert_eq!(events(&other).await, events(&place).await);
        assert_eq!(other.queue().counts().await.unwrap(), place.queue().counts().await.unwrap());
    }
    other.receive("alice").await;
    let copied = place.copy_to(&other).await;
    assert!(matches!(copied, Err(CopyError::NotEmpty(..))), "{copied:?}");
}

async fn targets_are_sealed_anew_when_the_key_is_rotated(place: Place) {
    let (with, settings) = (|keys: &[&str]| sealing(place.queue(), keys), settings());
    let target = with(&[OLD]).add_target(Some("alice"), &settings, Maker::of("alice")).await;
    let target = target.unwrap();
    let id = target.id;
    let report = with(&[NEW, OLD]).rotate_keys().await.unwrap();
    assert_eq!((report.resealed, report.up_to_date, report.unopened), (1, 0, 0));
    let report = with(&[NEW, OLD]).rotate_keys().await.unwrap();
    assert_eq!((report.resealed, report.up_to_date), (0, 1));
    let stored = place.queue().target(Scope::All, id).await.unwrap().unwrap();
    assert_eq!((stored.revision, stored.created_at), (2, target.created_at));
    let target = with(&[NEW]).open_target(&stored).await.unwrap();
    assert_eq!(target.uri, settings.uri);
    // Moved to another account it does not open.
    let moved = changed(stored, |it| it.account = Some("bob".into()));
    assert!(with(&[NEW]).open_target(&moved).await.is_err());
    assert_eq!(with(&[OLD]).rotate_keys().await.unwrap().unopened, 1);
}

/// Those sealed with a key that was taken away before they are stored: nothing is kept of them, and nothing else with them.
async fn what_a_pruned_key_sealed_is_refused(place: Place) {
    let vault = |keys: &[&str]| {
        let keyring = Keyring::from_base64_keys(keys.iter().copied()).unwrap();
        Vault::with_shared_store(keyring, place.store.clone())
    };
    let deliveries =
        |keys: &[&str]| Deliveries::new(vault(keys), place.queue().clone(), Limits::default());
    let event = || {
        let body = br#"{"event":{"class":"C"},"user":{"uid":"alice"}}"#;
        Incoming::parse(body, &EventClasses::trusting(["C"])).unwrap()
    };
    deliveries(&[OLD]).receive(event()).await.unwrap();
    let (elsewhere, settings) = (sealing(place.queue(), &[OLD]), settings());
    let target = elsewhere.add_target(Some("alice"), &settings, Maker::of("alice")).await.unwrap();
    let both = vault(&[NEW, OLD]);
    both.rotate_keys().await.unwrap();
    let id = Keyring::from_base64_keys([OLD]).unwrap().first_key();
    let row = place.store.get(Table::SealingKey, &id.to_string()).await.unwrap().unwrap();
    let aged = Row { since: row.since.map(|since| since - 600_000), ..Row::clone(&row) };
    let change = Change::replace(Table::SealingKey, row, aged);
    place.store.commit("age it", vec![change]).await.unwrap();
    let taking = deliveries(&[NEW, OLD]);
    assert_eq!(taking.take_keys_away().await.unwrap(), [id]);

    let refused = elsewhere.receive(event()).await.unwrap_err();
    assert!(refused.to_string().contains("has been pruned"), "{refused}");
    elsewhere.add_target(Some("alice"), &settings, Maker::of("alice")).await.unwrap_err();
    let changed = elsewhere.change_target(Scope::All, &target, &settings, None).await;
    changed.unwrap_err();
    let events = place.queue().events(Scope::Account("alice"), at(0), 10).await;
    assert_eq!(events.unwrap().receipts.len(), 1);
    deliveries(&[NEW, OLD]).receive(event()).await.unwrap();
    deliveries(&[NEW]).add_target(Some("alice"), &settings, Maker::of("alice")).await.unwrap();

    // Once all that it sealed has gone, its total alone is left, and is copied.
    let removed = place.queue().remove_target(Scope::All, target.id).await;
    assert!(removed.unwrap());
    while place.queue().clean(Duration::ZERO).await.unwrap() > 0 {}
    let other = Place::sqlite().await.unwrap();
    assert_eq!(place.copy_to(&other).await.unwrap(), 0);
}

/// Another gateway, which does not have the new key yet, changes the last one while the others are sealed anew.
async fn a_target_that_is_changed_during_the_rotation_is_sealed_anew(place: Place) {
    let (old, queue) = (sealing(place.queue(), &[OLD]), place.queue());
    let mut targets = Vec::new();
    // So many that the change comes before the last one has its turn, however busy the machine is.
    for number in 0..1000 {
        let account = format!("user{}", number % 10);
        let added = old.add_target(Some(&account), &settings(), Maker::of(&account)).await;
        targets.push(added.unwrap());
    }
    targets.sort_by_key(|it| it.id);
    let (first, last) = (&targets[0], &targets[999]);
    let rotating = sealing(&place.gateways[1], &[NEW, OLD]);
    let rotating = tokio::spawn(async move { rotating.rotate_keys().await.unwrap() });
    while queue.target(Scope::All, first.id).await.unwrap().unwrap().revision == 1 {
        tokio::task::yield_now().await;
    }
    let other = changed(settings(), |it| it.uri = "https://example.org/other".into());
    assert!(old.change_target(Scope::All, last, &other, None).await.unwrap());
    let report = rotating.await.unwrap();
    assert_eq!((report.resealed, report.up_to_date), (1000, 0));
    let stored = queue.target(Scope::All, last.id).await.unwrap().unwrap();
    let opened = sealing(queue, &[NEW]).open_target(&stored).await.unwrap();
    assert_eq!(opened.uri, other.uri);
}

fn sealing(queue: &Queue, keys: &[&str]) -> Deliveries {
    let keyring = Keyring::from_base64_keys(keys.iter().copied()).unwrap();
    let vault = Vault::new(keyring, MemoryStore::new());
    Deliveries::new(vault, queue.clone(), Limits::default())
}

fn settings() -> TargetSettings {
    let secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw".to_owned().into();
    TargetSettings::new("https://example.org/hook", secret)
}
