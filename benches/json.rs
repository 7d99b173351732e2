//! The cost of checking JSON that is passed on, compared with `serde_json`: `cargo bench --bench json`.
//!
//! Both readers check the whole text of an answer of the groupware server, as recorded, and find
//! where its value begins and ends. Instructions need valgrind (its tool callgrind) on the path,
//! and are the same in every run; of the time only the ratio of two lines of one run says anything.

// The module is private to the library, which uses all of it.
#[allow(dead_code, unused_imports)]
#[path = "../src/groupware/json/mod.rs"]
mod json;

use std::hint::black_box;
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::value::RawValue;

/// The argument that indicates that the program runs under callgrind.
const UNDER_CALLGRIND: &str = "--under-callgrind";

const ROUNDS: u32 = 50;

/// The length of the value in a text, after checking all of it.
type Reader = fn(&[u8]) -> usize;

const READERS: [(&str, Reader); 2] = [("cursor", cursor), ("serde_json", raw_value)];

fn main() {
    let bodies = [
        ("capabilities", recorded("capabilities-admin-app-password")),
        (
            "webhooks, 10 records",
            ten(&recorded("webhooks-list-admin")),
        ),
    ];
    let arguments: Vec<String> = std::env::args().collect();
    if let [_, under, reader, body, times] = &*arguments
        && under == UNDER_CALLGRIND
    {
        let number = |text: &str| text.parse::<usize>().expect("a number of this program");
        let (reader, body) = (READERS[number(reader)].1, &bodies[number(body)].1);
        return (0..number(times)).for_each(|_| read(reader, body));
    }
    println!(
        "{:<22} {:>6} {:<12} {:>8} {:>14}",
        "answer", "bytes", "reader", "ns", "instructions"
    );
    for (at, (name, body)) in bodies.iter().enumerate() {
        let times = times(body);
        let counts: Vec<_> = (0..READERS.len())
            .map(|reader| instructions(reader, at))
            .collect();
        for (((reader, _), time), count) in READERS.iter().zip(times).zip(&counts) {
            let count = count.map_or("no valgrind".into(), |count| count.to_string());
            let bytes = body.len();
            println!("{name:<22} {bytes:>6} {reader:<12} {time:>8.0} {count:>14}");
        }
        let ratio = |one: f64, other: f64| format!("{:.2}", one / other);
        let counted = match counts[..] {
            [Some(one), Some(other)] => ratio(one as f64, other as f64),
            _ => String::new(),
        };
        let timed = ratio(times[0], times[1]);
        println!(
            "{:<22} {:>6} {:<12} {timed:>8} {counted:>14}",
            "", "", "ratio"
        );
    }
}

fn cursor(text: &[u8]) -> usize {
    let raw = json::parse(text, |value| value.raw());
    raw.map(<[u8]>::len).expect("a recorded answer is JSON")
}

fn raw_value(text: &[u8]) -> usize {
    let raw: &RawValue = serde_json::from_slice(text).expect("a recorded answer is JSON");
    raw.get().len()
}

#[inline(never)]
fn read(reader: Reader, body: &[u8]) {
    black_box(black_box(reader)(black_box(body)));
}

/// Nanoseconds of each reader for one text, the best of many alternating rounds.
fn times(body: &[u8]) -> [f64; 2] {
    const EACH: u32 = 500;
    let mut best = [Duration::MAX; 2];
    for _ in 0..ROUNDS {
        for ((_, reader), best) in READERS.iter().zip(&mut best) {
            let begun = Instant::now();
            (0..EACH).for_each(|_| read(*reader, body));
            *best = begun.elapsed().min(*best);
        }
    }
    best.map(|best| best.as_nanos() as f64 / f64::from(EACH))
}

/// Instructions of a reader for one text: a hundredth of what a hundred more texts add to a run.
fn instructions(reader: usize, body: usize) -> Option<u64> {
    let total = |times: u32| {
        let run = Command::new("valgrind")
            .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
            .arg(std::env::current_exe().ok()?)
            .args([UNDER_CALLGRIND, &reader.to_string(), &body.to_string()])
            .arg(times.to_string())
            .output()
            .ok()?;
        let report = String::from_utf8_lossy(&run.stderr).into_owned();
        let line = report.lines().find(|line| line.contains("Collected :"))?;
        line.rsplit(' ').next()?.parse::<u64>().ok()
    };
    // The first read detects the processor's features.
    Some((total(101)? - total(1)?) / 100)
}

/// The body of a recorded answer.
fn recorded(name: &str) -> Vec<u8> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/recordings/nextcloud");
    let recording = std::fs::read(format!("{folder}/{name}.json")).expect("the recording is there");
    let recording: serde_json::Value = serde_json::from_slice(&recording).expect("it is JSON");
    let body = recording["response"]["body"].as_str();
    body.expect("it has a body").into()
}

/// The first ten records of a list, as the server writes them.
fn ten(list: &[u8]) -> Vec<u8> {
    #[derive(serde::Deserialize)]
    struct Answer<'a> {
        #[serde(borrow)]
        ocs: Ocs<'a>,
    }
    #[derive(serde::Deserialize)]
    struct Ocs<'a> {
        #[serde(borrow)]
        meta: &'a RawValue,
        #[serde(borrow)]
        data: Vec<&'a RawValue>,
    }
    let Ocs { meta, data } = serde_json::from_slice::<Answer<'_>>(list)
        .expect("the recording is a list")
        .ocs;
    let records: Vec<_> = data.iter().take(10).map(|record| record.get()).collect();
    assert_eq!(records.len(), 10);
    format!(
        r#"{{"ocs":{{"meta":{meta},"data":[{}]}}}}"#,
        records.join(",")
    )
    .into_bytes()
}
