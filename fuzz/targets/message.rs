//! What holds of any message, whatever its bytes.

use portreeve::game::fields::{AnyMessage, Value};
use portreeve::game::json::{self, Writer};
use portreeve::game::{DecodeError, Message};
use serde::de::{Deserialize, IgnoredAny};

/// What is checked can be read, on every level, as a view too; JSON is JSON, and written exactly if the check
/// passes. The encoded message and its JSON, for the caller to read again.
pub(crate) fn hold<'a, M: Message<'a>>(message: &M, data: &'a [u8]) -> (Vec<u8>, Option<String>) {
    let whole = AnyMessage::new::<M>(data);
    let checked = whole.check();
    let walked = walk(&whole).map_err(|error| error.within(data));
    assert_eq!(walked, checked);
    assert!(checked.is_ok() || whole.check_with_text().is_err());
    let mut text = String::new();
    let written = Writer::new(&mut text).object(&whole).map(|()| text);
    assert_eq!(written.as_ref().err(), checked.as_ref().err());
    if let Ok(text) = &written {
        let mut reader = serde_json::Deserializer::from_str(text);
        reader.disable_recursion_limit();
        IgnoredAny::deserialize(&mut reader).unwrap();
    }
    // The view has the same content.
    assert_eq!(json::to_string(message).ok(), written.as_ref().ok().cloned());
    let _ = format!("{message:?}");
    let bytes = message.to_vec();
    assert_eq!(bytes.len(), message.encoded_len());
    (bytes, written.ok())
}

/// Reads everything in the order of the schema, and each message as a view.
fn walk(message: &AnyMessage<'_>) -> Result<(), DecodeError> {
    let fields = message.fields()?;
    message.reencode().expect("its fields were found");
    assert_eq!(fields.unknown().is_empty(), fields.unknown().iter().next().is_none());
    for (_, value) in fields {
        walk_value(value)?;
    }
    Ok(())
}

fn walk_value(value: Value<'_>) -> Result<(), DecodeError> {
    match value {
        Value::Text(text) => {
            let checked = text.to_str().is_ok();
            assert_eq!(checked, std::str::from_utf8(text.as_bytes()).is_ok());
            Ok(())
        }
        Value::Message(message) => walk(&message),
        Value::List(mut list) => list.try_for_each(walk_value),
        value => {
            std::hint::black_box(value);
            Ok(())
        }
    }
}
