//! What the fuzz targets check, on each of their seeds: the same functions as under the fuzzer.

use std::fs;
use std::path::Path;

#[cfg(feature = "gateway")]
#[path = "../../fuzz/targets/authorization.rs"]
mod authorization;
#[path = "../../fuzz/targets/commands.rs"]
mod commands;
#[cfg(feature = "game-client")]
#[path = "../../fuzz/targets/connection.rs"]
mod connection;
#[cfg(feature = "gateway")]
#[allow(unreachable_pub)]
#[path = "../../fuzz/targets/event_filter.rs"]
mod event_filter;
#[path = "../../fuzz/targets/events.rs"]
mod events;
#[cfg(feature = "gateway")]
#[allow(unreachable_pub)]
#[path = "../../fuzz/targets/forward.rs"]
mod forward;
#[path = "../../fuzz/targets/frames.rs"]
mod frames;
#[cfg(feature = "cli")]
#[path = "../../fuzz/targets/game_input.rs"]
mod game_input;
#[cfg(feature = "gateway")]
#[allow(unreachable_pub)]
#[path = "../../fuzz/targets/groupware_json.rs"]
mod groupware_json;
#[cfg(feature = "gateway")]
mod hostile_json;
#[path = "../../fuzz/targets/json.rs"]
mod json;
#[cfg(feature = "gateway")]
#[path = "../../fuzz/targets/jwt.rs"]
mod jwt;
#[cfg(feature = "gateway")]
#[path = "../../src/labels.rs"]
mod labels;
#[path = "../../fuzz/targets/message.rs"]
mod message;
#[path = "../../fuzz/targets/owned.rs"]
mod owned;
#[path = "../../fuzz/targets/parse.rs"]
mod parse;
#[path = "../../fuzz/targets/replays.rs"]
mod replays;
#[path = "../../fuzz/targets/round_trip.rs"]
mod round_trip;
#[cfg(feature = "cli")]
#[path = "../../fuzz/targets/settings.rs"]
mod settings;
#[path = "../../fuzz/targets/views.rs"]
mod views;

/// Each seed of a folder under `fuzz/seeds`, through a target.
fn replay(folder: &str, target: impl Fn(&[u8])) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/seeds").join(folder);
    let mut seeds = 0;
    for seed in fs::read_dir(&folder).unwrap() {
        let path = seed.unwrap().path();
        // The last line that a failed test shows.
        println!("{}", path.display());
        target(&fs::read(path).unwrap());
        seeds += 1;
    }
    assert!(seeds > 0, "{} is empty", folder.display());
}

#[test]
fn no_target_is_left_out() {
    let targets = concat!(env!("CARGO_MANIFEST_DIR"), "/fuzz/fuzz_targets");
    for target in fs::read_dir(targets).unwrap() {
        let path = target.unwrap().path();
        let call = format!("{}::run", path.file_stem().unwrap().display());
        assert!(include_str!("main.rs").contains(&call), "{call}");
    }
}

#[test]
fn answers() {
    replay("response", |seed| {
        json::run(seed);
        owned::run(seed);
        parse::run(seed);
        round_trip::run(seed);
        views::run(seed);
    });
}

#[test]
fn containers() {
    replay("commands", commands::run);
    replay("events", events::run);
    replay("replays", replays::run);
}

#[test]
fn streams() {
    replay("stream", frames::run);
}

#[cfg(feature = "game-client")]
#[test]
fn connections_of_the_game() {
    replay("connection", connection::run);
}

#[cfg(feature = "cli")]
#[test]
fn what_the_binary_reads() {
    replay("game_input", game_input::run);
    replay("settings", settings::run);
}

#[cfg(feature = "gateway")]
#[test]
fn what_the_groupware_server_and_callers_send() {
    replay("authorization", authorization::run);
    replay("event_filter", event_filter::run);
    replay("forward", forward::run);
    replay("groupware_json", groupware_json::run);
    replay("jwt", jwt::run);
}
