//! litmus, which tests whether a server does what RFC 4918 says.
//!
//! It sends two PROPFINDs without `Depth`. That they are refused through the gateway, it does not count as a fault.

use std::collections::BTreeMap;

use crate::shim::Shim;
use crate::site::{Door, FILES, PASSWORD, Site};
use crate::support::binary::{run, text};

/// What it says of each of its tests, by the suite and the number and name of the test.
fn results(site: &Site, door: &Door) -> BTreeMap<String, String> {
    // It can log in with a password alone.
    let shim = Shim::before(door);
    let mut command = site.client("litmus");
    command.args(["-k", &format!("{}{FILES}/", shim.url()), "alice", PASSWORD]);
    let output = run(&mut command, "");
    let mut results = BTreeMap::new();
    let mut suite = "";
    for line in text(&output.stdout).lines() {
        if let Some(name) = line.strip_prefix("-> running `") {
            suite = name.trim_end_matches("':");
        }
        // A test is named when it begins, and again with its result.
        let line = line.rsplit('\r').next().unwrap_or(line);
        let Some((test, result)) = line.split_once(". ").and_then(|(number, rest)| {
            number.trim().parse::<u32>().ok()?;
            let (name, result) = rest.split_once(['.', ' '])?;
            Some((
                format!("{suite} {} {name}", number.trim()),
                result.trim_start_matches(['.', ' ']),
            ))
        }) else {
            continue;
        };
        results.insert(test, result.to_owned());
    }
    results
}

/// What it finds of the gateway alone, and why.
const DIFFERENCES: [(&str, &str); 1] = [
    // It sends a path with `#`, which no client may. Of that the gateway sees only what is before it, as hyper reads paths;
    // the server refuses it.
    (
        "basic 9 delete_fragment",
        "WARNING: DELETE removed collection resource with Request-URI including fragment; unsafe",
    ),
];

#[test]
fn litmus_finds_the_known_differences_alone() {
    let Some(site) = Site::with(&["litmus"]) else {
        return;
    };
    let [direct, gateway] = site.doors().map(|door| results(&site, &door));
    assert_eq!(direct.len(), 104, "{direct:#?}");
    assert!(direct.values().all(|it| it == "pass"), "{direct:#?}");
    assert_eq!(gateway.len(), direct.len());
    let differences: Vec<_> = gateway
        .iter()
        .filter(|it| direct.get(it.0) != Some(it.1))
        .map(|(test, result)| (&**test, &**result))
        .collect();
    assert_eq!(differences, DIFFERENCES);
}

#[test]
fn litmus_gets_nowhere_with_a_token_that_may_not_write() {
    let Some(site) = Site::with(&["litmus"]) else {
        return;
    };
    let results = results(&site, &site.gateway("alice", &["files.read"]));
    let refused = "FAIL (Could not create new collection `/remote.php/dav/files/alice/litmus/' for tests: 403 Forbidden";
    assert!(results["basic 1 begin"].starts_with(refused), "{results:#?}");
}
