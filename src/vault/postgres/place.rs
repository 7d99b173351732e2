//! The places of all gateways, in the database.

use std::time::SystemTime;

use tokio::sync::broadcast;
use tokio_postgres::types::ToSql;
use tokio_postgres::{Error, Row};

use super::super::time::{from_millis, to_millis};
use super::super::{
    ClaimedPlace, CommonPlaces, LoginPurpose, OccupiedPlaces, PlacesFuture, PlacesNews,
    RefusedLogin,
};
use super::PostgresStore;

/// One statement, so that all of it is of one instant. The first row has the version alone.
const OCCUPIED: &str = "SELECT version, 0::bigint, ''::text, 0::smallint, false, NULL::bigint, 0 \
         FROM portreeve.place_version \
     UNION ALL SELECT 0, id, user_id, purpose, forgivable, NULL, 1 \
         FROM portreeve.place WHERE expires_at > now() \
     UNION ALL SELECT 0, id, user_id, purpose, forgivable, refused_at, 2 \
         FROM portreeve.refused_login WHERE refused_at >= $1";

/// Two that claim at once wait for each other at the version, and the second one finds another than it
/// read.
const CLAIM: &str = "WITH next AS (\
         UPDATE portreeve.place_version SET version = version + 1 WHERE version = $1 RETURNING 1), \
     expired AS (DELETE FROM portreeve.place WHERE expires_at <= now()) \
     INSERT INTO portreeve.place (id, user_id, purpose, forgivable, expires_at) \
     SELECT $2::bigint, $3::text, $4::smallint, $5::boolean, now() + interval '1 minute' FROM next \
     RETURNING 1";

const RELEASE: &str = "DELETE FROM portreeve.place WHERE id = ANY($1)";

const WANT: &str = "SELECT pg_notify('portreeve', 'w')";

/// A row of [`OCCUPIED`].
enum Occupied {
    Version(u64),
    InFlight(ClaimedPlace),
    Refused(RefusedLogin),
}

impl CommonPlaces for PostgresStore {
    fn occupied(&self, since: SystemTime) -> PlacesFuture<'_, OccupiedPlaces> {
        Box::pin(async move {
            let action = "read the places for logins";
            let since = to_millis(since);
            let rows = self.read(action, OCCUPIED, &[&since]).await?;
            let mut occupied = OccupiedPlaces::default();
            for row in self.decode(action, &rows, decode)? {
                match row {
                    Occupied::Version(version) => occupied.version = version,
                    Occupied::InFlight(place) => occupied.in_flight.push(place),
                    Occupied::Refused(login) => occupied.refused.push(login),
                }
            }
            Ok(occupied)
        })
    }

    fn claim(&self, place: ClaimedPlace, version: u64) -> PlacesFuture<'_, bool> {
        Box::pin(async move {
            let (version, id) = (version.cast_signed(), place.id.cast_signed());
            let (user_id, purpose) = (&*place.user_id, i16::from(place.purpose.code()));
            let values: [&(dyn ToSql + Sync); 5] =
                [&version, &id, &user_id, &purpose, &place.forgivable];
            let claimed = self.write("claim a place for a login", CLAIM, &values);
            Ok(!claimed.await?.is_empty())
        })
    }

    fn release(&self, ids: Vec<u64>) -> PlacesFuture<'_, ()> {
        Box::pin(async move {
            let ids: Vec<_> = ids.into_iter().map(u64::cast_signed).collect();
            let released = self
                .write("release places for logins", RELEASE, &[&ids])
                .await;
            released.map(drop)
        })
    }

    fn want(&self) -> PlacesFuture<'_, ()> {
        Box::pin(async move {
            let wanted = self.write("ask for places for logins", WANT, &[]).await;
            wanted.map(drop)
        })
    }

    fn news(&self) -> broadcast::Receiver<PlacesNews> {
        self.shared.news.subscribe()
    }
}

fn decode(row: &Row) -> Result<Occupied, Error> {
    let id = row.try_get::<_, i64>(1)?.cast_unsigned();
    let purpose = u8::try_from(row.try_get::<_, i16>(3)?).unwrap_or(u8::MAX);
    let place = ClaimedPlace {
        id,
        user_id: row.try_get::<_, &str>(2)?.into(),
        purpose: LoginPurpose::from_code(purpose),
        forgivable: row.try_get(4)?,
    };
    Ok(match row.try_get::<_, i32>(6)? {
        0 => Occupied::Version(row.try_get::<_, i64>(0)?.cast_unsigned()),
        1 => Occupied::InFlight(place),
        _ => Occupied::Refused(RefusedLogin {
            id,
            user_id: place.user_id,
            refused_at: from_millis(row.try_get::<_, Option<i64>>(5)?.unwrap_or_default()),
            purpose: place.purpose,
            forgivable: place.forgivable,
        }),
    })
}
