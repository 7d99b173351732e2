//! `Debug` of types whose content says nothing, or must not be shown.

/// Implements `Debug` by the name alone: `Name(***)`.
macro_rules! opaque_debug {
    ($type:ident $(<$param:ident>)? $(where $($bounds:tt)+)?) => {
        impl $(<$param>)? std::fmt::Debug for $type $(<$param>)? $(where $($bounds)+)? {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(concat!(stringify!($type), "(***)"))
            }
        }
    };
}

pub(crate) use opaque_debug;
