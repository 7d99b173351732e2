//! What a token needs for what is opened (docs/API.md, section 13.4). The routes themselves are the unit tests' matter:
//! here it is that the right scope is asked for, named, and asked for before anything else happens.

use portreeve::gateway::Settings;
use portreeve::gateway::forward::{Forward, Scopes};

use super::recorder::Recorder;
use super::{FILE, call, start_for};
use crate::support::gateway::TestGateway;

const FAMILIES: [&str; 12] = [
    "notes",
    "calendar",
    "contacts",
    "files",
    "tables",
    "deck",
    "cookbook",
    "sharing",
    "news",
    "mail",
    "talk",
    "collectives",
];

/// What a token has, what is asked for, and what the token lacks for that; empty if it lacks nothing.
const ROWS: &[(&str, &str, &str)] = &[
    ("", "GET @/files/alice/a", "files.read"),
    ("files.read", "GET @/files/alice/a", ""),
    ("files.read", "HEAD @/files/alice/a", ""),
    ("files.read", "OPTIONS @/files/alice/a", ""),
    ("files.read", "PROPFIND @/files/alice/a", ""),
    ("files.write", "GET @/files/alice/a", "files.read"),
    ("files.write", "PROPFIND @/files/alice/a", "files.read"),
    ("notes.read calendar.read", "GET @/files/alice/a", "files.read"),
    ("files.read", "PUT @/files/alice/a", "files.write"),
    ("files.read", "DELETE @/files/alice/a", "files.write"),
    ("files.read", "MKCOL @/files/alice/a", "files.write"),
    ("files.read", "PROPPATCH @/files/alice/a", "files.write"),
    ("files.read", "LOCK @/files/alice/a", "files.write"),
    ("files.read", "UNLOCK @/files/alice/a", "files.write"),
    ("files.write", "PUT @/files/alice/a", ""),
    ("files.read", "COPY @/files/alice/a", "files.write"),
    ("files.write", "COPY @/files/alice/a", "files.read"),
    ("files.read files.write", "COPY @/files/alice/a", ""),
    ("files.read", "MOVE @/files/alice/a", "files.write"),
    ("files.write", "MOVE @/files/alice/a", ""),
    ("", "MOVE @/files/alice/a", "files.write"),
    ("files.read", "PROPFIND @/trashbin/alice/trash", ""),
    ("files.read", "DELETE @/trashbin/alice/trash/a.d1", "files.write"),
    ("files.read", "GET @/versions/alice/versions/7/1700000000", ""),
    ("files.read", "POST @/comments/files/7", "files.write"),
    ("files.read", "POST @/systemtags", "files.write"),
    ("files.read", "PUT @/systemtags-relations/files/7/8", "files.write"),
    ("files.read", "GET /remote.php/webdav/a", ""),
    ("files.write", "GET /remote.php/webdav/a", "files.read"),
    ("calendar.read", "GET @/calendars/alice/c/a.ics", ""),
    ("files.read", "GET @/calendars/alice/c/a.ics", "calendar.read"),
    ("calendar.read", "PUT @/calendars/alice/c/a.ics", "calendar.write"),
    ("calendar.write", "PUT @/calendars/alice/c/a.ics", ""),
    ("calendar.write", "POST @/calendars/alice/c", "calendar.read sharing.write"),
    ("calendar.read sharing.write", "POST @/calendars/alice/c", "calendar.write"),
    ("", "POST @/calendars/alice/c", "calendar.read calendar.write sharing.write"),
    ("contacts.read", "GET @/addressbooks/users/alice/c/a.vcf", ""),
    ("contacts.read", "DELETE @/addressbooks/users/alice/c/a.vcf", "contacts.write"),
    ("contacts.read", "PROPFIND @/", ""),
    ("calendar.read", "PROPFIND @/principals/users/alice", ""),
    ("notes.read", "PROPFIND @/", "files.read"),
    ("notes.read", "GET /apps/notes/api/v1/notes", ""),
    ("notes.read", "GET /index.php/apps/notes/api/v1/notes/7", ""),
    ("notes.write", "GET /apps/notes/api/v1/notes", "notes.read"),
    ("notes.read", "POST /apps/notes/api/v1/notes", "notes.write"),
    ("notes.read", "PUT /apps/notes/api/v1/notes/7", "notes.write"),
    ("notes.write", "DELETE /apps/notes/api/v1/notes/7", ""),
    ("cookbook.write", "POST /apps/cookbook/api/v1/recipes", "files.read"),
    ("talk.read", "GET !/spreed/api/v1/chat/abcd1234?lookIntoFuture=0", ""),
    ("talk.read", "GET !/spreed/api/v1/chat/abcd1234?lookIntoFuture=1", "talk.write"),
    (
        "talk.read",
        "GET !/spreed/api/v1/chat/abcd1234?lookIntoFuture=1&setReadMarker=1",
        "talk.write",
    ),
    ("talk.read", "GET !/spreed/api/v1/chat/abcd1234?lookIntoFuture=1&setReadMarker=0", ""),
    (
        "talk.read",
        "GET !/spreed/api/v1/chat/abcd1234?lookIntoFuture=1&setReadMarker=0&setReadMarker=1",
        "talk.write",
    ),
    (
        "talk.read",
        "GET !/spreed/api/v1/chat/abcd1234?lookIntoFuture=1&setReadMarker=0&set%52eadMarker=1",
        "talk.write",
    ),
    ("talk.write", "POST !/spreed/api/v1/chat/abcd1234", ""),
    ("talk.read", "GET !/spreed/api/v4/room/note-to-self", "talk.write"),
    ("talk.write", "POST !/spreed/api/v4/room/abcd1234/participants", "sharing.write talk.read"),
    // By telephone anybody can take part then.
    ("talk.write", "PUT !/spreed/api/v4/room/abcd1234/webinar/sip", "sharing.write talk.read"),
    ("talk.write", "PUT !/spreed/api/v4/room/abcd1234/webinar/lobby", ""),
    ("sharing.read", "GET !/files_sharing/api/v1/shares", ""),
    // A link that others may edit would let its maker write.
    ("sharing.read", "POST !/files_sharing/api/v1/shares", "files.read files.write sharing.write"),
    ("files.read", "POST !/files_sharing/api/v1/shares", "files.write sharing.write"),
    ("sharing.write files.read", "PUT !/files_sharing/api/v1/shares/7", "files.write"),
    ("deck.write", "POST /apps/deck/api/v1.0/boards", ""),
    ("deck.write", "POST /apps/deck/api/v1.0/boards/7/acl", "deck.read sharing.write"),
    ("deck.read", "PUT /apps/deck/api/v1.0/boards/7", "deck.write"),
    ("tables.read", "GET /apps/tables/api/1/tables", ""),
    ("tables.write", "POST /apps/tables/api/1/import/table/7", "files.read"),
    ("cookbook.read", "POST /apps/cookbook/api/v1/reindex", "cookbook.write"),
    ("news.read", "GET /apps/news/api/v1-3/items", ""),
    ("news.read", "PUT /apps/news/api/v1-2/items/7/read", "news.write"),
    ("mail.read", "GET /apps/mail/api/messages/7", ""),
    ("mail.read mail.write", "POST !/mail/message/send", "mail.send"),
    ("mail.send", "POST !/mail/message/send", ""),
    ("mail.send", "DELETE /apps/mail/api/messages/7", "mail.write"),
    ("collectives.read", "GET !/collectives/api/v1.0/collectives", ""),
    (
        "collectives.read",
        "GET !/collectives/api/v1.0/collectives/7/pages/8/touch",
        "collectives.write",
    ),
    // What only looks like a scope is none.
    ("files.readx", "GET @/files/alice/a", "files.read"),
    ("FILES.READ", "GET @/files/alice/a", "files.read"),
    ("files", "GET @/files/alice/a", "files.read"),
    ("files:read", "GET @/files/alice/a", "files.read"),
    ("files.*", "GET @/files/alice/a", "files.read"),
    ("*", "GET @/files/alice/a", "files.read"),
    ("files.read.write", "PUT @/files/alice/a", "files.write"),
    ("files.read,files.write", "PUT @/files/alice/a", "files.write"),
    ("[files.read]", "GET @/files/alice/a", "files.read"),
    ("openid profile offline_access admin", "GET @/files/alice/a", "files.read"),
    ("mail.send", "GET @/files/alice/a", "files.read"),
    ("files.send", "GET @/files/alice/a", "files.read"),
    ("https://host/files.read", "GET @/files/alice/a", "files.read"),
];

