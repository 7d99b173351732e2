//! Each route of the table, by requests whose scopes are written down here.

use std::collections::BTreeSet;

use super::super::routes::{self, ROUTES, TARGET};
use super::*;

/// `METHODS PATH: SCOPES`. Fields that a method cannot do without are added. `@` stands for `/remote.php/dav`, `%` for
/// `/ocs/v2.php/apps`, `#` for `/index.php/apps`.
const REQUESTS: &str = "
    OPTIONS,PROPFIND @/: files.read
    OPTIONS,PROPFIND /remote.php/caldav: files.read
    OPTIONS,PROPFIND @/principals/users/alice/: files.read
    OPTIONS,PROPFIND /remote.php/carddav/principals/alice: files.read

    OPTIONS,GET,HEAD,PROPFIND,REPORT @/files/alice/: files.read
    OPTIONS,GET,HEAD,PROPFIND,REPORT @/files/alice/Photos/a%20b.jpg: files.read
    PUT,PATCH,DELETE,MKCOL,PROPPATCH,LOCK,UNLOCK @/files/alice/Photos/a.jpg: files.write
    COPY @/files/alice/a -> @/files/alice/b: files.read files.write
    MOVE @/files/alice/a -> @/files/alice/b: files.write
    COPY @/files/alice/a.ics -> @/calendars/alice/personal/a.ics: files.read calendar.write
    MOVE @/calendars/alice/personal/a.ics -> @/files/alice/a.ics: files.write calendar.write
    GET,PROPFIND /remote.php/webdav/a: files.read
    PUT /remote.php/webdav/a: files.write
    MOVE /remote.php/webdav/a -> /remote.php/webdav/b: files.write
    OPTIONS,PROPFIND @/uploads/alice/up-1: files.read
    MKCOL @/uploads/alice/up-1 -> @/files/alice/big: files.write
    MKCOL,DELETE @/uploads/alice/up-1: files.write
    PUT @/uploads/alice/up-1/00001 -> @/files/alice/big: files.write
    PUT,DELETE @/uploads/alice/up-1/00001: files.write
    MOVE @/uploads/alice/up-1/.file -> @/files/alice/big: files.write
    OPTIONS,GET,PROPFIND @/trashbin/alice/trash/a.d17: files.read
    DELETE @/trashbin/alice/trash: files.write
    MOVE @/trashbin/alice/trash/a.d17 -> @/trashbin/alice/restore/a: files.write
    OPTIONS,GET,PROPFIND @/versions/alice/versions/17/1700000000: files.read
    PROPPATCH,DELETE @/versions/alice/versions/17/1700000000: files.write
    MOVE @/versions/alice/versions/17/1700000000 -> @/versions/alice/restore/target: files.write
    OPTIONS,PROPFIND,REPORT @/comments/files/17: files.read
    POST @/comments/files/17: files.write
    PROPPATCH,DELETE @/comments/files/17/3: files.write
    OPTIONS,PROPFIND @/systemtags: files.read
    POST,PROPPATCH,DELETE @/systemtags/3: files.write
    OPTIONS,PROPFIND @/systemtags-relations/files/17: files.read
    POST,PUT,DELETE @/systemtags-relations/files/17/3: files.write
    GET #/files_trashbin/preview?fileId=1: files.read
    GET /apps/files/api/v1/thumbnail/64/64/Photos/a.jpg: files.read

    OPTIONS,PROPFIND,REPORT @/calendars/alice/: calendar.read
    OPTIONS,PROPFIND @/calendars/alice/outbox/: calendar.read
    POST @/calendars/alice/outbox/: calendar.write
    OPTIONS,GET,PROPFIND,REPORT @/calendars/alice/trashbin/objects/a.ics: calendar.read
    DELETE @/calendars/alice/trashbin/objects/a.ics: calendar.write
    MOVE @/calendars/alice/trashbin/objects/a.ics -> @/calendars/alice/trashbin/restore/file: calendar.write
    OPTIONS,GET,PROPFIND,REPORT @/calendars/alice/personal/?export: calendar.read
    MKCALENDAR,MKCOL,PROPPATCH,DELETE @/calendars/alice/work/: calendar.write
    POST @/calendars/alice/personal/: calendar.read calendar.write sharing.write
    OPTIONS,GET,PROPFIND,REPORT @/calendars/alice/personal/a.ics: calendar.read
    PUT,DELETE,PROPPATCH @/calendars/alice/personal/a.ics: calendar.write
    COPY @/calendars/alice/personal/a.ics -> @/calendars/alice/work/a.ics: calendar.read calendar.write
    MOVE /remote.php/caldav/calendars/alice/a/a.ics -> /remote.php/caldav/calendars/alice/b/a.ics: calendar.write

    OPTIONS,PROPFIND,REPORT @/addressbooks/users/alice/: contacts.read
    OPTIONS,GET,PROPFIND,REPORT @/addressbooks/users/alice/contacts/: contacts.read
    MKCOL,PROPPATCH,DELETE @/addressbooks/users/alice/friends/: contacts.write
    POST @/addressbooks/users/alice/contacts/: contacts.read contacts.write sharing.write
    OPTIONS,GET,PROPFIND,REPORT @/addressbooks/users/alice/contacts/a.vcf?photo: contacts.read
    PUT,DELETE,PROPPATCH @/addressbooks/users/alice/contacts/a.vcf: contacts.write
    COPY @/addressbooks/users/alice/a/a.vcf -> @/addressbooks/users/alice/b/a.vcf: contacts.read contacts.write
    MOVE /remote.php/contacts/addressbooks/alice/a/a.vcf -> /remote.php/contacts/addressbooks/alice/b/a.vcf: contacts.write

    GET,HEAD #/notes/api/v1/notes: notes.read
    GET /apps/notes/api/v0.2/notes/17: notes.read
    POST /apps/notes/api/v1/notes: notes.write
    PUT,DELETE #/notes/api/v1/notes/17: notes.write
    GET /apps/notes/api/v1/attachment/17?path=a.jpg: notes.read
    POST /apps/notes/api/v1/attachment/17: notes.write
    GET /apps/notes/api/v1.4/attachment/17?path=a.jpg: notes.read
    GET /apps/notes/api/v1/settings: notes.read

    GET /apps/tables/api/1/tables: tables.read
    POST /apps/tables/api/1/tables/3/rows: tables.write
    PUT,DELETE /apps/tables/api/1/rows/17: tables.write
    GET /apps/tables/api/1/views/3/shares: tables.read
    POST /apps/tables/api/1/tables/3/shares: tables.read tables.write sharing.write
    PUT,DELETE /apps/tables/api/1/shares/17: tables.read tables.write sharing.write
    GET %/tables/api/2/init: tables.read
    GET %/tables/api/2/contexts: tables.read
    POST %/tables/api/2/tables/3/rows: tables.write
    PUT,DELETE %/tables/api/2/tables/3: tables.write
    PUT %/tables/api/2/tables/3/transfer: tables.read tables.write sharing.write
    POST /apps/tables/api/1/import/table/3: files.read tables.write
    POST %/tables/api/2/views/3/share: tables.read tables.write sharing.write

    GET /apps/deck/api/v1.0/boards: deck.read
    POST /apps/deck/api/v1.1/boards: deck.write
    POST /apps/deck/api/v1.0/boards/3/acl: deck.read deck.write sharing.write
    PUT,DELETE /apps/deck/api/v1.0/boards/3/acl/1: deck.read deck.write sharing.write
    GET /apps/deck/api/v1.0/boards/3/stacks/4/cards/5/attachments/6: deck.read
    PUT /apps/deck/api/v1.0/boards/3/stacks/4/cards/5/assignUser: deck.write
    POST,DELETE /apps/deck/api/v1.0/boards/3/stacks/4: deck.write
    GET /apps/deck/api/v1.0/dashboard/due: deck.read
    GET %/deck/api/v1.0/boards: deck.read
    POST %/deck/api/v1.0/boards: deck.write
    POST %/deck/api/v1.0/boards/3/acl: deck.read deck.write sharing.write
    GET %/deck/api/v1.0/board/3: deck.read
    GET %/deck/api/v1.0/search?term=a: deck.read
    GET %/deck/api/v1.0/cards/5/comments: deck.read
    POST,PUT,DELETE %/deck/api/v1.0/cards/5/comments/6: deck.write
    POST,PUT %/deck/api/v1.0/session/sync: deck.write

    GET /apps/cookbook/api/version: cookbook.read
    GET /apps/cookbook/api/v1/config: cookbook.read
    GET /apps/cookbook/api/v1/recipes/17/image?size=full: cookbook.read
    POST,PUT /apps/cookbook/api/v1/recipes/17: files.read cookbook.write
    DELETE /apps/cookbook/api/v1/recipes/17: cookbook.write
    GET /apps/cookbook/api/v1/search/a%20b: cookbook.read
    PUT /apps/cookbook/api/v1/category/Soup: cookbook.write
    POST /apps/cookbook/api/v1/reindex: cookbook.write

    GET /ocs/v1.php/apps/files_sharing/api/v1/shares/inherited?path=/a: sharing.read
    POST,PUT %/files_sharing/api/v1/shares/17: files.read files.write sharing.write
    DELETE %/files_sharing/api/v1/shares/17: sharing.write
    GET %/files_sharing/api/v1/remote_shares/17: sharing.read
    POST,PUT,DELETE %/files_sharing/api/v1/deletedshares/17: sharing.write
    GET %/files_sharing/api/v1/sharees?search=a: sharing.read

    GET /apps/news/api: news.read
    GET /apps/news/api/v1-3/version: news.read
    GET #/news/api/v1-2/feeds: news.read
    GET /apps/news/api/v1-3/folders: news.read
    POST,PUT,PATCH,DELETE /apps/news/api/v2/folders/3: news.write
    DELETE /apps/news/api/v1-3/feeds/3: news.write
    GET /apps/news/api/v1-3/feeds/3/filter: news.read
    PUT,POST,DELETE /apps/news/api/v1-2/feeds/3/move: news.write
    GET /apps/news/api/v1-3/items/updated?lastModified=1: news.read
    PUT,POST /apps/news/api/v1-3/items/read/multiple: news.write

    POST %/mail/message/send: mail.send
    GET %/mail/message/17/raw: mail.read
    GET %/mail/ocs/mailboxes/3/messages: mail.read
    GET /apps/mail/api/messages?mailboxId=3: mail.read
    GET /apps/mail/api/accounts/3/aliases: mail.read
    GET /apps/mail/api/mailboxes: mail.read
    POST,PUT,PATCH,DELETE /apps/mail/api/mailboxes/3: mail.write
    GET /apps/mail/api/messages/17: mail.read
    DELETE /apps/mail/api/messages/17: mail.write
    GET /apps/mail/api/messages/17/body: mail.read
    GET /apps/mail/api/messages/17/attachment/1.2: mail.read
    POST /apps/mail/api/messages/17/mdn: mail.send
    PUT,DELETE /apps/mail/api/messages/17/tags/important: mail.write
    POST,DELETE /apps/mail/api/thread/17: mail.write
    POST,PUT,DELETE /apps/mail/api/tags/3: mail.write
    POST,PUT /apps/mail/api/drafts/17: files.read mail.write
    DELETE /apps/mail/api/drafts/17: mail.write
    GET /apps/mail/api/outbox/17: mail.read
    POST /apps/mail/api/outbox/17: mail.send
    DELETE /apps/mail/api/outbox/17: mail.write

    GET %/spreed/api/v4/room/note-to-self: talk.write
    GET %/spreed/api/v4/room: talk.read
    POST %/spreed/api/v4/room: talk.write
    GET %/spreed/api/v4/room/abc4/participants: talk.read
    POST %/spreed/api/v4/room/abc4/participants: sharing.write talk.read talk.write
    POST %/spreed/api/v4/room/abc4/participants/resend-invitations: sharing.write talk.read talk.write
    POST,PUT %/spreed/api/v4/room/abc4/public: sharing.write talk.read talk.write
    DELETE %/spreed/api/v4/room/abc4/public: talk.write
    PUT %/spreed/api/v4/room/abc4/webinar/sip: sharing.write talk.read talk.write
    PUT %/spreed/api/v4/room/abc4/webinar/lobby: talk.write
    GET %/spreed/api/v4/room/abc4: talk.read
    POST,PUT,DELETE %/spreed/api/v4/room/abc4/favorite: talk.write
    GET %/spreed/api/v1/chat/abc4?lookIntoFuture=0: talk.read
    GET %/spreed/api/v1/chat/abc4?lookIntoFuture=1&timeout=30: talk.write
    GET %/spreed/api/v1/chat/abc4?lookIntoFuture=1&setReadMarker=0: talk.read
    POST,DELETE %/spreed/api/v1/chat/abc4: talk.write
    GET %/spreed/api/v1/chat/upcoming-reminders: talk.read
    GET %/spreed/api/v1/poll/abc4/17: talk.read
    POST,PUT,DELETE %/spreed/api/v1/reaction/abc4/17: talk.write

    GET %/collectives/api/v1.0/collectives/3/pages: collectives.read
    POST,PUT,PATCH,DELETE %/collectives/api/v1.0/collectives/3/pages/4: collectives.write
    GET %/collectives/api/v1.0/collectives/3/pages/4/touch: collectives.write
    PUT %/collectives/api/v1.0/collectives/3/shareLevel: sharing.write collectives.read collectives.write
    GET %/collectives/api/v1.0/collectives/3/shares: collectives.read
    POST %/collectives/api/v1.0/collectives/3/pages/4/shares: sharing.write collectives.read collectives.write
    PUT,DELETE %/collectives/api/v1.0/collectives/3/shares/abc: sharing.write collectives.read collectives.write
