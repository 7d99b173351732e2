//! Each view, as its user works with it.

use crate::browser::Browser;
use crate::site::{Site, receiver};
use crate::support::binary::{Served, http, portreeve, token, wait};

/// Nothing that the policy forbids was tried, and no script failed. Statuses that were wanted are listed, too.
#[track_caller]
pub(crate) fn assert_log_has_no_violation(browser: &Browser) {
    let log = browser.log();
    let is_fault = |line: &&String| !line.contains("Failed to load resource");
    let faults: Vec<_> = log.iter().filter(is_fault).collect();
    assert!(faults.is_empty(), "{faults:#?}");
}

#[test]
fn the_demo_opens_with_its_page_and_the_token_leaves_the_address() {
    let Some(browser) = Browser::start() else {
        return;
    };
    let mut demo = portreeve();
    let demo = Served::start(demo.args(["demo", "--listen", "127.0.0.1:0"]));
    let line = demo.before_listening.iter().find(|line| line.contains("#token="));
    let page = line.unwrap().rsplit(' ').next().unwrap();
    browser.open(page);
    browser.sees("You are alice");
    browser.sees("The gateway may act for you");
    assert_eq!(browser.address(), page.split('#').next().unwrap());
    let kept = browser.script(
        "return [history.length, sessionStorage.length, localStorage.length, document.cookie]",
    );
    assert_eq!(kept.to_string(), r#"[2,0,0,""]"#, "{kept}");
    assert_log_has_no_violation(&browser);
}

/// On the page of the stand-in, which the page has opened.
fn grant_as(browser: &Browser, user: &str) {
    browser.sees("Waiting for you to grant access");
    browser.in_other_window(|| {
        browser.click(&format!("Grant access as {user}"));
        browser.sees("Access is granted: close this page.");
    });
}

#[test]
fn access_is_granted_removed_and_revoked() {
    let Some(browser) = Browser::start() else {
        return;
    };
    let site = Site::start(|_| {});
    site.log_in(&browser, "bob");
    browser.sees("The gateway has no access");
    browser.click("Grant access");
    grant_as(&browser, "bob");
    browser.sees("The gateway may act for you");
    browser.sees("Login name");
    browser.click("Remove");
    browser.sees("Nextcloud still accepts it");
    browser.click("Cancel");
    browser.sees("The gateway may act for you");
    browser.click("Remove");
    browser.click("Remove it here");
    browser.sees("The gateway has no access");

    // Another account grants it: that is an error, which says so.
    browser.click("Grant access");
    grant_as(&browser, "alice");
    browser.sees("another account");

    browser.click("Grant access");
    grant_as(&browser, "bob");
    browser.sees("The gateway may act for you");
    browser.click("Revoke at Nextcloud");
    browser.click("Revoke it");
    browser.sees("The gateway has no access");
    browser.click("Log out");
    browser.sees("You are logged out.");
    assert_log_has_no_violation(&browser);
}

#[test]
fn a_wrong_token_and_one_that_is_revoked_end_the_session_with_a_sentence() {
    let Some(browser) = Browser::start() else {
        return;
    };
    let site = Site::start(|_| {});
    browser.open(&site.page());
    browser.type_into("Token", "prt_wrong");
    browser.click("Use this token");
    browser.sees("Your session is over");
    site.log_in(&browser, "alice");
    // Shown before the token goes: the page may find out with the first request after that.
    browser.sees("My targets");
    std::fs::write(site.dir.path().join("tokens"), "").unwrap();
    wait("the token is refused", || {
        browser.script("location.hash = location.hash === '#access' ? '#targets' : '#access'");
        wait("the view is there", || !browser.text().contains("Loading"));
        browser.text().contains("Your session is over")
    });
    browser.sees("Use this token");
}

#[test]
fn a_target_is_made_paused_tested_given_a_secret_and_removed() {
    let Some(browser) = Browser::start() else {
        return;
    };
    let site = Site::start(|_| {});
    let uri = format!("http://{}/hook", receiver("200 OK"));
    site.log_in(&browser, "alice");
    browser.click("My targets");
    browser.sees("You have none yet.");
    browser.click("New target");
    // What is wrong with it is said where it is made.
    browser.type_into("Address", "http://192.0.2.1/");
    browser.click("Make it");
    browser.sees("https");
    browser.script("document.getElementById('uri').value = ''");
    browser.type_into("Address", &uri);
    browser.click("A file or folder was made");
    browser.click("A file or folder was renamed or moved");
    browser.type_into("Only in this folder", "No.tes/");
    browser.sees(r"/^\\/alice\\/files\\/No\\.tes\\//");
    browser.click("Make it");
    browser.sees("Copy it now: it is not shown again.");
    browser.sees("whsec_");
    browser.click("Verify in Python");
    browser.sees("from standardwebhooks import Webhook");
    browser.click("I have it");
    browser.sees("Active");
    assert!(!browser.text().contains("whsec_"));

    browser.click(&format!("Send a test event: {uri}"));
    browser.sees("The receiver took it (200), after ");
    browser.click(&format!("Pause: {uri}"));
    browser.sees("Paused: what arrives is sent afterwards");
    browser.click(&format!("Resume: {uri}"));
    browser.sees("Active");
    browser.click(&format!("New secret: {uri}"));
    browser.click("Make a new one");
    browser.sees("whsec_");
    browser.click(&format!("Remove: {uri}"));
    browser.click("Remove it");
    browser.sees("You have none yet.");
    assert_log_has_no_violation(&browser);
}

#[test]
fn what_a_target_got_is_listed_sent_again_and_replayed() {
    let Some(browser) = Browser::start() else {
        return;
    };
    let site = Site::start(|_| {});
    let uri = format!("http://{}/hook", receiver("500 Internal Server Error"));
    site.log_in(&browser, "alice");
    browser.click("My targets");
    browser.click("New target");
    browser.type_into("Address", &uri);
    browser.click("Make it");
    browser.click("I have it");
    site.file_is_made("/alice/files/a.md");
    browser.click("Deliveries");
    wait("an attempt is made", || {
        browser.script("dispatchEvent(new HashChangeEvent('hashchange'))");
        browser.sees("All targets");
        browser.text().contains("Attempts: 1")
    });
    browser.sees("A file or folder was made");
    browser.click("Attempts: 1");
    browser.sees("The receiver refused it (500)");
    let again = browser.script(
        "return [...document.querySelectorAll('button')].find((it) => it.innerText === 'Send again').ariaLabel",
    );
    browser.click(again.as_str().unwrap());
    browser.sees("Delivery is sent again");
    browser.click("Send events of a time again");
    browser.script("document.getElementById('since').value = '2026-01-01T00:00'");
    browser.click("Replay");
    browser.sees("All targets");
    assert_log_has_no_violation(&browser);
}

/// Names of files that try to become HTML, to turn the direction of the text, or to fill the page.
#[test]
fn events_appear_as_they_arrive_and_hostile_names_stay_text() {
    let Some(browser) = Browser::start() else {
        return;
    };
    let site = Site::start(|_| {});
    site.log_in(&browser, "alice");
    browser.click("My events");
    browser.sees("Connected: new events appear here.");
    site.file_is_made("/alice/files/<img src=x onerror=\"document.title='stolen'\">.md");
    browser.sees("<img src=x onerror=\"document.title='stolen'\">.md");
    site.file_is_made("/alice/files/photo\u{202e}gpj.exe");
    browser.sees("photo\u{27e8}U+202E\u{27e9}gpj.exe");
    site.file_is_made(&format!("/alice/files/{}", "<b>\u{1f980}</b>".repeat(512)));
    browser.sees("\u{2026} (4109 characters)");
    site.file_is_made("/alice/files/javascript:alert(1)\n\0<script>alert(1)</script>");
    browser.sees("<script>alert(1)</script>");
    for _ in 0..4 {
        browser.click("All of it");
    }
    let found =
        browser.script("return document.querySelectorAll('main img, main b, main script').length");
    assert_eq!(found, 0);
    assert_eq!(browser.script("return document.title"), "My events \u{2013} Portreeve");
    let width = browser.script("return document.documentElement.scrollWidth - innerWidth");
    assert!(width.as_i64().unwrap() <= 0, "{width}");
    assert_log_has_no_violation(&browser);
}

#[test]
fn administrators_see_presets_webhooks_accounts_and_targets_of_all() {
    let Some(browser) = Browser::start() else {
        return;
    };
    let site = Site::start(|_| {});
    let carol = token(site.dir.path(), "carol");
    let body = r#"{"uri": "http://127.0.0.1:9/of-carol"}"#;
    let head = format!(
        "POST /api/v1/deliveries/targets HTTP/1.1\r\nHost: g\r\nConnection: close\r\nAuthorization: Bearer {carol}\r\n"
    );
    let made =
        http(site.gateway.address, &format!("{head}Content-Length: {}\r\n\r\n{body}", body.len()));
    assert_eq!(made.status, 201, "{made:?}");
    site.log_in(&browser, "bob");
    browser.sees("The gateway has no access");
    assert!(!browser.text().contains("Administration"));
    site.log_in(&browser, "alice");
    browser.click("Administration");
    browser.sees("None is registered.");
    browser.sees("No target gets the events of all accounts.");
    browser.sees("App password stored");
    browser.click("Show 1 of carol");
    browser.sees("http://127.0.0.1:9/of-carol");
    browser.click("Switch on: files");
    browser.sees("Nextcloud delivers to this gateway from then on:");
    browser.click("Switch on");
    browser.sees("files: On");
    browser.click("Switch on: notes");
    browser.click("Switch on");
    browser.sees("notes: On, by the preset files");
    browser.click("Switch off: notes");
    browser.click("Switch off");
    browser.sees("notes: Off");
    browser.click("Switch off: files");
    browser.click("Switch off");
    browser.sees("files: Off");
    assert_log_has_no_violation(&browser);
}