fn tokens<'a>(scopes: impl IntoIterator<Item = &'a str>) -> Vec<(String, String, Vec<String>)> {
    let mut known: Vec<_> = scopes.into_iter().collect();
    known.sort_unstable();
    known.dedup();
    let of = |scopes: &str| scopes.split_whitespace().map(str::to_owned).collect();
    known.iter().map(|scopes| ((*scopes).to_owned(), "alice".to_owned(), of(scopes))).collect()
}

fn opening(names: &[&str]) -> Settings {
    let mut settings = Settings::default();
    let opened = Scopes::opened_by(names.iter().copied()).unwrap();
    settings.forward = Some(Forward::new(opened));
    settings
}

/// Asks for `what`, where `@` and `!` are the beginnings of WebDAV's paths and of the apps' OCS routes.
async fn ask(gateway: &TestGateway, token: &str, what: &str) -> crate::support::gateway::Answer {
    let what = what.replace(" @", " /remote.php/dav").replace(" !", " /ocs/v2.php/apps");
    let fields = match what.split(' ').next().unwrap() {
        "COPY" | "MOVE" => "Destination: /remote.php/dav/files/alice/b\r\n",
        "PROPFIND" => "Depth: 0\r\n",
        _ => "",
    };
    // The length of an answer to HEAD is that of what it has not.
    let fields = format!("{fields}Connection: close\r\n");
    call(gateway, token, &what.replacen("HEAD", "GET", 1), &fields, "").await
}

