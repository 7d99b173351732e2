//! `Debug` of types whose content says nothing, or must not be shown.

/// Implements `Debug` by the name alone, `Name(***)`, or with what may be shown.
macro_rules! opaque_debug {
    ($type:ident $(<$param:ident>)? $(where $($bounds:tt)+)?) => {
        impl $(<$param>)? std::fmt::Debug for $type $(<$param>)? $(where $($bounds)+)? {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(concat!(stringify!($type), "(***)"))
            }
        }
    };
    ($type:ident, |$it:ident| $shown:expr) => {
        impl std::fmt::Debug for $type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                let $it = self;
                f.debug_tuple(stringify!($type)).field(&$shown).finish()
            }
        }
    };
}

pub(crate) use opaque_debug;
