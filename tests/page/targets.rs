//! Targets and their deliveries, as their owners and administrators work with them.

use crate::accessibility::look;
use crate::browser::Browser;
use crate::site::{Site, paste, receiver};
use crate::support::binary::{in_dir, success, token, wait};
use crate::views::assert_log_has_no_violation;

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
    browser.is_told_at("Address", "is not on the public internet");
    browser.retype("Address", &uri);
    browser.click("A file or folder was made");
    browser.click("A file or folder was renamed or moved");
    browser.type_into("Only in this folder", "No.tes/");
    let filter = browser.script("return document.querySelector('textarea').value");
    assert!(filter.as_str().unwrap().contains(r"/^\\/alice\\/files\\/No\\.tes\\//"), "{filter}");
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
    browser.sees("It has leaked");
    look(&browser, "a new secret");
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

/// Makes a target, and looks at it.
fn new_target(browser: &Browser, uri: &str) {
    browser.click("My targets");
    browser.click("New target");
    browser.type_into("Address", uri);
    browser.click("Make it");
    browser.sees("whsec_");
    browser.click("I have it");
    browser.sees("Active");
}

#[test]
fn a_target_is_changed_and_what_is_wrong_is_said_at_its_field() {
    let Some(browser) = Browser::start() else {
        return;
    };
    let site = Site::start(|_| {});
    let (first, second) = (receiver("200 OK"), receiver("200 OK"));
    let [first, second] = [first, second].map(|address| format!("http://{address}/hook"));
    site.log_in(&browser, "alice");
    browser.click("My targets");
    browser.click("New target");
    browser.type_into("Address", &first);
    browser.click("Add a field");
    browser.type_into("Name of a header field", "Host");
    browser.type_into("Its value", "Bearer of a secret");
    browser.click("Make it");
    browser.is_told_at("Header fields", "Host cannot be set");
    browser.retype("Name of a header field", "Authorization");
    browser.click("Make it");
    browser.click("I have it");
    browser.sees("authorization");
    let content = browser.script("return document.documentElement.outerHTML");
    assert!(!content.as_str().unwrap().contains("of a secret"));

    browser.click(&format!("Change: {first}"));
    browser.click("A file or folder was made");
    browser.click("The filter");
    browser.type_into("Filter", "{\"event.node.id\": ");
    browser.click("Save");
    browser.is_told_at("Filter", "This is not JSON");
    browser.retype("Filter", "{\"event.node.id\": {\"$in\": 1}}");
    browser.click("Save");
    browser.is_told_at("Filter", "must be a list");
    browser.type_into("Only in this folder", "Notes");
    browser.click("Save");
    browser.sees("Changed.");
    browser.sees("Only if");
    browser.sees("authorization");

    // The folder is known again, and its filter follows the classes.
    browser.click(&format!("Change: {first}"));
    browser.click("A file or folder was renamed or moved");
    browser.click("Save");
    browser.sees("event.target.path");
    browser.sees(r"files\\/Notes");

    // What is not touched stays, and at another origin the header fields go, which is said.
    browser.click(&format!("Change: {first}"));
    browser.retype("Address", &second);
    browser.click("Save");
    browser.sees("headers were removed");
    browser.sees(&second);
    browser.sees("Only if");
    browser.click(&format!("Change: {second}"));
    browser.click("Add a field");
    browser.type_into("Name of a header field", "X-One");
    browser.type_into("Its value", "one");
    browser.click("Add a field");
    browser.type_into("Name of a header field", "x-one");
    browser.type_into("Its value", "two");
    browser.click("Save");
    browser.is_told_at("Header fields", "x-one is there twice");
    look(&browser, "a changed target");
    browser.retype("Name of a header field", "X-Two");
    browser.click("Save");
    browser.sees("x-one, x-two");
    browser.click(&format!("Change: {second}"));
    browser.click("Replace all: x-one, x-two");
    look(&browser, "header fields");
    browser.click("Remove this header field");
    browser.click("Remove this header field");
    browser.click("Save");
    browser.sees("Changed.");
    wait("they are gone", || !browser.text().contains("With fields"));
    assert_log_has_no_violation(&browser);
}

