//! Event filters: what is accepted is passed on as it was written, and the more is known of an
//! event, the more is accepted.
//!
//! The module is compiled into this target as it stands, which leaves the rest of the gateway, its
//! TLS above all, out of the sanitizer's build.

#![no_main]

use libfuzzer_sys::fuzz_target;

use self::filter::{EventClasses, EventFilter, EventShape};

#[allow(dead_code, unused_imports)]
#[path = "../../src/groupware/filter/mod.rs"]
mod filter;

const UNKNOWN: &str = r"OCA\Forms\Events\FormSubmittedEvent";

const KNOWN: &[&str] = &[
    r"OCP\Files\Events\Node\NodeCreatedEvent",
    r"OCP\Files\Events\Node\NodeRenamedEvent",
    r"OCP\Calendar\Events\CalendarObjectCreatedEvent",
    r"OCP\Calendar\Events\CalendarObjectMovedEvent",
    r"OCP\SystemTag\TagAssignedEvent",
    r"OCP\SystemTag\MapperEvent",
    r"OCA\Deck\Event\CardUpdatedEvent",
];

fuzz_target!(|data: &[u8]| {
    let Ok(json) = std::str::from_utf8(data) else {
        return;
    };
    let classes = EventClasses::default();
    let unknown = accepts(json, classes.shape(UNKNOWN));
    let trusted = accepts(json, EventClasses::trusting([UNKNOWN]).shape(UNKNOWN));
    for class in KNOWN {
        let known = accepts(json, classes.shape(class));
        assert!(known || !unknown, "{class}");
        assert!(trusted || !known, "{class}");
    }
});

fn accepts(json: &str, shape: EventShape) -> bool {
    match EventFilter::parse(json, shape) {
        Ok(None) => true,
        Ok(Some(filter)) => {
            assert_eq!(filter.as_str(), json.trim_ascii());
            assert_eq!(serde_json::to_string(&filter).unwrap(), filter.as_str());
            let again = EventFilter::parse(filter.as_str(), shape).unwrap();
            assert_eq!(again.unwrap().as_str(), filter.as_str());
            true
        }
        Err(fault) => {
            assert!(fault.path().chars().count() <= 200);
            assert!(!fault.to_string().chars().any(char::is_control));
            false
        }
    }
}
