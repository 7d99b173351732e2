//! Enums whose variants have names in metrics, in the log and in files. The names are part of their documentation.

/// Defines an enum by its variants, each with its name.
macro_rules! labels {
    (
        $(#[$about:meta])*
        $vis:vis enum $Labels:ident {
            $($(#[$doc:meta])* $Label:ident = $name:literal,)+
        }
    ) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[non_exhaustive]
        $vis enum $Labels {
            $($(#[$doc])* #[doc = concat!("Its name is `", $name, "`.")] $Label,)+
        }

        impl $Labels {
            /// All of them, in the order of their discriminants.
            $vis const ALL: &[Self] = &[$(Self::$Label),+];

            /// The name in the log and in metrics.
            $vis fn as_str(self) -> &'static str {
                match self {
                    $(Self::$Label => $name,)+
                }
            }

            #[allow(dead_code, reason = "most are not read")]
            pub(crate) fn named(name: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|label| label.as_str() == name)
            }
        }

        impl From<$Labels> for &'static str {
            fn from(label: $Labels) -> Self {
                label.as_str()
            }
        }
    };
}

pub(crate) use labels;
