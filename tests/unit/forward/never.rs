//! What no family opens, with everything opened.

use super::*;

const METHODS: &str = "GET HEAD POST PUT PATCH DELETE OPTIONS PROPFIND PROPPATCH REPORT MKCOL MKCALENDAR COPY MOVE LOCK UNLOCK \
                       SEARCH ACL TRACE CONNECT get PROPFINDX";

/// Paths below the web root.
const PATHS: &str = "
    /ocs/v2.php/core/apppassword
    /ocs/v1.php/core/apppassword/rotate
    /ocs/v2.php/core/apppassword/confirm
    /ocs/v2.php/core/getapppassword
    /ocs/v2.php/core/getapppassword-onetime
    /ocsapp/core/apppassword
    /index.php/ocsapp/core/apppassword/rotate
    /index.php/ocsapp/apps/spreed/api/v4/room
    /ocsapp/apps/spreed/api/v4/room
    /settings/personal/authtokens
    /index.php/settings/personal/authtokens/17
    /index.php/settings/personal/changepassword
    /index.php/settings/personal/webauthn/registration
    /ocs/v2.php/twofactor/state
    /ocs/v2.php/apps/twofactor_totp/settings
    /login
    /index.php/login/v2
    /login/flow/grant
    /index.php/logout
    /csrftoken
    /index.php/csrftoken
    /lostpassword/email
    /index.php/core/wipe/check
    /ocs/v2.php/apps/dav/api/v1/direct
    /ocs/v2.php/apps/files/api/v1/directEditing
    /ocs/v2.php/apps/files/api/v1/directEditing/open
    /ocs/v2.php/apps/files/api/v1/directEditing/create
    /ocs/v2.php/apps/files/api/v1/openlocaleditor
    /ocs/v2.php/apps/files/api/v1/transferownership
    /apps/text/session/17/create
    /index.php/apps/text/attachment/image
    /apps/oauth2/authorize
    /index.php/apps/oauth2/api/v1/token
    /index.php/apps/oidc/token
    /apps/user_oidc/provider
    /ocs/v2.php/apps/user_oidc/api/v1/user
    /ocs/v1.php/apps/app_api/api/v1/users
    /ocs/v2.php/apps/webhook_listeners/api/v1/webhooks
    /ocs/v2.php/apps/provisioning_api/api/v1/config/apps/core/public_webdav
    /ocs/v2.php/cloud/apps/notes
    /ocs/v2.php/cloud/user
    /ocs/v2.php/cloud/users
    /ocs/v2.php/cloud/users/alice
    /ocs/v2.php/cloud/groups/admin
    /ocs/v2.php/cloud/capabilities
    /index.php/settings/admin/overview
    /apps/files_external/globalstorages
    /index.php/apps/files_external/userstorages
    /public.php/dav/files/abc
    /public.php/webdav/
    /s/abc
    /index.php/s/abc
    /remote.php/direct/abc
    /ocm-provider/
    /cron.php
    /updater/
    /index.php/core/ajax/update.php
    /core/ajax/update.php
    /status.php
    /index.php/apps/mail/proxy
    /apps/mail/proxy?src=http://127.0.0.1/
    /ocs/v2.php/references/resolve
    /index.php/core/references/preview/abc
    /core/preview?fileId=1
    /apps/cookbook/api/v1/import
    /apps/cookbook/webapp/import
    /apps/news/admin
    /apps/news/feeds
    /apps/news/api/v1-3/feeds/all
    /apps/news/api/v1-2/feeds/update
    /apps/news/api/v1-3/cleanup/before-update
    /apps/news/api/v1-3/cleanup/after-update
    /apps/deck/api/v1.0/boards/import
    /apps/deck/boards/3/acl
    /ocs/v2.php/apps/deck/api/v1.0/config/attachmentFolder
    /ocs/v2.php/apps/spreed/api/v1/settings/user
    /ocs/v2.php/apps/collectives/api/v1.0/settings/user
    /apps/notes/notes
    /ocs/v2.php/apps/tables/api/2/public/abcdefghijklmnop/rows
    /apps/mail/api/accounts/3/test
    /apps/mail/api/autoconfig/test
    /apps/mail/api/sieve/active/3
    /apps/mail/api/delegations/3
    /apps/mail/api/messages/17/smartreply
    /apps/mail/api/thread/17/summary
    /apps/mail/api/outbox/from-draft/3
    /apps/mail/api/settings/provisioning
    /apps/mail/api/oauth/state
    /ocs/v2.php/apps/spreed/api/v4/room/abc4/meeting
    /ocs/v1.php/apps/spreed/api/v4/room/abc4/meeting
    /ocs/v2.php/apps/spreed/api/v1/bot/abc4/17
    /ocs/v2.php/apps/spreed/api/v1/recording/backend
    /ocs/v2.php/apps/spreed/api/v3/signaling/backend
    /ocs/v2.php/apps/spreed/api/v1/federation/invitation
    /ocs/v2.php/apps/collectives/api/v1.0/p/collectives/abc
    /ocs/v2.php/search/providers/files/search
    /ocs/v2.php/taskprocessing/schedule
    /ocs/v2.php/apps/assistant/chat/generate
    /ocs/v2.php/apps/notifications/api/v2/push
    /ocs/v2.php/apps/files_sharing/api/v1/token
    /remote.php/dav/principals/
    /remote.php/dav/principals/users/
    /remote.php/dav/principals/users/bob/
    /remote.php/dav/principals/users/alice/calendar-proxy-write/
    /remote.php/dav/principals/groups/admin/
    /remote.php/dav/public-calendars/abc
    /remote.php/dav/system-calendars/
    /remote.php/dav/addressbooks/system/system/system/
    /remote.php/dav/addressbooks/users/alice/z-server-generated--system/
    /remote.php/dav/addressbooks/users/alice/z-server-generated--system/Database:bob.vcf
    /remote.php/carddav/addressbooks/alice/z-server-generated--system/
    /remote.php/dav/calendars/alice/app-generated--deck--board-7/
    /remote.php/caldav/calendars/alice/app-generated--deck--board-7/card-8.ics
    /remote.php/dav/addressbooks/users/bob/contacts/
    /remote.php/dav/calendars/bob/personal/
    /remote.php/dav/files/bob/a
    /remote.php/dav/files/
    /remote.php/dav/uploads/bob/up-1
    /remote.php/dav/trashbin/bob/trash/a
    /remote.php/dav/versions/bob/versions/17/1
    /remote.php/dav/avatars/alice/64.png
    /remote.php/dav/bulk
    /remote.php/caldav/principals/bob
    /remote.php/carddav/addressbooks/bob
    /remote.php/other/files/alice
    /.well-known/caldav
    /
