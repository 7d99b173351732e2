/// The traits of every [`Message`](crate::game::Message) for which a blanket implementation is impossible: they
/// are foreign, or have implementations for other types.
macro_rules! message_impls {
    ($name:ident) => {
        const _: () = {
            use $crate::game::runtime::macros::support::*;

            impl Sealed for $name<'_> {}

            impl<'a> Element<'a> for $name<'a> {
                type Value = Self;
                type Item = Result<Self, DecodeError>;

                #[cfg_attr(not(debug_assertions), inline(always))]
                fn read_next(cursor: &mut Cursor<'a>) -> Option<Self::Item> {
                    let bytes = cursor.length_delimited()?;
                    let mut item = None;
                    $name::read_element(&mut item, bytes);
                    item
                }

                #[inline]
                fn from_value(value: Self) -> Self::Item {
                    Ok(value)
                }
            }

            impl<'a> $name<'a> {
                /// Reads an element of a repeated field into the item that the iterator returns,
                /// so that it is not moved there afterwards.
                #[inline]
                fn read_element(item: &mut Option<Result<Self, DecodeError>>, bytes: &'a [u8]) {
                    if let Ok(message) = item.insert(Ok(Self::empty()))
                        && let Err(error) = message.read_whole(bytes)
                    {
                        *item = Some(Err(error));
                    }
                }
            }

            impl std::fmt::Debug for $name<'_> {
                fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                    json::debug(self, Self::DESCRIPTION, f)
                }
            }
        };
    };
}
pub(crate) use message_impls;
