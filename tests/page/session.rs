//! Sessions that end, begin anew, or stand side by side; and events while the gateway is away.

use crate::accessibility::look;
use crate::browser::Browser;
use crate::login::bound;
use crate::site::{Site, paste};
use crate::support::binary::{in_dir, success, token};
use crate::views::assert_log_has_no_violation;

#[test]
fn events_go_on_after_a_restart_and_the_gap_is_shown_with_its_times() {
    let Some(browser) = Browser::start() else {
        return;
    };
    let mut site = Site::start(|_| {});
    site.log_in(&browser, "alice");
    browser.click("My events");
    browser.sees("Connected: new events appear here.");
    site.file_is_made("/alice/files/before.md");
    browser.sees("before.md");
    site.restart(|_| {});
    browser.sees("events may be missing: the gateway was stopped.");
    let times = browser.script(
        "return [...document.querySelectorAll('.note time')].map((it) => [it.dateTime, it.title, it.innerText])",
    );
    let [from, until] = &**times.as_array().unwrap() else { panic!("{times}") };
    for time in [from, until] {
        assert!(time[0] == time[1] && time[0] != time[2], "{times}");
    }
    assert!(from[0].as_str() <= until[0].as_str(), "{times}");
    look(&browser, "a gap");
    site.file_is_made("/alice/files/after.md");
    browser.sees("after.md");
    assert_eq!(browser.text().matches("before.md").count(), 1);
    assert_eq!(browser.text().matches("may be missing").count(), 1);
    assert_log_has_no_violation(&browser);
}

#[test]
fn a_token_that_is_revoked_ends_the_session_while_events_are_awaited() {
    let Some(browser) = Browser::start() else {
        return;
    };
    let site = Site::start(|_| {});
    site.log_in(&browser, "alice");
    browser.click("My events");
    browser.sees("Connected: new events appear here.");
    std::fs::write(site.dir.path().join("tokens"), "").unwrap();
    browser.sees("Your session is over");
    browser.sees("Use this token");
    look(&browser, "session over");
    assert!(!browser.text().contains("My events"), "{}", browser.text());
}

#[test]
fn a_reload_logs_in_anew_and_comes_back_to_the_view() {
    let Some(browser) = Browser::start() else {
        return;
    };
    let site = Site::start(|_| {});
    let token = token(site.dir.path(), "alice");
    browser.open(&site.page());
    paste(&browser, &token);
    browser.click("My targets");
    browser.sees("You have none yet.");
    browser.reload();
    browser.sees("Use this token");
    assert!(!browser.text().contains("You are alice"));
    paste(&browser, &token);
    browser.sees("You have none yet.");
    assert_log_has_no_violation(&browser);
}

#[test]
fn two_tabs_have_sessions_of_their_own() {
    let Some(browser) = Browser::start() else {
        return;
    };
    let site = Site::start(|_| {});
    site.log_in(&browser, "alice");
    browser.click("My events");
    browser.sees("Connected: new events appear here.");
    let first = browser.tab();
    let second = browser.open_tab();
    site.log_in(&browser, "bob");
    browser.click("My events");
    browser.sees("Connected: new events appear here.");
    site.file_is_made("/alice/files/hers.md");
    site.file_is_made("/bob/files/his.md");
    browser.sees("his.md");
    assert!(!browser.text().contains("hers.md"));
    browser.click("Log out");
    browser.sees("You are logged out.");
    browser.turn_to(&first);
    browser.sees("hers.md");
    browser.sees("You are alice");
    site.file_is_made("/alice/files/more.md");
    browser.sees("more.md");
    assert_eq!(browser.text().matches("hers.md").count(), 1);
    browser.turn_to(&second);
    browser.sees("Use this token");
    assert_log_has_no_violation(&browser);
}

#[test]
fn a_person_without_an_account_is_told_how_to_get_one() {
    let Some((browser, provider, site)) = bound("off") else {
        return;
    };
    browser.open(&site.page());
    browser.click("Log in");
    browser.click("Log in as alice");
    browser.sees("no Nextcloud account is yours here yet");
    look(&browser, "no account");
    browser.sees("Ask who runs this gateway");
    assert!(!browser.text().contains("Grant access"), "{}", browser.text());
    assert!(!browser.text().contains("My events"), "{}", browser.text());
    let bind = ["accounts", "bind", "--subject", "alice", "--user", "alice", "--issuer"];
    success(in_dir(site.dir.path(), &bind).arg(&provider.issuer), "");
    browser.click("Look again");
    browser.sees("You are alice");
    browser.sees("The gateway may act for you");
    browser.sees("My events");
    assert_log_has_no_violation(&browser);
}

#[test]
fn a_person_without_an_account_gets_one_by_granting_access() {
    let Some((browser, _provider, site)) = bound("login-flow") else {
        return;
    };
    browser.open(&site.page());
    browser.click("Log in");
    browser.click("Log in as alice");
    browser.sees("from then on it is yours here");
    browser.click("Grant access");
    crate::views::grant_as(&browser, "bob");
    browser.sees("The gateway may act for you");
    browser.sees("You are bob");
    assert_log_has_no_violation(&browser);
}
