//! What is loaded before something is shown: two round trips, the document and all that it names.

use std::collections::BTreeSet;
use std::path::Path;

use crate::browser::Browser;
use crate::site::Site;

/// Each file of the page that the browser asked for: its name, what made it do so, and its bytes.
const LOADED: &str = "return [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')] \
    .filter((it) => it.name.startsWith(document.baseURI.split('#')[0])) \
    .map((it) => [it.name.split('/').pop() || 'index.html', it.initiatorType, it.encodedBodySize])";

#[test]
fn the_document_names_all_that_is_loaded_and_that_is_little() {
    let Some(browser) = Browser::start() else {
        return;
    };
    let site = Site::start(|_| {});
    browser.open(&site.page());
    browser.sees("Use this token");
    let loaded = browser.script(LOADED);
    let loaded: Vec<(&str, &str, u64)> = loaded
        .as_array()
        .unwrap()
        .iter()
        .map(|it| (text(&it[0]), text(&it[1]), it[2].as_u64().unwrap()))
        .collect();
    let by = |kind: &str| -> Vec<&str> {
        loaded.iter().filter(|it| it.1 == kind).map(|it| it.0).collect()
    };
    // What the document names is loaded with it; a module that only another one names would be one of `script`, and a
    // third round trip.
    assert_eq!(by("script"), ["page.js"], "{loaded:#?}");
    assert_eq!(by("fetch"), ["login.json"], "{loaded:#?}");
    // Each once, and none that nobody uses. The icon comes when the browser likes.
    let mut names: Vec<_> = loaded.iter().map(|it| it.0).filter(|it| *it != "icon.svg").collect();
    names.sort_unstable();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/page");
    let files = std::fs::read_dir(folder).unwrap().map(|it| it.unwrap().file_name());
    let mut files: BTreeSet<_> = files.map(|it| it.into_string().unwrap()).collect();
    files.remove("icon.svg");
    files.insert("login.json".to_owned());
    assert_eq!(names, Vec::from_iter(&files));
    let bytes: u64 = loaded.iter().map(|it| it.2).sum();
    assert!((10_000..100 * 1024).contains(&bytes), "{bytes}");

    // Nor does a view load more.
    let count = loaded.iter().filter(|it| it.0 != "icon.svg").count();
    site.log_in(&browser, "alice");
    browser.click("Administration");
    browser.sees("None is registered.");
    let loaded = browser.script(LOADED);
    let again = loaded.as_array().unwrap().iter().filter(|it| it[0] != "icon.svg").count();
    assert_eq!(again, count, "{loaded:#}");
}

fn text(value: &serde_json::Value) -> &str {
    value.as_str().unwrap()
}
