//! What each family opens: the policy of forwarding.
//!
//! A row is a surface of the server, patterns, and what the methods need. `app` is `/apps/…`, with or without `/index.php`;
//! `ocs` is `/ocs/v1.php/apps/…` and `/ocs/v2.php/apps/…`; `remote` is `/remote.php/…`. What no row names is not
//! forwarded: accounts, passwords and sessions, administration, what needs no login, what makes the server fetch an address
//! that the caller names (feeds, imports, mail accounts, subscriptions; but a recipe may name that of its picture), and
//! what moves a family to another folder.
//!
//! In a pattern, `a|b` is one of these segments, `{uid}` the id of the account, `{id}` digits, `{token}` lower-case letters
//! and digits, `a*` one that begins like this, `{any}` any segment, and `{rest}` any number of them. The first row that
//! fits a path decides, so that a name never passes for a parameter; one without methods opens nothing: generated
//! collections are another app's, or of all accounts.

use std::sync::LazyLock;

use foldhash::HashMap;

use super::family::{Family, Right, Scope, Scopes};

/// What a method needs of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Access {
    Read,
    Write,
    /// Sends mail, now or later.
    Send,
    /// Gives others data of the family: whoever does that can read it by another account.
    Share,
    /// Writes, with a file of the user's that the body may name.
    FromFile,
    /// Gives a file to others, or by a link to anybody, who may be allowed to change it.
    ShareFile,
    /// Reads what may wait for messages, and mark them as read.
    Chat,
    /// Writes a part of what `Destination` names.
    Upload,
    /// Never forwarded: the body names the paths that it is about.
    PathsInBody,
}

pub(super) struct Route {
    /// None for what finds the others, for which the right to read any family of DAV is enough.
    pub(super) family: Option<Family>,
    pub(super) surface: &'static str,
    pub(super) patterns: &'static [&'static str],
    pub(super) methods: &'static [(Access, &'static [&'static str])],
}

/// Among methods: `Destination` may name the path. No request has it, since it is no token.
pub(super) const TARGET: &str = "(target)";

/// What the paths of each surface begin with.
const SURFACES: [(&str, &str); 5] = [
    ("remote.php/", "remote"),
    ("index.php/apps/", "app"),
    ("apps/", "app"),
    ("ocs/v2.php/apps/", "ocs"),
    ("ocs/v1.php/apps/", "ocs"),
];

macro_rules! routes {
    ($($family:ident { $($surface:ident $($pattern:literal)+: $($access:ident [$($method:tt)+])*;)+ })+) => {
        pub(super) static ROUTES: &[Route] = &[$($(
            Route {
                family: routes!(@ $family),
                surface: stringify!($surface),
                patterns: &[$($pattern),+],
                methods: &[$((Access::$access, &[$(stringify!($method)),+])),*],
            },
        )+)+];
    };
    (@ Discovery) => { None };
    (@ $family:ident) => { Some(Family::$family) };
}

