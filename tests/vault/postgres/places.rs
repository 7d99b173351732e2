//! The places for logins that several gateways have in common.

use std::time::{Duration, SystemTime};

use portreeve::vault::{
    ClaimedPlace, CommonPlaces, LoginPurpose, MemoryStore, RefusedLogin, Store,
};

use super::{open, server};

fn place(id: u64) -> ClaimedPlace {
    ClaimedPlace {
        id,
        user_id: "alice".into(),
        purpose: LoginPurpose::FirstUse,
        forgivable: true,
    }
}

async fn version(places: &dyn CommonPlaces) -> u64 {
    places
        .occupied(SystemTime::UNIX_EPOCH)
        .await
        .unwrap()
        .version
}

async fn claims<S: Store>(one: S, other: S) {
    let (places, others) = (one.common_places().unwrap(), other.common_places().unwrap());
    let read = version(&*places).await;
    assert!(places.claim(place(1), read).await.unwrap());
    assert!(
        !others.claim(place(2), read).await.unwrap(),
        "it was claimed since"
    );
    let occupied = others.occupied(SystemTime::UNIX_EPOCH).await.unwrap();
    assert_eq!(
        (&occupied.in_flight[..], occupied.refused.len()),
        (&[place(1)][..], 0)
    );
    assert_eq!(occupied.version, read + 1);

    // A refused login takes its place over, and makes claims look again.
    let refused = RefusedLogin {
        id: 1,
        user_id: "alice".into(),
        refused_at: SystemTime::UNIX_EPOCH + Duration::from_secs(1000),
        purpose: LoginPurpose::FirstUse,
        forgivable: true,
    };
    one.put_refused_login(refused.clone(), SystemTime::UNIX_EPOCH)
        .await
        .unwrap();
    assert!(!others.claim(place(2), read + 1).await.unwrap());
    let occupied = others.occupied(SystemTime::UNIX_EPOCH).await.unwrap();
    assert_eq!(
        (occupied.in_flight.len(), &occupied.refused[..]),
        (0, &[refused][..])
    );
    let later = SystemTime::UNIX_EPOCH + Duration::from_secs(2000);
    assert!(others.occupied(later).await.unwrap().refused.is_empty());
    places.release(vec![1, 77]).await.unwrap();
    assert_eq!(
        one.refused_logins(SystemTime::UNIX_EPOCH)
            .await
            .unwrap()
            .len(),
        1
    );

    assert!(
        others
            .claim(place(3), version(&*others).await)
            .await
            .unwrap()
    );
    others.release(vec![3]).await.unwrap();
    assert!(places.occupied(later).await.unwrap().in_flight.is_empty());

    // Of many that claim by the same reading one does.
    for round in 0..20 {
        let read = version(&*places).await;
        let claiming: Vec<_> = (0..8)
            .map(|task| {
                let places = if task % 2 == 0 { &places } else { &others }.clone();
                tokio::spawn(
                    async move { places.claim(place(100 + 10 * round + task), read).await },
                )
            })
            .collect();
        let mut claimed = 0;
        for task in claiming {
            claimed += usize::from(task.await.unwrap().unwrap());
        }
        assert_eq!(claimed, 1);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn one_gateway_claims_a_place() {
    let store = MemoryStore::for_several_gateways();
    claims(store.clone(), store).await;
    let Some(server) = server() else { return };
    let url = server.database();
    claims(open(&url).await, open(&url).await).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn news_of_places_reach_the_other_gateways() {
    use portreeve::vault::PlacesNews::{Freed, Refused, Wanted};

    let Some(server) = server() else { return };
    let url = server.database();
    let (one, other) = (open(&url).await, open(&url).await);
    let places = one.common_places().unwrap();
    let mut news = other.common_places().unwrap().news();
    places.want().await.unwrap();
    assert_eq!(news.recv().await.unwrap(), Wanted);
    assert!(
        places
            .claim(place(1), version(&*places).await)
            .await
            .unwrap()
    );
    places.release(vec![1]).await.unwrap();
    assert_eq!(news.recv().await.unwrap(), Freed);
    let refused = RefusedLogin {
        id: 5,
        user_id: "alice".into(),
        refused_at: SystemTime::now(),
        purpose: LoginPurpose::New,
        forgivable: true,
    };
    one.put_refused_login(refused, SystemTime::UNIX_EPOCH)
        .await
        .unwrap();
    while news.recv().await.unwrap() != Refused {}
}