";

fn expand(path: &str) -> String {
    let path = path.replacen('@', "/remote.php/dav", 1).replacen('#', "/index.php/apps", 1);
    match path.strip_prefix('%') {
        Some(rest) => format!("/ocs/v2.php/apps{rest}"),
        None => path,
    }
}

fn name_of(route: &routes::Route) -> String {
    format!("{} {}", route.surface, route.patterns[0])
}

fn seen(path: &str, method: &str, seen: &mut BTreeSet<(String, String)>) {
    let path = path.split('?').next().unwrap();
    let path = path::Path::parse(path).unwrap();
    let route = routes::at(&path.segments, Some("alice")).unwrap();
    let method = if method == "HEAD" { "GET" } else { method };
    seen.insert((name_of(route), method.to_owned()));
}

#[test]
fn each_route_needs_the_scopes_that_are_written_here() {
    let mut covered = BTreeSet::new();
    for line in REQUESTS.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let (request, scopes) = line.rsplit_once(": ").unwrap();
        let (methods, request) = request.split_once(' ').unwrap();
        let (path, target) = request.split_once(" -> ").unwrap_or((request, ""));
        let (path, target) = (expand(path), expand(target));
        for method in methods.split(',') {
            let destination = format!("Destination: https://gate.example.org:8443/cloud{target}");
            let mut fields = vec!["Depth: 0"];
            if !target.is_empty() {
                fields.push(&destination);
                seen(&target, TARGET, &mut covered);
            }
            let forwarded =
                ask(method, &path, &fields).unwrap_or_else(|error| panic!("{line}: {error}"));
            assert_eq!(needs(&forwarded), scopes, "{line}");
            assert_eq!(forwarded.path_and_query, format!("/cloud{path}"), "{line}");
            let is_write = scopes.contains(".write") || scopes.contains(".send");
            assert_eq!(forwarded.is_write, is_write, "{line}");
            let destination =
                (!target.is_empty()).then(|| format!("https://cloud.example.org/cloud{target}"));
            let sent = forwarded.headers.get("destination").map(|it| it.to_str().unwrap());
            assert_eq!(sent, destination.as_deref(), "{line}");
            seen(&path, method, &mut covered);
        }
    }
    let mut missing = Vec::new();
    for route in ROUTES {
        for method in route.allow().replace(", HEAD", "").split(", ").filter(|it| !it.is_empty()) {
            if !covered.contains(&(name_of(route), method.to_owned())) {
                missing.push(format!("{method} {}", name_of(route)));
            }
        }
    }
    assert!(missing.is_empty(), "no request here for {missing:#?}");
}