routes! {
    Discovery {
        remote "dav|caldav|calendar|carddav|contacts": Read[OPTIONS PROPFIND] PathsInBody[SEARCH];
        remote "dav/principals/users/{uid}" "caldav|calendar|carddav|contacts/principals/{uid}": Read[OPTIONS PROPFIND];
    }
    Files {
        remote "dav/files/{uid}/{rest}" "webdav|files/{rest}": Read[OPTIONS GET PROPFIND REPORT COPY] Write[PUT PATCH DELETE MKCOL MOVE PROPPATCH LOCK UNLOCK (target)];
        remote "dav/uploads/{uid}/{any}": Read[OPTIONS PROPFIND] Upload[MKCOL] Write[DELETE];
        remote "dav/uploads/{uid}/{any}/.file": Write[MOVE];
        remote "dav/uploads/{uid}/{any}/{any}": Upload[PUT] Write[DELETE];
        remote "dav/trashbin/{uid}/trash/{rest}": Read[OPTIONS GET PROPFIND] Write[DELETE MOVE];
        remote "dav/versions/{uid}/versions/{id}/{rest}": Read[OPTIONS GET PROPFIND] Write[PROPPATCH DELETE MOVE];
        remote "dav/trashbin|versions/{uid}/restore/{any}": Write[(target)];
        remote "dav/comments/files/{id}/{rest}": Read[OPTIONS PROPFIND REPORT] Write[POST PROPPATCH DELETE];
        remote "dav/systemtags|systemtags-assigned/{rest}": Read[OPTIONS PROPFIND] Write[POST PROPPATCH DELETE];
        remote "dav/systemtags-relations/files/{id}/{rest}": Read[OPTIONS PROPFIND] Write[POST PUT DELETE];
        remote "dav/bulk": PathsInBody[POST];
        app "files_trashbin|files_versions/preview" "files/api/v1/thumbnail/{id}/{id}/{rest}": Read[GET];
    }
    Calendar {
        remote "dav|caldav|calendar/calendars/{uid}": Read[OPTIONS PROPFIND REPORT];
        remote "dav|caldav|calendar/calendars/{uid}/app-generated--*/{rest}":;
        remote "dav|caldav|calendar/calendars/{uid}/outbox": Read[OPTIONS PROPFIND] Write[POST];
        remote "dav|caldav|calendar/calendars/{uid}/trashbin/{rest}": Read[OPTIONS GET PROPFIND REPORT] Write[DELETE MOVE (target)];
        remote "dav|caldav|calendar/calendars/{uid}/{any}": Read[OPTIONS GET PROPFIND REPORT] Write[MKCALENDAR MKCOL PROPPATCH DELETE] Share[POST];
        remote "dav|caldav|calendar/calendars/{uid}/{any}/{any}": Read[OPTIONS GET PROPFIND REPORT COPY] Write[PUT DELETE PROPPATCH MOVE (target)];
    }
    Contacts {
        remote "dav/addressbooks/users/{uid}" "carddav|contacts/addressbooks/{uid}": Read[OPTIONS PROPFIND REPORT];
        remote "dav/addressbooks/users/{uid}/z-server-generated--*/{rest}" "carddav|contacts/addressbooks/{uid}/z-server-generated--*/{rest}":;
        remote "dav/addressbooks/users/{uid}/{any}" "carddav|contacts/addressbooks/{uid}/{any}": Read[OPTIONS GET PROPFIND REPORT] Write[MKCOL PROPPATCH DELETE] Share[POST];
        remote "dav/addressbooks/users/{uid}/{any}/{any}" "carddav|contacts/addressbooks/{uid}/{any}/{any}": Read[OPTIONS GET PROPFIND REPORT COPY] Write[PUT DELETE PROPPATCH MOVE (target)];
    }
    Notes {
        app "notes/api/v0.2|v1|v1.4/notes" "notes/api/v0.2|v1|v1.4/notes/{id}": Read[GET] Write[POST PUT DELETE];
        app "notes/api/v1|v1.4/attachment/{id}": Read[GET] Write[POST];
        app "notes/api/v1|v1.4/settings": Read[GET];
    }
    Tables {
        app "tables/api/1/shares/{rest}" "tables/api/1/tables|views/{any}/shares": Read[GET] Share[POST PUT DELETE];
        app "tables/api/1/tables|views|columns|rows/{rest}": Read[GET] Write[POST PUT DELETE];
        app "tables/api/1/import/table|views/{id}": FromFile[POST];
        ocs "tables/api/2/tables|contexts/{any}/transfer" "tables/api/2/tables|views/{any}/share": Share[PUT POST];
        ocs "tables/api/2/init|tables|views|contexts|columns|favorites|config/{rest}": Read[GET] Write[POST PUT DELETE];
    }
    Deck {
        app "deck/api/v1.0|v1.1/boards": Read[GET] Write[POST];
        app "deck/api/v1.0|v1.1/boards/{id}/acl/{rest}": Share[POST PUT DELETE];
        app "deck/api/v1.0|v1.1/boards/{id}/{rest}": Read[GET] Write[POST PUT DELETE];
        app "deck/api/v1.0|v1.1/dashboard/due": Read[GET];
        ocs "deck/api/v1.0/boards": Read[GET] Write[POST];
        ocs "deck/api/v1.0/boards/{id}/acl": Share[POST];
        ocs "deck/api/v1.0/board/{id}" "deck/api/v1.0/config|search" "deck/api/v1.0/overview/upcoming": Read[GET];
        ocs "deck/api/v1.0/stacks|cards/{rest}": Read[GET] Write[POST PUT DELETE];
        ocs "deck/api/v1.0/session/create|sync|close": Write[PUT POST];
    }
    Cookbook {
        app "cookbook/api/version" "cookbook/api/v1/keywords|categories|config": Read[GET];
        app "cookbook/api/v1/recipes/{rest}": Read[GET] FromFile[POST PUT] Write[DELETE];
        app "cookbook/api/v1/category|tags|search/{any}": Read[GET] Write[PUT];
        app "cookbook/api/v1/reindex": Write[POST];
    }
    Sharing {
        ocs "files_sharing/api/v1/shares/{rest}": Read[GET] ShareFile[POST PUT] Write[DELETE];
        ocs "files_sharing/api/v1/remote_shares|deletedshares/{rest}": Read[GET] Write[POST PUT DELETE];
        ocs "files_sharing/api/v1/sharees|sharees_recommended": Read[GET];
    }
    News {
        app "news/api" "news/api/v1-2|v1-3|v2/version|status" "news/api/v1-2|v1-3/feeds" "news/api/v1-3/favicon/{any}": Read[GET];
        app "news/api/v1-2|v1-3|v2/folders/{rest}": Read[GET] Write[POST PUT PATCH DELETE];
        app "news/api/v1-2|v1-3/feeds/{id}": Write[DELETE];
        app "news/api/v1-2|v1-3/feeds/{id}/move|rename|read|filter": Read[GET] Write[PUT POST DELETE];
        app "news/api/v1-2|v1-3/items/{rest}": Read[GET] Write[PUT POST];
    }
    Mail {
        ocs "mail/message/send": Send[POST];
        ocs "mail/account/list" "mail/ocs/mailboxes/{rest}" "mail/message/{id}/{rest}": Read[GET];
        app "mail/api/accounts|messages|outbox" "mail/api/accounts/{id}" "mail/api/accounts/{id}/aliases|quota": Read[GET];
        app "mail/api/mailboxes/{rest}": Read[GET] Write[POST PUT PATCH DELETE];
        app "mail/api/messages/{id}": Read[GET] Write[DELETE];
        app "mail/api/messages/{id}/body|html|source|export|thread|attachments|itineraries|dkim" "mail/api/messages/{id}/attachment/{any}": Read[GET];
        app "mail/api/messages/{id}/mdn": Send[POST];
        app "mail/api/messages/{id}/flags|tags/{rest}": Write[PUT DELETE];
        app "mail/api/messages|thread/{id}/move|snooze|unsnooze" "mail/api/thread/{id}": Write[POST DELETE];
        app "mail/api/tags|attachments/{rest}": Write[POST PUT DELETE];
        app "mail/api/drafts" "mail/api/drafts/{id}": FromFile[POST PUT] Write[DELETE];
        app "mail/api/outbox/{id}": Read[GET] Send[POST] Write[DELETE];
    }
    Talk {
        ocs "spreed/api/v4/room/note-to-self": Write[GET];
        ocs "spreed/api/v4/room|listed-room": Read[GET] Write[POST];
        ocs "spreed/api/v4/room/{token}/participants": Read[GET] Share[POST];
        ocs "spreed/api/v4/room/{token}/participants/resend-invitations" "spreed/api/v4/room/{token}/import-emails|public|moderators|password|listable" "spreed/api/v4/room/{token}/webinar/sip": Share[POST PUT] Write[DELETE];
        ocs "spreed/api/v4/room/{token}/meeting/{rest}":;
        ocs "spreed/api/v4/room|call/{token}/{rest}": Read[GET] Write[POST PUT DELETE];
        ocs "spreed/api/v1/chat/{token}": Chat[GET] Write[POST DELETE];
        ocs "spreed/api/v1/chat/upcoming-reminders": Read[GET];
        ocs "spreed/api/v1/room/{token}/avatar/{rest}" "spreed/api/v1/chat|reaction|poll/{token}/{rest}": Read[GET] Write[POST PUT DELETE];
    }
    Collectives {
        ocs "collectives/api/v1.0/collectives/{any}/shareLevel": Share[PUT];
        ocs "collectives/api/v1.0/collectives/{any}/shares/{rest}" "collectives/api/v1.0/collectives/{any}/pages/{any}/shares/{rest}": Read[GET] Share[POST PUT DELETE];
        ocs "collectives/api/v1.0/collectives/{any}/pages/{any}/touch": Write[GET];
        ocs "collectives/api/v1.0/collectives/{rest}": Read[GET] Write[POST PUT PATCH DELETE];
    }
}

