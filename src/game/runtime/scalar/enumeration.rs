use std::fmt;

use crate::game::runtime::sealed::Sealed;

/// A closed enum of the schema, or the kinds of a [`Family`](crate::game::Family): a number outside it is an
/// unknown field. Sealed: the enums are those of the schema.
pub trait Enumeration: Sealed + Copy + fmt::Debug + PartialEq + 'static {
    /// The type of its numbers.
    type Number;

    /// Every value, in the order of the schema.
    const ALL: &'static [Self];

    /// The value with this number.
    fn from_number(number: Self::Number) -> Option<Self>;

    /// Its number.
    fn number(self) -> Self::Number;

    /// Its name in the schema.
    fn name(self) -> &'static str;
}

/// Defines enums of the schema. A name that is not the Rust name follows in parentheses, then the documentation.
macro_rules! enumeration {
    ($(
        $name:ident, $doc:literal {
            $( $value:ident = $number:literal $(($schema:literal))?, $value_doc:literal; )+
        }
    )*) => {$(
        $crate::game::runtime::scalar::closed_enum! {
            #[doc = $doc]
            $name(i32) {
                $( $value = $number, [$($schema,)? stringify!($value)][0], $value_doc; )+
            }
        }

        impl $name {
            /// The names and numbers of the schema.
            pub(crate) const VALUES: &'static [(&'static str, i32)] =
                &[$( (Self::$value.name(), $number), )+];
        }
    )*};
}
pub(crate) use enumeration;

/// Defines one enum; each value has a number, its name in the schema, and documentation.
macro_rules! closed_enum {
    (
        $(#[$doc:meta])*
        $name:ident($number_type:ident) {
            $( $value:ident = $number:literal, $schema:expr, $value_doc:expr; )*
        }
    ) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        #[repr($number_type)]
        pub enum $name {
            $( #[doc = $value_doc] $value = $number, )*
        }

        impl $name {
            /// Every value, in the order of the schema.
            pub const ALL: &'static [Self] = &[$( Self::$value, )*];

            /// The value with this number, if the schema has one.
            #[inline]
            pub const fn from_number(number: $number_type) -> Option<Self> {
                match number {
                    $( $number => Some(Self::$value), )*
                    _ => None,
                }
            }

            /// Its number in the schema.
            #[inline]
            pub const fn number(self) -> $number_type {
                self as $number_type
            }

            /// Its name in the schema.
            pub const fn name(self) -> &'static str {
                match self {
                    $( Self::$value => $schema, )*
                }
            }
        }

        impl $crate::game::runtime::macros::support::Sealed for $name {}

        impl $crate::game::runtime::scalar::Enumeration for $name {
            type Number = $number_type;
            const ALL: &'static [Self] = Self::ALL;

            #[cfg_attr(not(debug_assertions), inline(always))]
            fn from_number(number: $number_type) -> Option<Self> {
                Self::from_number(number)
            }

            #[inline]
            fn number(self) -> $number_type {
                self.number()
            }

            fn name(self) -> &'static str {
                self.name()
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.name())
            }
        }
    };
}
pub(crate) use closed_enum;
