/// Defines messages; see [the module above](super).
macro_rules! message {
    ($(
        $(#[$doc:meta])*
        pub struct $name:ident = $schema:literal {
            $(
                $(#[$field_doc:meta])*
                $field:ident: $label:ident $kind:ident $($of:ident)? = $number:literal
                $(, default $default:expr)? $(, json $json:literal)?;
            )*
        }
    )*) => {$(
        $(#[$doc])*
        ///
        #[doc = concat!("`", $schema, "` in the schema.")]
        #[derive(Clone, Copy, Default)]
        pub struct $name<'a> {
            $(
                $(#[$field_doc])*
                pub $field: $crate::game::runtime::macros::field::field!(@slot 'a $label $kind $($of)?),
            )*
            /// The fields that the schema does not have.
            pub unknown: $crate::game::runtime::macros::support::UnknownFields<'a>,
        }

        const _: () = {
            #[allow(unused_imports)]
            use $crate::game::runtime::macros::field::field;
            #[allow(unused_imports)]
            use $crate::game::runtime::macros::support::*;

            /// The tag of each field.
            #[allow(dead_code)]
            enum Tags {}

            #[allow(non_upper_case_globals)]
            impl Tags {
                $( const $field: Tag = Tag::new($number, field!(@wire_type $kind $($of)?)); )*
            }

            impl<'a> $name<'a> {
                /// Reads the bytes of one message; see [`Message::parse`].
                ///
                /// # Errors
                /// [`DecodeError`] if the bytes are not fields.
                #[inline]
                pub fn parse(bytes: &'a [u8]) -> Result<Self, DecodeError> {
                    Self::read(bytes, Rules::VIEW)
                }

                $( field! {
                    @getter 'a $(#[$field_doc])* $field: $label $kind $($of)? $(, default $default)?
                } )*

                #[inline(always)]
                #[allow(unused_variables)]
                fn fields(
                    &mut self,
                    message: &'a [u8],
                    reader: &mut Reader<'a>,
                    depth: u32,
                ) -> Result<(), Option<Fault>> {
                    while !reader.is_empty() {
                        let from = reader.rest();
                        match reader.next_tag().ok_or(None)? {
                            $( Tags::$field => field! {
                                @merge self.$field: $label $kind $($of)? = $number,
                                message, from, reader, self.unknown, Self::is_known
                            }, )*
                            tag => *reader = self.rare(tag, from, *reader, depth)?,
                        }
                    }
                    Ok(())
                }

                /// Packed numbers, and fields that the schema does not have.
                #[cold]
                #[inline(never)]
                fn rare(
                    &mut self,
                    found: Tag,
                    from: &'a [u8],
                    mut reader: Reader<'a>,
                    depth: u32,
                ) -> Result<Reader<'a>, Fault> {
                    $( field! {
                        @packed self.$field: $label $kind $($of)? = $number, found, from, reader
                    } )*
                    reader.skip(found, depth)?;
                    self.unknown.record(from, Self::is_known);
                    Ok(reader)
                }

                #[allow(unused_variables)]
                fn is_known(found: Tag, varint: u64) -> bool {
                    match found {
                        $( Tags::$field => field!(@known varint $kind $($of)?), )*
                        _ => {
                            $( field!(@known_packed found $label $kind $($of)? = $number); )*
                            false
                        }
                    }
                }
            }

            impl<'a> Decode<'a> for $name<'a> {
                const MESSAGE: &'static str = $schema;

                #[inline]
                fn merge(&mut self, bytes: &'a [u8], rules: Rules) -> Result<(), DecodeError> {
                    let mut reader = Reader::new(bytes);
                    match self.fields(bytes, &mut reader, rules.depth) {
                        Ok(()) => Ok(()),
                        Err(fault) => {
                            let rest = reader.rest();
                            Err(DecodeError::found(fault, $schema, bytes, rest, rules.depth))
                        }
                    }
                }

                fn finish_merge(&mut self, pieces: Pieces<'a>) -> Result<(), DecodeError> {
                    $( field! {
                        @finish_merge self.$field: $label $kind $($of)? = $number, pieces
                    } )*
                    self.unknown.finish_merge(pieces);
                    Ok(())
                }

                fn missing(&self) -> Option<&'static str> {
                    $( field!(@missing self.$field: $label, $field $($json)?); )*
                    None
                }
            }

            impl<'a> Message<'a> for $name<'a> {
                fn visit<V: Visitor<'a>>(&self, visitor: &mut V) -> Result<(), V::Error> {
                    $(
                        const _: () = assert!($number > 0 && $number < 1 << 29);
                        let field = Field {
                            number: $number,
                            name: field!(@name $field $($json)?),
                        };
                        field!(@visit self.$field: $label $kind $($of)?, field, visitor);
                    )*
                    if self.unknown.is_empty() {
                        Ok(())
                    } else {
                        visitor.unknown(&self.unknown)
                    }
                }

                fn encoded_len(&self) -> usize {
                    encode::encoded_len(self)
                }

                fn encode(&self, out: &mut Vec<u8>) {
                    encode::append(self, out);
                }
            }

            $crate::game::runtime::macros::impls::message_impls!($name);
        };
    )*};
}
pub(crate) use message;
