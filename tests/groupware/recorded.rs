//! Calls of a stand-in for the server, which replays recorded answers.

use portreeve::groupware::{Access, Account, Builder, Groupware};

use crate::support::nextcloud::{Nextcloud, Recording};

pub(crate) const PASSWORD: &str = "FAKEAppPassword00000000";

/// A client that trusts the certificate of `nextcloud`, if it has one.
pub(crate) fn builder(nextcloud: &Nextcloud) -> Builder {
    let url = nextcloud.url();
    let builder = Groupware::builder(url.parse().unwrap());
    if url.starts_with("https") {
        builder.extra_ca(nextcloud.ca_pem().as_bytes()).unwrap()
    } else {
        builder
    }
}

pub(crate) fn client(nextcloud: &Nextcloud) -> Groupware {
    builder(nextcloud).build().unwrap()
}

pub(crate) fn account(user: &str) -> Account {
    Account::new(user, user, PASSWORD).unwrap()
}

/// A new client, for calls as `user`.
pub(crate) fn access(nextcloud: &Nextcloud, user: &str) -> Access {
    client(nextcloud).access(account(user))
}

/// The user for whom an answer was recorded.
pub(crate) fn user_of(recording: &Recording) -> &str {
    let mut headers = recording.response.headers.iter();
    let named = headers.find(|(name, _)| name == "X-User-Id");
    named.map_or("alice", |(_, id)| id)
}
