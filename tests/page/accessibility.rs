//! Each view for everybody: no violation that axe-core (<https://github.com/dequelabs/axe-core>) finds, in light and dark; in
//! a window of 320 pixels, which is also one of 640 at 200 %; and by the keyboard alone.
//!
//! `PORTREEVE_PRINT_DOCS=1 cargo test --test page accessibility` draws the pictures in docs/screenshots.

use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};

use crate::browser::Browser;
use crate::site::{Site, receiver};
use crate::support::binary::{token, wait};

const TAB: char = '\u{e004}';
const ENTER: char = '\u{e007}';

/// Looks at what is shown, which is `view`.
#[track_caller]
pub(crate) fn look(browser: &Browser, view: &str) {
    let path =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/oidc/node_modules/axe-core/axe.min.js");
    match std::fs::read_to_string(path) {
        Ok(axe) => has_no_violation(browser, &axe, view),
        Err(_) => crate::browser::leave_out("npm ci --prefix tests/oidc"),
    }
    browser.resize(Some((320, 640)));
    let wider = browser.script(
        "return [...document.querySelectorAll('body *')].filter((it) => it.getBoundingClientRect().right > innerWidth \
         && !it.closest('.wide, .skip')).map((it) => it.outerHTML.slice(0, 200))",
    );
    assert_eq!(wider, serde_json::json!([]), "{view}: {wider:#}");
    // Commands of the pages say how.
    if std::env::var_os("PORTREEVE_PRINT_DOCS").is_some() && PICTURES.contains(&view) {
        browser.resize(Some((900, 720)));
        browser.script("document.getElementById('said').textContent = ''; scrollTo(0, 0)");
        std::fs::write(docs(&format!("{view}.png")), browser.picture()).unwrap();
    }
    browser.resize(None);
}

/// By axe-core.
#[track_caller]
fn has_no_violation(browser: &Browser, axe: &str, view: &str) {
    for scheme in ["dark", "light"] {
        browser.prefer(scheme);
        let found = browser.awaited(&format!(
            "{axe}; const found = await axe.run(document, {{ resultTypes: ['violations'] }}); \
             return found.violations.map(({{ id, nodes }}) => [id, ...nodes.map((it) => `${{it.html}} ${{it.failureSummary}}`)]);",
        ));
        assert_eq!(found, serde_json::json!([]), "{view}, {scheme}: {found:#}");
    }
}

fn docs(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/screenshots").join(name)
}

/// The views of which there are pictures.
const PICTURES: [&str; 4] = ["access", "events", "targets", "administration"];

/// Beside the pictures: of what they are.
const SOURCE: &str = "of.sha256";

/// Of the files of the page.
fn digest_of_the_page() -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/page");
    let mut files: Vec<_> =
        std::fs::read_dir(folder).unwrap().map(|it| it.unwrap().path()).collect();
    files.sort();
    let digest = files
        .iter()
        .fold(Sha256::new(), |digest, file| digest.chain_update(std::fs::read(file).unwrap()));
    digest.finalize().iter().map(|byte| format!("{byte:02x}")).collect::<String>() + "\n"
}

#[test]
fn the_pictures_are_those_of_the_page() {
    let drawn = std::fs::read_to_string(docs(SOURCE)).unwrap();
    assert!(
        drawn == digest_of_the_page(),
        "src/page is another since: PORTREEVE_PRINT_DOCS=1 cargo test --test page each_view draws docs/screenshots anew"
    );
}

#[test]
fn each_view_is_accessible_and_fits_a_small_window() {
    let Some(browser) = Browser::start() else {
        return;
    };
    let look = |view: &str| look(&browser, view);
    let site = Site::start(|_| {});
    browser.open(&site.page());
    browser.sees("Use this token");
    look("log in");
    site.log_in(&browser, "bob");
    browser.sees("The gateway has no access");
    look("no access");
    browser.click("Grant access");
    browser.sees("Waiting for you to grant access");
    browser.in_other_window(|| browser.sees("A stand-in"));
    look("granting");
    site.log_in(&browser, "alice");
    browser.sees("Administration");
    look("access");
    browser.click("Remove");
    browser.sees("Nextcloud still accepts it");
    look("a question");
    browser.click("Cancel");

    browser.click("My targets");
    browser.sees("You have none yet.");
    browser.click("New target");
    browser.sees("A file or folder was made");
    browser.click("A file or folder was made");
    browser.type_into("Only in this folder", "Notes");
    let filter = "return document.querySelector('textarea').value";
    wait("the filter is shown", || browser.script(filter) != "");
    look("a new target");
    let uri = format!("http://{}/notes", receiver("200 OK"));
    browser.type_into("Address", &uri);
    browser.click("Make it");
    browser.sees("whsec_");
    look("a secret");
    browser.click("I have it");
    browser.click(&format!("Send a test event: {uri}"));
    browser.sees("The receiver took it");
    look("targets");

    browser.click("My events");
    browser.sees("Connected");
    look("no events");
    site.file_is_made(&format!("/alice/files/{}", "long".repeat(1000)));
    for name in ["Notes/plan for the \u{202e}week.md", "photo.jpg", "Notes/today.md"] {
        site.file_is_made(&format!("/alice/files/{name}"));
    }
    browser.sees("today.md");
    look("events");

    browser.click("My targets");
    browser.click("Deliveries");
    wait("an attempt is made", || {
        browser.script("dispatchEvent(new HashChangeEvent('hashchange'))");
        browser.sees("All targets");
        browser.text().contains("Attempts: 1")
    });
    look("deliveries");
    browser.click("Administration");
    browser.click("Switch on: files");
    browser.click("Switch on");
    browser.sees("files: On");
    browser.sees("Made by");
    look("administration");
    if std::env::var_os("PORTREEVE_PRINT_DOCS").is_some() {
        std::fs::write(docs(SOURCE), digest_of_the_page()).unwrap();
    }
}

#[test]
fn the_keyboard_alone_is_enough() {
    let Some(browser) = Browser::start() else {
        return;
    };
    let site = Site::start(|_| {});
    let token = token(site.dir.path(), "alice");
    browser.open(&site.page());
    browser.sees("Use this token");
    // What has the focus, in words.
    let focus =
        || browser.script("return document.activeElement.innerText || document.activeElement.id");
    let go_to = |name: &str| {
        for _ in 0..30 {
            if focus() == name {
                return;
            }
            browser.press(TAB);
        }
        panic!("{name:?} is not reached: {}", browser.text());
    };
    go_to("token");
    token.chars().for_each(|key| browser.press(key));
    browser.press(ENTER);
    browser.sees("The gateway may act for you");
    assert_eq!(focus(), "My access");
    go_to("Remove");
    browser.press(ENTER);
    browser.sees("Nextcloud still accepts it");
    // The harmless answer has the focus, and after it what was pressed.
    assert_eq!(focus(), "Cancel");
    browser.press(ENTER);
    wait("the dialog closes", || focus() == "Remove");
    browser.script("document.querySelector('.skip').focus()");
    go_to("My targets");
    browser.press(ENTER);
    browser.sees("You have none yet.");
    wait("the heading has the focus", || focus() == "My targets");
    go_to("New target");
    browser.press(ENTER);
    wait("the form has the focus", || {
        browser.script("return document.activeElement.type") == "url"
    });
}