#[test]
fn a_disabled_target_says_why_and_what_it_missed() {
    let Some(browser) = Browser::start() else {
        return;
    };
    let site = Site::start(|_| {});
    let uri = format!("http://{}/hook", receiver("410 Gone"));
    site.log_in(&browser, "alice");
    new_target(&browser, &uri);
    site.file_is_made("/alice/files/a.md");
    let shows = |part: &str| {
        wait(part, || {
            browser.script("dispatchEvent(new HashChangeEvent('hashchange'))");
            browser.sees("Waiting");
            browser.text().contains(part)
        });
    };
    shows("Disabled: it gets nothing until it is made active again");
    browser.sees("Its receiver answered 410, or every attempt failed for five days.");
    site.file_is_made("/alice/files/b.md");
    shows("1 event: replay");
    look(&browser, "a disabled target");
    browser.click("Deliveries");
    browser.click("Attempts: 1");
    browser.sees("The receiver wants no more, and the target is disabled (410)");
    browser.click("All targets");
    browser.click(&format!("Make active: {uri}"));
    browser.sees("It is active again.");
    browser.sees("Active");
    assert_log_has_no_violation(&browser);
}

/// A token with the scope of administrators.
fn administrator(site: &Site, user: &str) -> String {
    let made = &["token", "new", "--user", user, "--scope", "admin"];
    success(&mut in_dir(site.dir.path(), made), "").trim_end().to_owned()
}

#[test]
fn suspended_targets_say_why_and_are_taken_over() {
    let Some(browser) = Browser::start() else {
        return;
    };
    let site = Site::start(|serve| {
        serve.env("PORTREEVE_ADMIN_SCOPE", "admin");
    });
    let (alice, carol) = (administrator(&site, "alice"), administrator(&site, "carol"));
    for user in ["*", "bob", "dora"] {
        let body = format!(r#"{{"uri": "http://127.0.0.1:9/{user}", "user": "{user}"}}"#);
        site.call(&carol, "POST", "deliveries/targets", &body);
    }
    // She is one no more.
    site.call(&token(site.dir.path(), "carol"), "GET", "me", "");
    site.log_in(&browser, "bob");
    browser.click("My targets");
    browser.sees("Suspended: what arrives is sent afterwards");
    browser.sees("Whoever made it is no administrator any more.");
    browser.click("Take over: http://127.0.0.1:9/bob");
    browser.sees("You answer for it now.");
    browser.sees("by bob");

    browser.open(&site.page());
    paste(&browser, &alice);
    browser.click("Administration");
    browser.sees("Suspended targets of accounts");
    browser.sees("http://127.0.0.1:9/dora");
    look(&browser, "suspended targets");
    assert!(!browser.text().contains("http://127.0.0.1:9/bob"));
    browser.click("Take over: http://127.0.0.1:9/*");
    browser.sees("You answer for it now.");
    browser.sees("by alice");
    browser.click("Pause: http://127.0.0.1:9/*");
    browser.sees("Paused: what arrives is sent afterwards");
    browser.click("Resume: http://127.0.0.1:9/*");
    browser.sees("Resumed.");
    browser.click("Remove: http://127.0.0.1:9/*");
    browser.click("Remove it");
    browser.sees("No target gets the events of all accounts.");
    browser.click("New target for everybody");
    browser.sees("Choose none to get all.");
    look(&browser, "a target for everybody");
    browser.type_into("Address", "http://127.0.0.1:9/all");
    browser.click("Make it");
    browser.sees("whsec_");
    browser.click("I have it");
    browser.sees("Events of");
    browser.sees("everybody");
    browser.click("Show 1 target of bob");
    browser.sees("http://127.0.0.1:9/bob");
    assert_log_has_no_violation(&browser);
}

#[test]
fn a_double_click_makes_one_target() {
    let Some(browser) = Browser::start() else {
        return;
    };
    let site = Site::start(|_| {});
    site.log_in(&browser, "alice");
    browser.click("My targets");
    browser.click("New target");
    browser.type_into("Address", &format!("http://{}/hook", receiver("200 OK")));
    browser.script(
        "const make = [...document.querySelectorAll('button')].find((it) => it.innerText === 'Make it'); \
         make.click(); make.click();",
    );
    browser.sees("whsec_");
    let alice = token(site.dir.path(), "alice");
    let targets = site.call(&alice, "GET", "deliveries/targets", "");
    assert_eq!(targets["targets"].as_array().unwrap().len(), 1, "{targets}");
}
