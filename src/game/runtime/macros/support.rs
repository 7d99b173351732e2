//! The items that the macros expand to.

pub(crate) use super::construct::construct;
pub(crate) use super::field::field;
pub(crate) use crate::game::runtime::decode::Decode;
pub(crate) use crate::game::runtime::describe::{
    Description, Field, FieldDescription, Label, PayloadDescription, ValueKind,
};
pub(crate) use crate::game::runtime::encode::{self, Encode, Output};
pub(crate) use crate::game::runtime::error::{DecodeError, Fault};
pub(crate) use crate::game::runtime::extension::{Extended, Family, Member};
pub(crate) use crate::game::runtime::fault::MAX_DEPTH;
pub(crate) use crate::game::runtime::fragments::Fragments;
pub(crate) use crate::game::runtime::json;
pub(crate) use crate::game::runtime::message::Message;
pub(crate) use crate::game::runtime::nested::Nested;
pub(crate) use crate::game::runtime::repeated::{Cursor, Element, Iter, Repeated};
pub(crate) use crate::game::runtime::required::Required;
pub(crate) use crate::game::runtime::scalar::{Int32, Scalar};
pub(crate) use crate::game::runtime::sealed::Sealed;
pub(crate) use crate::game::runtime::text::Text;
pub(crate) use crate::game::runtime::unknown::UnknownFields;
pub(crate) use crate::game::runtime::wire::{Reader, Tag, WireType};
