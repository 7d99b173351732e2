use std::fmt;

use crate::game::runtime::sealed::Sealed;

/// A closed enum of the schema: a number outside it is an unknown field. Sealed: the enums are
/// those of the schema.
///
/// ```
/// use portreeve::game::ResponseCode;
/// use portreeve::game::scalar::Enumeration;
///
/// fn describe<E: Enumeration>(value: E) -> String {
///     format!("{} = {}", value.name(), value.number())
/// }
///
/// assert_eq!(describe(ResponseCode::RespOk), "RespOk = 1");
/// assert_eq!(ResponseCode::from_number(12), Some(ResponseCode::RespWrongPassword));
/// assert_eq!(ResponseCode::RespWrongPassword.to_string(), "RespWrongPassword");
/// ```
pub trait Enumeration: Sealed + Copy + fmt::Debug + PartialEq + 'static {
    /// The value with this number.
    fn from_number(number: i32) -> Option<Self>;

    /// Its number.
    fn number(self) -> i32;

    /// Its name in the schema.
    fn name(self) -> &'static str;
}

/// Defines closed enums. A name of the schema that is not the Rust name follows in parentheses, then the documentation.
macro_rules! enumeration {
    ($(
        $(#[$doc:meta])*
        pub enum $name:ident {
            $( $value:ident = $number:literal $(($schema:literal))?, $value_doc:literal; )+
        }
    )*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        #[repr(i32)]
        pub enum $name {
            $( #[doc = $value_doc] $value = $number, )+
        }

        impl $name {
            /// Every value, in the order of the schema.
            pub const ALL: &'static [Self] = &[$( Self::$value, )+];

            /// The names and numbers of the schema.
            pub(crate) const VALUES: &'static [(&'static str, i32)] =
                &[$( ([$($schema,)? stringify!($value)][0], $number), )+];

            /// The value with this number, if the schema has one.
            #[inline]
            pub const fn from_number(number: i32) -> Option<Self> {
                match number {
                    $( $number => Some(Self::$value), )+
                    _ => None,
                }
            }

            /// Its number in the schema.
            #[inline]
            pub const fn number(self) -> i32 {
                self as i32
            }

            /// Its name in the schema.
            pub const fn name(self) -> &'static str {
                match self {
                    $( Self::$value => [$($schema,)? stringify!($value)][0], )+
                }
            }
        }

        impl $crate::game::runtime::macros::support::Sealed for $name {}

        impl $crate::game::runtime::scalar::Enumeration for $name {
            #[inline(always)]
            fn from_number(number: i32) -> Option<Self> {
                Self::from_number(number)
            }

            #[inline]
            fn number(self) -> i32 {
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
    )*};
}
pub(crate) use enumeration;
