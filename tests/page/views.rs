//! Each view, as its user works with it.

use crate::accessibility::look;
use crate::browser::Browser;
use crate::site::Site;
use crate::support::binary::{Served, portreeve, token, wait};

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
pub(crate) fn grant_as(browser: &Browser, user: &str) {
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
    let mut site = Site::start(|_| {});
    site.log_in(&browser, "bob");
    browser.sees("The gateway has no access");
    browser.click("Grant access");
    browser.sees("Waiting for you to grant access");
    // The flow outlives the gateway, and the page waits for both.
    site.restart_while(|| browser.sees("The gateway cannot be reached."));
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
    site.call(&carol, "POST", "deliveries/targets", r#"{"uri": "http://127.0.0.1:9/of-carol"}"#);
    site.log_in(&browser, "bob");
    browser.sees("The gateway has no access");
    assert!(!browser.text().contains("Administration"));
    site.log_in(&browser, "alice");
    browser.click("Administration");
    browser.sees("None is registered.");
    browser.sees("No target gets the events of all accounts.");
    browser.sees("App password stored");
    browser.click("Show 1 target of carol");
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

    // At other addresses it is changed, too.
    let alice = token(site.dir.path(), "alice");
    let there = "https://hooks.example.org/tags";
    let uri = format!(r#"{{"uri": "{there}"}}"#);
    let made = site.call(&alice, "PUT", "webhook-presets/tags", &uri);
    let first = made["created"][0].to_string();
    site.call(&alice, "DELETE", &format!("webhooks/{first}"), "");
    browser.script("dispatchEvent(new HashChangeEvent('hashchange'))");
    browser.sees(&format!("At {there}: Partly on"));
    browser.click(&format!("Switch on: tags at {there}"));
    browser.sees("Nextcloud delivers to this address from then on:");
    look(&browser, "a preset elsewhere");
    browser.click("Switch on");
    browser.sees(&format!("At {there}: On"));
    browser.click(&format!("Switch off: tags at {there}"));
    browser.sees("Nextcloud forgets 2 webhooks");
    browser.click("Switch off");
    browser.sees("tags: Off");
    wait("it is nowhere", || !browser.text().contains(there));
    assert_log_has_no_violation(&browser);
}

#[test]
fn an_outdated_preset_says_so_and_is_brought_up_to_date() {
    let Some(browser) = Browser::start() else {
        return;
    };
    let mut site = Site::start(|_| {});
    site.log_in(&browser, "alice");
    browser.click("Administration");
    browser.click("Switch on: files");
    browser.sees("Nextcloud delivers to this gateway from then on:");
    browser.click("Switch on");
    browser.sees("files: On");
    site.restart(|serve| {
        serve.env("WEBHOOK_SECRET", "another secret for the tests of the page");
    });
    browser.script("dispatchEvent(new HashChangeEvent('hashchange'))");
    browser.sees("files: Partly on; 5 webhooks are outdated");
    browser.click("Bring up to date: files");
    browser.sees("5 webhooks are changed to what it is now");
    look(&browser, "an outdated preset");
    browser.click("Bring up to date");
    browser.sees("files: On");
    assert_log_has_no_violation(&browser);
}
