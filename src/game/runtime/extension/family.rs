use std::fmt;

use crate::game::runtime::encode::Output;
use crate::game::runtime::error::DecodeError;
use crate::game::runtime::fragments::Fragments;
use crate::game::runtime::message::Message;
use crate::game::runtime::scalar::Enumeration;
use crate::game::runtime::sealed::Sealed;

/// An enum of the messages that can be the payload of an envelope. Sealed: the families are those of the schema.
pub trait Family<'a>: Sealed + Copy + fmt::Debug + 'a {
    /// The enum of their kinds; its numbers are those of the extensions.
    type Kind: Enumeration<Number = u32>;

    /// The kind of this payload.
    fn kind(&self) -> Self::Kind;

    /// Reads a payload of this kind in one piece. It is never `None`; the type matches that of the getters, so
    /// that a payload is not moved after it was read.
    #[doc(hidden)]
    fn read(kind: Self::Kind, bytes: &'a [u8]) -> Result<Option<Self>, DecodeError>;

    /// Reads a payload of this kind in several fragments.
    #[doc(hidden)]
    fn read_merged(kind: Self::Kind, fragments: Fragments<'a>)
    -> Result<Option<Self>, DecodeError>;

    /// Writes the payload as a field of its envelope.
    #[doc(hidden)]
    fn write(&self, out: &mut Output<'_>);
}

/// A message of a [`Family`].
pub trait Member<'a>: Message<'a> + Into<Self::Family> {
    /// The family.
    type Family: Family<'a>;

    /// The kind of this message.
    const KIND: <Self::Family as Family<'a>>::Kind;

    /// The payload, if it is of this type.
    fn get_from<'p>(payload: &'p Self::Family) -> Option<&'p Self>
    where
        'a: 'p;
}

/// Defines a family: the enum of its kinds, and that of its messages. Each has its number and the name of its kind; the
/// names of the extensions are those of the messages in the schema, which all begin with the prefix.
macro_rules! family {
    (@extension $prefix:literal $name:ident) => { concat!("[", $prefix, stringify!($name), ".ext]") };
    (@extension $prefix:literal $name:ident $schema:ident) => { concat!("[", $prefix, stringify!($schema), ".ext]") };
    (
        $(#[$kind_doc:meta])*
        $kind:ident, $payload:ident of $envelope:literal, $prefix:literal:
        $( $name:ident $(($schema:ident))? $number:literal $of:ident, )*
    ) => {
        $crate::game::runtime::scalar::closed_enum! {
            #[doc = concat!("The kinds of payloads of `", $envelope, "`.")]
            $(#[$kind_doc])*
            $kind(u32) {
                $(
                    $name = $number, stringify!($of),
                    concat!("[`", stringify!($name), "`](struct@", stringify!($name), ")");
                )*
            }
        }

        impl $kind {
            /// The name of the extension in JSON.
            pub const fn extension(self) -> &'static str {
                match self {
                    $( Self::$name => family!(@extension $prefix $name $($schema)?), )*
                }
            }
        }

        #[doc = concat!("A payload of `", $envelope, "`.")]
        #[derive(Clone, Copy, Debug)]
        #[non_exhaustive]
        // Values are short-lived: boxing would cost more than the space.
        #[allow(clippy::large_enum_variant)]
        pub enum $payload<'a> {
            $(
                #[doc = concat!("[`", stringify!($name), "`](struct@", stringify!($name), ")")]
                $name($name<'a>),
            )*
        }

        const _: () = {
            use $crate::game::runtime::macros::support::*;

            impl Sealed for $payload<'_> {}

            impl $payload<'_> {
                /// The members, as data.
                pub(crate) const DESCRIPTIONS:
                    &'static [PayloadDescription] = &[$(
                        PayloadDescription::new(
                            $number,
                            family!(@extension $prefix $name $($schema)?),
                            || <$name<'static> as Decode>::DESCRIPTION,
                        ),
                    )*];
            }

            impl<'a> Family<'a> for $payload<'a> {
                type Kind = $kind;

                #[inline]
                fn kind(&self) -> $kind {
                    match self {
                        $( Self::$name(_) => $kind::$name, )*
                    }
                }

                #[cfg_attr(not(debug_assertions), inline(always))]
                fn read(kind: $kind, bytes: &'a [u8]) -> Result<Option<Self>, DecodeError> {
                    match kind {
                        $( $kind::$name => {
                            let mut read = Ok(Some(Self::$name($name::empty())));
                            #[allow(irrefutable_let_patterns)]
                            if let Ok(Some(Self::$name(payload))) = &mut read
                                && let Err(error) = payload.read_whole(bytes)
                            {
                                read = Err(error);
                            }
                            read
                        } )*
                    }
                }

                #[cold]
                fn read_merged(
                    kind: $kind,
                    fragments: Fragments<'a>,
                ) -> Result<Option<Self>, DecodeError> {
                    match kind {
                        $( $kind::$name => {
                            let mut payload = $name::empty();
                            payload.read_merged(fragments)?;
                            Ok(Some(Self::$name(payload)))
                        } )*
                    }
                }

                fn write(&self, out: &mut Output<'_>) {
                    match self {
                        $( Self::$name(payload) => out.message($number, payload), )*
                    }
                }
            }

            $(
                impl<'a> Member<'a> for $name<'a> {
                    type Family = $payload<'a>;
                    const KIND: $kind = $kind::$name;

                    #[inline]
                    fn get_from<'p>(payload: &'p $payload<'a>) -> Option<&'p Self>
                    where
                        'a: 'p,
                    {
                        match payload {
                            $payload::$name(payload) => Some(payload),
                            #[allow(unreachable_patterns)]
                            _ => None,
                        }
                    }
                }

                impl<'a> From<$name<'a>> for $payload<'a> {
                    #[inline]
                    fn from(payload: $name<'a>) -> Self {
                        Self::$name(payload)
                    }
                }
            )*
        };
    };
}
pub(crate) use family;