";

#[test]
fn nothing_of_these_is_forwarded_by_any_method() {
    for path in PATHS.split_whitespace() {
        for method in METHODS.split_whitespace() {
            let target = "Destination: /cloud/remote.php/dav/files/alice/b";
            let asked = ask(method, path, &["Depth: 0", target]);
            assert!(asked.is_err(), "{method} {path}");
        }
    }
}

/// Routes that are open have no methods beside their own.
#[test]
fn what_an_open_route_does_not_take_is_405() {
    for (method, path, allow) in [
        (
            "POST",
            "/remote.php/dav/files/alice/a",
            "OPTIONS, GET, HEAD, PROPFIND, REPORT, COPY, PUT, PATCH, DELETE, MKCOL, MOVE, PROPPATCH, LOCK, UNLOCK",
        ),
        ("PATCH", "/apps/notes/api/v1/notes/1", "GET, HEAD, POST, PUT, DELETE"),
        ("PUT", "/apps/notes/api/v1/settings", "GET, HEAD"),
        ("POST", "/apps/cookbook/api/v1/config", "GET, HEAD"),
        ("POST", "/apps/news/api/v1-3/feeds", "GET, HEAD"),
        ("POST", "/apps/mail/api/outbox", "GET, HEAD"),
        ("POST", "/apps/mail/api/accounts", "GET, HEAD"),
        ("OPTIONS", "/apps/notes/api/v1/notes", "GET, HEAD, POST, PUT, DELETE"),
        (
            "ACL",
            "/remote.php/dav/calendars/alice/personal",
            "OPTIONS, GET, HEAD, PROPFIND, REPORT, MKCALENDAR, MKCOL, PROPPATCH, DELETE, POST",
        ),
        ("(target)", "/remote.php/dav/files/alice/a", ""),
        ("get", "/apps/notes/api/v1/notes", "GET, HEAD, POST, PUT, DELETE"),
        ("TRACE", "/apps/notes/api/v1/notes", "GET, HEAD, POST, PUT, DELETE"),
    ] {
        let refused = ask(method, path, &[]).unwrap_err();
        let expected = match allow {
            "" => Refused::NotOpened,
            allow => Refused::Method(allow.to_owned()),
        };
        assert_eq!(refused, expected, "{method} {path}");
    }
}

#[test]
fn what_names_its_paths_in_the_body_is_forbidden() {
    for (method, path) in [("SEARCH", "/remote.php/dav/"), ("POST", "/remote.php/dav/bulk")] {
        assert!(matches!(ask(method, path, &[]), Err(Refused::Forbidden(_))), "{method} {path}");
    }
}