#[tokio::test]
async fn api_13_4_a_request_needs_the_scopes_of_its_route() {
    let recorder = Recorder::start().await;
    let tokens = tokens(ROWS.iter().map(|(scopes, ..)| *scopes));
    let gateway = start_for(&recorder.url, &tokens, opening(&FAMILIES)).await;
    for &(scopes, what, missing) in ROWS {
        let answer = ask(&gateway, scopes, what).await;
        if missing.is_empty() {
            assert_eq!(answer.status, 200, "{scopes}: {what}: {answer:?}");
            recorder.take_one();
        } else {
            let message = answer.assert_error(403, "Forbidden");
            assert!(message.contains(missing), "{scopes}: {what}: {message}");
            let challenge = format!("Bearer error=\"insufficient_scope\", scope=\"{missing}\"");
            assert_eq!(answer.header("www-authenticate"), Some(&*challenge), "{scopes}: {what}");
            recorder.assert_nothing_arrived(what);
        }
    }
}

#[tokio::test]
async fn api_13_4_a_prefix_of_the_provider_is_no_part_of_a_scope() {
    let recorder = Recorder::start().await;
    let prefix = "https://cloud.example/";
    let rows = [
        ("https://cloud.example/files.read", true),
        ("files.read", true),
        ("https://other.example/files.read", false),
        ("https://cloud.example/https://cloud.example/files.read", false),
        ("https://cloud.examplefiles.read", false),
        ("https://cloud.example//files.read", false),
        ("https://cloud.example/files.write", false),
        ("https://cloud.example/", false),
        ("files.readhttps://cloud.example/", false),
    ];
    let tokens = tokens(rows.iter().map(|(scopes, _)| *scopes));
    let mut settings = opening(&["files"]);
    settings.scope_prefix = Some(prefix.into());
    let gateway = start_for(&recorder.url, &tokens, settings).await;
    for (scopes, suffices) in rows {
        let answer = ask(&gateway, scopes, "GET @/files/alice/a").await;
        assert_eq!(answer.status, if suffices { 200 } else { 403 }, "{scopes}: {answer:?}");
        if !suffices {
            // As the provider calls it.
            let challenge = answer.header("www-authenticate").unwrap();
            assert!(challenge.contains(&format!("scope=\"{prefix}files.read\"")), "{challenge}");
        }
        assert_eq!(recorder.take().len(), usize::from(suffices));
    }
}

