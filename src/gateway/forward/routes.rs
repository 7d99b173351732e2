//! What each family opens: the policy of forwarding.
//!
//! A row is a surface of the server, a pattern, and what the methods need. `app` is `/apps/…`, with or without
//! `/index.php`; `ocs` is `/ocs/v1.php/apps/…` and `/ocs/v2.php/apps/…`; `remote` is `/remote.php/…`. What no row
//! names is not forwarded: accounts, passwords and sessions, administration, what needs no login, what makes the
//! server fetch an address that the caller names (feeds, imports, mail accounts, subscriptions), and what makes
//! a family read files that the body names (folders of notes and recipes, drafts with attachments).
//!
//! In a pattern, `a|b` is one of these segments, `{uid}` the id of the account, `{id}` digits, `{token}` lower-case letters
//! and digits, `{any}` any segment, and `{rest}` any number of them. The first row whose pattern fits a path decides, so
//! that a name never passes for a parameter.

use super::family::{Family, Right, Scope, Scopes};

/// What a method needs of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Access {
    Read,
    Write,
    /// Sends mail, now or later.
    Send,
    /// Gives others data of the family.
    Share,
    /// Never forwarded: the body names the paths that it is about.
    PathsInBody,
}

pub(super) struct Route {
    /// None for what finds the others, for which the right to read any family of DAV is enough.
    pub(super) family: Option<Family>,
    surface: &'static str,
    pub(super) pattern: &'static str,
    pub(super) methods: &'static [(Access, &'static [&'static str])],
}

/// Among methods: `Destination` may name the path. No request has it, since it is no token.
pub(super) const TARGET: &str = "(target)";

/// The pattern of what may wait for messages, and mark them as read.
pub(super) const CHAT: &str = "spreed/api/v1/chat/{token}";

/// How the patterns of uploads begin, which prepare a write to where `Destination` says.
pub(super) const UPLOADS: &str = "dav/uploads/";

/// Declares [`ROUTES`].
macro_rules! routes {
    ($($family:ident { $($surface:ident $pattern:literal: $($access:ident [$($method:tt)+])+;)+ })+) => {
        pub(super) static ROUTES: &[Route] = &[$($(
            Route {
                family: routes!(@ $family),
                surface: stringify!($surface),
                pattern: $pattern,
                methods: &[$((Access::$access, &[$(stringify!($method)),+])),+],
            },
        )+)+];
    };
    (@ Discovery) => { None };
    (@ $family:ident) => { Some(Family::$family) };
}

routes! {
    Discovery {
        remote "dav|caldav|calendar|carddav|contacts": Read[OPTIONS PROPFIND] PathsInBody[SEARCH];
        remote "dav/principals/users/{uid}": Read[OPTIONS PROPFIND];
        remote "caldav|calendar|carddav|contacts/principals/{uid}": Read[OPTIONS PROPFIND];
    }
    Files {
        remote "webdav|files/{rest}": Read[OPTIONS GET PROPFIND REPORT COPY] Write[PUT DELETE MKCOL MOVE PROPPATCH LOCK UNLOCK (target)];
        remote "dav/files/{uid}/{rest}": Read[OPTIONS GET PROPFIND REPORT COPY] Write[PUT DELETE MKCOL MOVE PROPPATCH LOCK UNLOCK (target)];
        remote "dav/uploads/{uid}/{any}": Read[OPTIONS PROPFIND] Write[MKCOL DELETE];
        remote "dav/uploads/{uid}/{any}/.file": Write[MOVE];
        remote "dav/uploads/{uid}/{any}/{any}": Write[PUT DELETE];
        remote "dav/trashbin/{uid}/trash/{rest}": Read[OPTIONS GET PROPFIND] Write[DELETE MOVE];
        remote "dav/versions/{uid}/versions/{id}/{rest}": Read[OPTIONS GET PROPFIND] Write[PROPPATCH DELETE MOVE];
        remote "dav/trashbin|versions/{uid}/restore/{any}": Write[(target)];
        remote "dav/comments/files/{id}/{rest}": Read[OPTIONS PROPFIND REPORT] Write[POST PROPPATCH DELETE];
        remote "dav/systemtags|systemtags-assigned/{rest}": Read[OPTIONS PROPFIND] Write[POST PROPPATCH DELETE];
        remote "dav/systemtags-relations/files/{id}/{rest}": Read[OPTIONS PROPFIND] Write[POST PUT DELETE];
        remote "dav/bulk": PathsInBody[POST];
        app "files_trashbin|files_versions/preview": Read[GET];
        app "files/api/v1/thumbnail/{id}/{id}/{rest}": Read[GET];
    }
    Calendar {
        remote "dav|caldav|calendar/calendars/{uid}": Read[OPTIONS PROPFIND REPORT];
        remote "dav|caldav|calendar/calendars/{uid}/outbox": Read[OPTIONS PROPFIND] Write[POST];
        remote "dav|caldav|calendar/calendars/{uid}/trashbin/{rest}": Read[OPTIONS GET PROPFIND REPORT] Write[DELETE MOVE (target)];
        remote "dav|caldav|calendar/calendars/{uid}/{any}": Read[OPTIONS GET PROPFIND REPORT] Write[MKCALENDAR MKCOL PROPPATCH DELETE] Share[POST];
        remote "dav|caldav|calendar/calendars/{uid}/{any}/{any}": Read[OPTIONS GET PROPFIND REPORT COPY] Write[PUT DELETE PROPPATCH MOVE (target)];
    }
    Contacts {
        remote "dav/addressbooks/users/{uid}": Read[OPTIONS PROPFIND REPORT];
        remote "dav/addressbooks/users/{uid}/{any}": Read[OPTIONS GET PROPFIND REPORT] Write[MKCOL PROPPATCH DELETE] Share[POST];
        remote "dav/addressbooks/users/{uid}/{any}/{any}": Read[OPTIONS GET PROPFIND REPORT COPY] Write[PUT DELETE PROPPATCH MOVE (target)];
        remote "carddav|contacts/addressbooks/{uid}": Read[OPTIONS PROPFIND REPORT];
        remote "carddav|contacts/addressbooks/{uid}/{any}": Read[OPTIONS GET PROPFIND REPORT] Write[MKCOL PROPPATCH DELETE] Share[POST];
        remote "carddav|contacts/addressbooks/{uid}/{any}/{any}": Read[OPTIONS GET PROPFIND REPORT COPY] Write[PUT DELETE PROPPATCH MOVE (target)];
    }
    Notes {
        app "notes/api/v0.2|v1/notes/{rest}": Read[GET] Write[POST PUT DELETE];
        app "notes/api/v1/attachment/{id}": Read[GET] Write[POST];
        app "notes/api/v1/settings": Read[GET];
    }
    Tables {
        app "tables/api/1/shares/{rest}": Read[GET] Share[POST PUT DELETE];
        app "tables/api/1/tables|views/{any}/shares": Read[GET] Share[POST];
        app "tables/api/1/tables|views|columns|rows/{rest}": Read[GET] Write[POST PUT DELETE];
        ocs "tables/api/2/init": Read[GET];
        ocs "tables/api/2/tables|contexts/{any}/transfer": Share[PUT];
        ocs "tables/api/2/tables|views/{any}/share": Share[POST];
        ocs "tables/api/2/tables|views|contexts|columns|favorites|config/{rest}": Read[GET] Write[POST PUT DELETE];
    }
    Deck {
        app "deck/api/v1.0|v1.1/boards": Read[GET] Write[POST];
        app "deck/api/v1.0|v1.1/boards/{id}/acl/{rest}": Share[POST PUT DELETE];
        app "deck/api/v1.0|v1.1/boards/{id}/{rest}": Read[GET] Write[POST PUT DELETE];
        app "deck/api/v1.0|v1.1/dashboard/due": Read[GET];
        ocs "deck/api/v1.0/boards": Read[GET] Write[POST];
        ocs "deck/api/v1.0/boards/{id}/acl": Share[POST];
        ocs "deck/api/v1.0/board/{id}": Read[GET];
        ocs "deck/api/v1.0/stacks|cards|config/{rest}": Read[GET] Write[POST PUT DELETE];
        ocs "deck/api/v1.0/session/create|sync|close": Write[PUT POST];
        ocs "deck/api/v1.0/search": Read[GET];
        ocs "deck/api/v1.0/overview/upcoming": Read[GET];
    }
    Cookbook {
        app "cookbook/api/version": Read[GET];
        app "cookbook/api/v1/recipes/{rest}": Read[GET] Write[POST PUT DELETE];
        app "cookbook/api/v1/category|tags|search/{any}": Read[GET] Write[PUT];
        app "cookbook/api/v1/keywords|categories": Read[GET];
        app "cookbook/api/v1/config": Read[GET];
        app "cookbook/api/v1/reindex": Write[POST];
    }
    Sharing {
        ocs "files_sharing/api/v1/shares|remote_shares|deletedshares/{rest}": Read[GET] Write[POST PUT DELETE];
        ocs "files_sharing/api/v1/sharees|sharees_recommended": Read[GET];
    }
    News {
        app "news/api": Read[GET];
        app "news/api/v1-2|v1-3|v2/version|status": Read[GET];
        app "news/api/v1-2|v1-3|v2/folders/{rest}": Read[GET] Write[POST PUT PATCH DELETE];
        app "news/api/v1-2|v1-3/feeds": Read[GET];
        app "news/api/v1-2|v1-3/feeds/{id}": Write[DELETE];
        app "news/api/v1-2|v1-3/feeds/{id}/move|rename|read|filter": Read[GET] Write[PUT POST DELETE];
        app "news/api/v1-2|v1-3/items/{rest}": Read[GET] Write[PUT POST];
        app "news/api/v1-3/favicon/{any}": Read[GET];
    }
    Mail {
        ocs "mail/account/list": Read[GET];
        ocs "mail/ocs/mailboxes/{rest}": Read[GET];
        ocs "mail/message/send": Send[POST];
        ocs "mail/message/{id}/{rest}": Read[GET];
        app "mail/api/accounts|messages": Read[GET];
        app "mail/api/accounts/{id}": Read[GET];
        app "mail/api/accounts/{id}/aliases|quota": Read[GET];
        app "mail/api/mailboxes/{rest}": Read[GET] Write[POST PUT PATCH DELETE];
        app "mail/api/messages/{id}": Read[GET] Write[DELETE];
        app "mail/api/messages/{id}/body|html|source|export|thread|attachments|itineraries|dkim": Read[GET];
        app "mail/api/messages/{id}/attachment/{any}": Read[GET];
        app "mail/api/messages/{id}/mdn": Send[POST];
        app "mail/api/messages/{id}/flags|tags/{rest}": Write[PUT DELETE];
        app "mail/api/messages|thread/{id}/move|snooze|unsnooze": Write[POST];
        app "mail/api/thread/{id}": Write[POST DELETE];
        app "mail/api/tags|attachments/{rest}": Write[POST PUT DELETE];
        app "mail/api/outbox": Read[GET];
        app "mail/api/outbox/{id}": Read[GET] Send[POST] Write[DELETE];
    }
    Talk {
        ocs "spreed/api/v4/room|listed-room": Read[GET] Write[POST];
        ocs "spreed/api/v4/room/note-to-self": Write[GET];
        ocs "spreed/api/v4/room/{token}/participants": Read[GET] Share[POST];
        ocs "spreed/api/v4/room/{token}/participants/resend-invitations": Share[POST];
        ocs "spreed/api/v4/room/{token}/import-emails|public|moderators|password|listable": Share[POST PUT] Write[DELETE];
        ocs "spreed/api/v4/room|call/{token}/{rest}": Read[GET] Write[POST PUT DELETE];
        ocs "spreed/api/v1/room/{token}/avatar/{rest}": Read[GET] Write[POST DELETE];
        ocs "spreed/api/v1/chat/upcoming-reminders": Read[GET];
        ocs "spreed/api/v1/chat/{token}": Read[GET] Write[POST DELETE];
        ocs "spreed/api/v1/chat|reaction|poll/{token}/{rest}": Read[GET] Write[POST PUT DELETE];
    }
    Collectives {
        ocs "collectives/api/v1.0/collectives/{any}/shareLevel": Share[PUT];
        ocs "collectives/api/v1.0/collectives/{any}/shares/{rest}": Read[GET] Share[POST PUT DELETE];
        ocs "collectives/api/v1.0/collectives/{any}/pages/{any}/shares/{rest}": Share[POST PUT DELETE];
        ocs "collectives/api/v1.0/collectives/{any}/pages/{any}/touch": Write[GET];
        ocs "collectives/api/v1.0/collectives/{rest}": Read[GET] Write[POST PUT PATCH DELETE];
    }
}

/// The first route whose pattern fits the segments of a path below the web root, and whether they are of this account.
pub(super) fn at(segments: &[String], user_id: &str) -> Option<(&'static Route, bool)> {
    let names: Vec<_> = segments.iter().take(3).map(String::as_str).collect();
    let (surface, prefix) = match *names {
        ["apps", ..] => ("app", 1),
        ["index.php", "apps", ..] => ("app", 2),
        ["ocs", "v1.php" | "v2.php", "apps"] => ("ocs", 3),
        ["remote.php", ..] => ("remote", 1),
        _ => return None,
    };
    let mut routes = ROUTES.iter().filter(|route| route.surface == surface);
    routes.find_map(|route| Some((route, fit(route.pattern, &segments[prefix..], user_id)?)))
}

/// Whether a path that fits the pattern is of this account.
fn fit(pattern: &str, segments: &[String], user_id: &str) -> Option<bool> {
    let mut is_own = true;
    let mut segments = segments.iter();
    for part in pattern.split('/') {
        if part == "{rest}" {
            return Some(is_own);
        }
        let segment = segments.next()?;
        let fits = match part {
            "{any}" => true,
            "{id}" => segment.bytes().all(|byte| byte.is_ascii_digit()),
            "{token}" => segment.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'z')),
            "{uid}" => {
                is_own &= segment == user_id;
                true
            }
            names => names.split('|').any(|name| name == segment),
        };
        if !fits {
            return None;
        }
    }
    segments.next().is_none().then_some(is_own)
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

    /// Its pattern below the web root, in the shortest form.
    pub(super) fn path(&self) -> String {
        let surface = match self.surface {
            "app" => "/apps",
            "ocs" => "/ocs/v2.php/apps",
            _ => "/remote.php",
        };
        format!("{surface}/{}", self.pattern)
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
            Self::Read => &[(family, Read)],
            Self::Write => &[(family, Write)],
            Self::Send => &[(family, Send)],
            Self::Share => &[(family, Write), (Family::Sharing, Write)],
            Self::PathsInBody => &[],
        };
        scopes.iter().map(|&(family, right)| Scope { family, right }).collect()
    }
}
