//! What the schema says of a message, as data: for whatever makes messages of what is not Rust, such
//! as JSON.

/// A message of the schema.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Description {
    /// Its name.
    pub(crate) name: &'static str,
    pub(crate) fields: &'static [FieldDescription],
    /// What it is extended by, if it is an envelope.
    pub(crate) payloads: &'static [PayloadDescription],
}

/// A field of a message.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FieldDescription {
    pub(crate) number: u32,
    /// Its name in JSON.
    pub(crate) name: &'static str,
    pub(crate) label: Label,
    pub(crate) kind: ValueKind,
}

/// An extension of an envelope: always an optional message.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PayloadDescription {
    pub(crate) number: u32,
    /// Its name in JSON: `[Command_RoomSay.ext]`.
    pub(crate) name: &'static str,
    pub(crate) message: fn() -> &'static Description,
}

/// How often a field is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Label {
    Optional,
    Required,
    Repeated,
}

/// What a field holds.
#[derive(Clone, Copy, Debug)]
pub(crate) enum ValueKind {
    Bool,
    Int32,
    Uint32,
    Sint32,
    Int64,
    Uint64,
    Double,
    Text,
    Bytes,
    /// The number of a name.
    Enum(fn(&str) -> Option<i32>),
    Message(fn() -> &'static Description),
}

/// A message that is described. Every message of the schema is.
pub(crate) trait Describe {
    const DESCRIPTION: Description;
}

/// The parts of a description, from the words of the schema.
macro_rules! describe {
    (@label optional) => {
        $crate::game::runtime::describe::Label::Optional
    };
    (@label required) => {
        $crate::game::runtime::describe::Label::Required
    };
    (@label repeated) => {
        $crate::game::runtime::describe::Label::Repeated
    };
    (@kind bool) => {
        $crate::game::runtime::describe::ValueKind::Bool
    };
    (@kind int32) => {
        $crate::game::runtime::describe::ValueKind::Int32
    };
    (@kind uint32) => {
        $crate::game::runtime::describe::ValueKind::Uint32
    };
    (@kind sint32) => {
        $crate::game::runtime::describe::ValueKind::Sint32
    };
    (@kind int64) => {
        $crate::game::runtime::describe::ValueKind::Int64
    };
    (@kind uint64) => {
        $crate::game::runtime::describe::ValueKind::Uint64
    };
    (@kind double) => {
        $crate::game::runtime::describe::ValueKind::Double
    };
    (@kind string) => {
        $crate::game::runtime::describe::ValueKind::Text
    };
    (@kind bytes) => {
        $crate::game::runtime::describe::ValueKind::Bytes
    };
    (@kind enum $of:ident) => {
        $crate::game::runtime::describe::ValueKind::Enum(|name| {
            let found = $of::ALL.iter().find(|value| value.name() == name);
            found.map(|value| value.number())
        })
    };
    (@kind message $of:ident) => {
        $crate::game::runtime::describe::ValueKind::Message(|| {
            &<$of<'static> as $crate::game::runtime::describe::Describe>::DESCRIPTION
        })
    };
    (@payloads) => {
        &[]
    };
    (@payloads $payload:ident) => {
        $payload::DESCRIPTIONS
    };
}
pub(crate) use describe;