#[tokio::test]
async fn api_13_what_is_not_opened_is_404_whoever_asks() {
    let recorder = Recorder::start().await;
    let all = "files.read files.write notes.read notes.write calendar.read calendar.write";
    let tokens = tokens(["", all]);
    for (opened, closed) in [
        (
            &["notes"][..],
            &["GET @/files/alice/a", "GET @/calendars/alice/c/a.ics", "PROPFIND @/"][..],
        ),
        (&["notes.read"], &["POST /apps/notes/api/v1/notes", "GET @/files/alice/a"]),
        (&["files.read"], &["PUT @/files/alice/a", "COPY @/files/alice/a"]),
        (&["files.write"], &["GET @/files/alice/a", "GET /apps/notes/api/v1/notes"]),
        (&FAMILIES, &["GET @/files/bob/a", "PUT @/files/bob/a", "GET @/calendars/bob/c/a.ics"]),
        (&FAMILIES, &["GET @/addressbooks/system/system/system/a.vcf", "GET @/public-calendars/a"]),
        (
            &FAMILIES,
            &["GET /ocs/v2.php/cloud/users", "GET /settings/admin", "GET /apps/dashboard/"],
        ),
    ] {
        let gateway = start_for(&recorder.url, &tokens, opening(opened)).await;
        for what in closed {
            for token in ["", all] {
                let answer = ask(&gateway, token, what).await;
                let is_closed = matches!(answer.status, 404 | 403);
                assert!(is_closed, "{opened:?} {what}: {answer:?}");
                assert_eq!(answer.header("www-authenticate"), None, "{opened:?} {what}");
                recorder.assert_nothing_arrived(what);
            }
        }
    }
}

#[tokio::test]
async fn api_13_1_discovery_leads_to_what_is_opened() {
    let recorder = Recorder::start().await;
    let gateway = start_for(&recorder.url, &tokens([""]), opening(&["calendar.read"])).await;
    for method in ["GET", "PROPFIND"] {
        let found = ask(&gateway, "", &format!("{method} /.well-known/caldav")).await;
        assert_eq!((found.status, found.header("location")), (301, Some("/remote.php/dav/")));
        let closed = ask(&gateway, "", &format!("{method} /.well-known/carddav")).await;
        closed.assert_error(404, "Not found");
    }
    recorder.assert_nothing_arrived("discovery");
}

/// Paths within those of an open family, to what is not of the family.
#[tokio::test]
async fn api_13_what_leads_out_of_its_family_is_404_for_every_token() {
    let recorder = Recorder::start().await;
    let all = FAMILIES.map(|family| format!("{family}.read {family}.write")).join(" ");
    let gateway = start_for(&recorder.url, &tokens([&*all]), opening(&FAMILIES)).await;
    for what in [
        // Writes to calendars, and invites.
        "POST !/spreed/api/v4/room/abcd1234/meeting",
        "POST /ocs/v1.php/apps/spreed/api/v4/room/abcd1234/meeting",
        // All accounts.
        "GET @/addressbooks/users/alice/z-server-generated--system/Database:bob.vcf",
        "PROPFIND @/addressbooks/users/alice/z-server-generated--system",
        "PROPFIND @/addressbooks/users/alice/z-%73erver-generated--system/",
        "GET /remote.php/carddav/addressbooks/alice/z-server-generated--system?export",
        // Deck's.
        "GET @/calendars/alice/app-generated--deck--board-7/card-8.ics",
        "PUT @/calendars/alice/app-generated--deck--board-7/card-8.ics",
        "PROPFIND /remote.php/caldav/calendars/alice/app-generated--deck--board-7",
    ] {
        ask(&gateway, &all, what).await.assert_error(404, "Not found");
        recorder.assert_nothing_arrived(what);
    }
    for what in [
        "PROPFIND @/addressbooks/users/alice/",
        "PROPFIND @/addressbooks/users/alice/my-z-server-generated--system",
        "PROPFIND @/calendars/alice/generated",
    ] {
        assert_eq!(ask(&gateway, &all, what).await.status, 200, "{what}");
        recorder.take_one();
    }
}

#[tokio::test]
async fn api_13_nothing_is_forwarded_unless_something_is_opened() {
    let recorder = Recorder::start().await;
    let tokens = tokens(["files.read files.write notes.read"]);
    let gateway = start_for(&recorder.url, &tokens, Settings::default()).await;
    for what in [
        format!("GET {FILE}"),
        format!("PUT {FILE}"),
        "PROPFIND /remote.php/dav/".into(),
        "GET /apps/notes/api/v1/notes".into(),
        "GET /.well-known/caldav".into(),
        "GET /remote.php/dav/files/alice/../a".into(),
    ] {
        let answer = call(&gateway, &tokens[0].0, &what, "Depth: 0\r\n", "").await;
        answer.assert_error(404, "Not found");
        recorder.assert_nothing_arrived(&what);
    }
}
