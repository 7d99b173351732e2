//! Logging in at a real OpenID provider (`tests/support/src/oidc.rs`), by the authorization code flow with PKCE.

use std::process::Command;

use crate::browser::Browser;
use crate::site::Site;
use crate::support::binary::{get, wait};
use crate::support::oidc::Provider;
use crate::views::assert_log_has_no_violation;

const AUDIENCE: &str = "portreeve";

/// A gateway whose page is a client of a provider; its tokens are those for `audience`.
fn site(audience: &str) -> Option<(Browser, Provider, Site)> {
    site_with(audience, |_| {})
}

/// The same, where people have the accounts that they are bound to, and get them so.
pub(crate) fn bound(by: &str) -> Option<(Browser, Provider, Site)> {
    site_with(AUDIENCE, |serve| {
        serve.env("PORTREEVE_ACCOUNT", "bound").env("PORTREEVE_ACCOUNT_BINDING", by);
    })
}

fn site_with(
    audience: &str,
    change: impl FnOnce(&mut Command),
) -> Option<(Browser, Provider, Site)> {
    let browser = Browser::start()?;
    let mut provider = Provider::start()?;
    let site = Site::start(|serve| {
        serve
            .env("PORTREEVE_ISSUER", &provider.issuer)
            .env("PORTREEVE_AUDIENCE", audience)
            .env("PORTREEVE_PAGE_CLIENT_ID", "page")
            .env("PORTREEVE_PAGE_SCOPE", "openid,webhooks,apps");
        change(serve);
    });
    provider.command(&format!("page {}", site.page()));
    Some((browser, provider, site))
}

#[test]
fn a_person_logs_in_by_pkce_and_the_token_is_renewed() {
    let Some((browser, provider, site)) = site(AUDIENCE) else {
        return;
    };
    browser.open(&site.page());
    browser.sees(provider.issuer.trim_start_matches("http://"));
    browser.click("Log in");
    // What it sends is what RFC 7636 asks for.
    browser.sees("Log in as alice");
    browser.click("Log in as alice");
    browser.sees("You are alice");
    assert_eq!(browser.address(), site.page());
    let kept =
        browser.script("return [sessionStorage.length, localStorage.length, document.cookie]");
    assert_eq!(kept.to_string(), r#"[0,0,""]"#);
    // The tokens last four seconds.
    let asked = format!(
        "return performance.getEntriesByType('resource').filter((it) => it.name === '{}/token').length",
        provider.issuer
    );
    wait("the token is renewed twice", || browser.script(&asked).as_i64() >= Some(3));
    browser.click("My targets");
    browser.sees("You have none yet.");
    browser.click("My events");
    browser.sees("Connected: new events appear here.");
    // The stream ends with its token, and goes on with the next one.
    site.file_is_made("/alice/files/first.md");
    browser.sees("first.md");
    let seen = browser.script(&asked).as_i64();
    wait("the token is renewed twice more", || {
        browser.script(&asked).as_i64() >= seen.map(|it| it + 2)
    });
    site.file_is_made("/alice/files/second.md");
    browser.sees("second.md");
    assert_eq!(browser.text().matches("first.md").count(), 1);
    browser.click("Log out");
    browser.sees("You are logged out.");
    assert_log_has_no_violation(&browser);

    let policy = get(site.gateway.address, "/ui/", "none");
    let policy = policy.header("content-security-policy").unwrap();
    assert!(policy.contains(&format!("connect-src 'self' {};", provider.issuer)), "{policy}");
}

#[test]
fn what_the_provider_says_when_it_refuses_is_shown_as_text() {
    let Some((browser, _provider, site)) = site(AUDIENCE) else {
        return;
    };
    browser.open(&site.page());
    browser.click("Log in");
    browser.click("Refuse");
    browser.sees("The identity provider refused the login: access_denied (<b>no</b>).");
    assert_eq!(browser.address(), site.page());
    browser.click("Log in");
    browser.click("Log in as alice");
    browser.sees("You are alice");
    assert_log_has_no_violation(&browser);
}

/// Somebody who sends a link with their own code would have others work in their account.
#[test]
fn a_code_from_elsewhere_logs_nobody_in() {
    let Some((browser, _provider, site)) = site(AUDIENCE) else {
        return;
    };
    for query in ["?code=stolen&state=made-up", "?error=x&error_description=y&state=made-up"] {
        browser.open(&format!("{}{query}", site.page()));
        browser.sees("This login was not begun in this tab");
        assert!(!browser.text().contains("You are"));
        assert_eq!(browser.address(), site.page());
    }
    // Nor does a token in the address.
    browser.open(&format!("{}#token=prt_of_somebody_else", site.page()));
    browser.sees("and come back here");
    assert!(!browser.address().contains("prt_"), "{}", browser.address());
}

#[test]
fn a_token_that_the_gateway_refuses_names_the_claims_to_look_at() {
    let Some((browser, _provider, site)) = site("another-service") else {
        return;
    };
    browser.open(&site.page());
    browser.click("Log in");
    browser.click("Log in as alice");
    browser.sees("compares audience and allowed_client with its aud and client_id");
}

#[test]
fn while_the_provider_does_not_answer_the_page_says_so() {
    let Some(browser) = Browser::start() else {
        return;
    };
    let site = Site::start(|serve| {
        serve
            .env("PORTREEVE_ISSUER", "http://127.0.0.1:9")
            .env("PORTREEVE_AUDIENCE", AUDIENCE)
            .env("PORTREEVE_PAGE_CLIENT_ID", "page");
    });
    browser.open(&site.page());
    browser.sees("nobody can now");
    browser.sees("Try again");
    let policy = get(site.gateway.address, "/ui/", "none");
    let policy = policy.header("content-security-policy").unwrap();
    assert!(policy.contains("connect-src 'self';"), "{policy}");
    assert_log_has_no_violation(&browser);
}

/// Runs a script in which `token` gets each request for a token, and `send` makes it.
fn on_token_requests(browser: &Browser, script: &str) {
    browser.script(&format!(
        "const send = window.fetch; const token = {script}; window.asked = 0; \
         window.fetch = (...it) => (String(it[0]).endsWith('/token') ? (window.asked++, token(...it)) : send(...it));"
    ));
}

fn log_in(browser: &Browser, site: &Site) {
    browser.open(&site.page());
    browser.click("Log in");
    browser.click("Log in as alice");
    browser.sees("You are alice");
}

#[test]
fn a_renewal_that_fails_for_the_moment_is_tried_again() {
    let Some((browser, _provider, site)) = site(AUDIENCE) else {
        return;
    };
    log_in(&browser, &site);
    on_token_requests(
        &browser,
        "(...it) => (window.asked < 2 ? Promise.reject(new TypeError('no network')) : send(...it))",
    );
    wait("one that failed is tried again", || {
        browser.script("return window.asked").as_i64() >= Some(2)
    });
    browser.click("My targets");
    browser.sees("You have none yet.");
    browser.sees("You are alice");
}

#[test]
fn what_comes_after_the_end_of_a_session_is_not_taken() {
    let Some((browser, _provider, site)) = site(AUDIENCE) else {
        return;
    };
    log_in(&browser, &site);
    on_token_requests(
        &browser,
        "(...it) => new Promise((end) => setTimeout(() => end(send(...it)), 2000))",
    );
    wait("a renewal is under way", || browser.script("return window.asked").as_i64() == Some(1));
    browser.click("Log out");
    browser.sees("You are logged out.");
    std::thread::sleep(std::time::Duration::from_secs(6));
    assert_eq!(browser.script("return window.asked"), 1);
}