type Patterns = HashMap<(&'static str, &'static [u8]), Vec<(Vec<&'static [u8]>, &'static Route)>>;

/// The parts of the patterns by surface and first segment, which is a name: one of some.
static BY_NAME: LazyLock<Patterns> = LazyLock::new(|| {
    let mut patterns = Patterns::default();
    for route in ROUTES {
        for pattern in route.patterns {
            for name in parts(pattern).next().unwrap_or_default().split(|byte| *byte == b'|') {
                let pattern = (parts(pattern).collect(), route);
                patterns.entry((route.surface, name)).or_default().push(pattern);
            }
        }
    }
    patterns
});

/// The first route whose pattern fits the segments of a path below the web root.
pub(super) fn at(segments: &str, user_id: Option<&str>) -> Option<&'static Route> {
    let below = |&(prefix, surface)| Some((surface, segments.strip_prefix(prefix)?));
    let (surface, segments) = SURFACES.iter().find_map(below)?;
    let name = segments.as_bytes().split(|byte| *byte == b'/').next()?;
    let mut patterns = BY_NAME.get(&(surface, name))?.iter();
    let route = patterns.find(|(pattern, _)| fits(pattern, segments, user_id))?.1;
    (!route.methods.is_empty()).then_some(route)
}

fn fits(pattern: &[&[u8]], segments: &str, user_id: Option<&str>) -> bool {
    let mut segments = parts(segments);
    let fit = pattern.iter().take_while(|&&part| part != b"{rest}").all(|&part| {
        let segment = segments.next();
        segment.is_some_and(|segment| match part {
            b"{any}" => true,
            [prefix @ .., b'*'] => segment.starts_with(prefix),
            b"{id}" => segment.iter().all(u8::is_ascii_digit),
            b"{token}" => segment.iter().all(|it| matches!(it, b'0'..=b'9' | b'a'..=b'z')),
            b"{uid}" => user_id.is_none_or(|user_id| user_id.as_bytes() == segment),
            names => names.split(|byte| *byte == b'|').any(|name| name == segment),
        })
    });
    fit && (segments.next().is_none() || pattern.last().is_some_and(|last| *last == b"{rest}"))
}

