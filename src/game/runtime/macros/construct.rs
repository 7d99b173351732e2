/// The constructor of a message: `Default` or, with required fields, `new`, which takes them.
macro_rules! construct {
    ($name:ident [] ) => {
        impl Default for $name<'_> {
            #[inline]
            fn default() -> Self {
                Self::empty()
            }
        }
    };
    ($name:ident [ $( $required:ident: $kind:ident, )+ ] ) => {
        impl<'a> $name<'a> {
            /// A message with only its required fields.
            #[inline]
            pub fn new(
                $( $required: impl Into<Required<$crate::game::runtime::macros::field::field!(@required 'a $kind)>>, )+
            ) -> Self {
                Self {
                    $( $required: $required.into(), )+
                    ..Self::empty()
                }
            }
        }
    };
    ($name:ident [ $($found:tt)* ] required $field:ident $kind:ident; $($rest:tt)*) => {
        construct! { $name [ $($found)* $field: $kind, ] $($rest)* }
    };
    ($name:ident [ $($found:tt)* ]
        $label:ident $field:ident $kind:ident $($of:ident)?; $($rest:tt)*
    ) => {
        construct! { $name [ $($found)* ] $($rest)* }
    };
}
pub(crate) use construct;