/// Bytes, since the search for a character takes longer than most segments are.
fn parts(text: &str) -> impl Iterator<Item = &[u8]> {
    text.as_bytes().split(|byte| *byte == b'/').filter(|part| !part.is_empty())
}

// === impl Route ===

impl Route {
    /// What `method` needs, if the route takes it; `HEAD` is a `GET` whose body is left out.
    pub(super) fn access(&self, method: &str) -> Option<Access> {
        let method = if method == "HEAD" { "GET" } else { method };
        let access = self.methods.iter().find(|(_, methods)| methods.contains(&method));
        access.map(|&(access, _)| access)
    }

    /// The methods that it takes, as in the header field `Allow`.
    pub(super) fn allow(&self) -> String {
        let open = self.methods.iter().filter(|&&(access, _)| access != Access::PathsInBody);
        let methods = open.flat_map(|(_, methods)| *methods).copied();
        let methods: Vec<_> = methods.filter(|&method| method != TARGET).collect();
        methods.join(", ").replace("GET", "GET, HEAD")
    }

    /// Its patterns below the web root, in their shortest form.
    pub(super) fn paths(&self) -> impl Iterator<Item = String> {
        let surface = match self.surface {
            "app" => "/apps",
            "ocs" => "/ocs/v2.php/apps",
            _ => "/remote.php",
        };
        self.patterns.iter().map(move |pattern| format!("{surface}/{pattern}"))
    }

    pub(super) fn is_dav(&self) -> bool {
        self.surface == "remote"
    }
}

// === impl Access ===

impl Access {
    /// The scopes that a route of `family` needs.
    pub(super) fn scopes(self, family: Family) -> Scopes {
        use Right::{Read, Send, Write};
        let scopes: &[_] = match self {
            Self::Read | Self::Chat => &[(family, Read)],
            Self::Write | Self::Upload => &[(family, Write)],
            Self::Send => &[(family, Send)],
            Self::Share => &[(family, Read), (family, Write), (Family::Sharing, Write)],
            Self::FromFile => &[(family, Write), (Family::Files, Read)],
            Self::ShareFile => &[(family, Write), (Family::Files, Read), (Family::Files, Write)],
            Self::PathsInBody => &[],
        };
        scopes.iter().map(|&(family, right)| Scope { family, right }).collect()
    }
}
