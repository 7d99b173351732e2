/// Defines messages; see [the module above](super).
macro_rules! message {
    ($(
        $(#[$doc:meta])*
        pub struct $name:ident = $schema:literal {
            $(
                $(#[$field_doc:meta])*
                $field:ident: $label:ident $kind:ident $($of:ident)? = $number:literal
                $(, default $default:expr)? $(, json $json:literal)? $(, is $secret:ident)?;
            )*
            $(100 to max: $payload:ident;)?
        }
    )*) => {$(
        $(#[$doc])*
        ///
        #[doc = concat!("`", $schema, "` in the schema.")]
        #[derive(Clone, Copy)]
        pub struct $name<'a> {
            $(
                $(#[$field_doc])*
                pub $field: $crate::game::runtime::macros::field::field!(@slot 'a $label $kind $($of)?),
            )*
            $(
                /// What it carries.
                pub payload: $crate::game::runtime::macros::support::Extended<'a, $payload<'a>>,
            )?
            /// The fields that the schema does not have.
            pub unknown: $crate::game::runtime::macros::support::UnknownFields<'a>,
        }

        const _: () = {
            #[allow(unused_imports)]
            use $crate::game::runtime::macros::construct::construct;
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

                $(
                    /// What kind of payload it carries, if it is one that the schema has.
                    #[inline]
                    pub fn kind(&self) -> Option<<$payload<'a> as Family<'a>>::Kind> {
                        self.payload.kind()
                    }

                    /// What it carries, whatever its kind.
                    ///
                    /// # Errors
                    /// [`DecodeError`] if its bytes cannot be read.
                    #[inline]
                    pub fn payload(&self) -> Result<Option<$payload<'a>>, DecodeError> {
                        self.payload.payload()
                    }

                    /// The payload of this type, if that is what it carries.
                    ///
                    /// # Errors
                    /// [`DecodeError`] if its bytes cannot be read.
                    #[inline]
                    pub fn get<P: Member<'a, Family = $payload<'a>>>(
                        &self,
                    ) -> Result<Option<P>, DecodeError> {
                        self.payload.get()
                    }
                )?

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
                            $(
                                tag if tag.is(WireType::LengthDelimited)
                                    && $payload::kind_of(tag.field_number()).is_some() =>
                                {
                                    let bytes = reader.next_delimited().ok_or(None)?;
                                    self.payload.record(tag.field_number(), bytes, message);
                                }
                            )?
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
                        $(
                            tag if tag.is(WireType::LengthDelimited)
                                && $payload::kind_of(tag.field_number()).is_some() => true,
                        )?
                        _ => {
                            $( field!(@known_packed found $label $kind $($of)? = $number); )*
                            false
                        }
                    }
                }
            }

            #[cfg(feature = "game-client")]
            impl $crate::game::runtime::describe::Describe for $name<'_> {
                const DESCRIPTION: $crate::game::runtime::describe::Description = {
                    #[allow(unused_imports)]
                    use $crate::game::runtime::describe::{Description, FieldDescription, describe};
                    Description {
                        name: $schema,
                        fields: &[$( FieldDescription {
                            number: $number,
                            name: field!(@name $field $($json)?),
                            label: describe!(@label $label),
                            kind: describe!(@kind $kind $($of)?),
                        }, )*],
                        payloads: describe!(@payloads $($payload)?),
                    }
                };
            }

            impl<'a> Decode<'a> for $name<'a> {
                const MESSAGE: &'static str = $schema;

                #[inline(always)]
                fn empty() -> Self {
                    Self {
                        $( $field: field!(@empty $label), )*
                        $( payload: Extended::<$payload<'a>>::ABSENT, )?
                        unknown: UnknownFields::default(),
                    }
                }

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

                #[inline]
                fn finish_merge(&mut self, pieces: Pieces<'a>) -> Result<(), DecodeError> {
                    $( field! {
                        @finish_merge self.$field: $label $kind $($of)? = $number, pieces
                    } )*
                    $( Extended::<$payload<'a>>::finish_merge(&mut self.payload, pieces); )?
                    self.unknown.finish_merge(pieces);
                    Ok(())
                }

                #[inline]
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
                            secret: field!(@secret $($secret)?),
                        };
                        field!(@visit self.$field: $label $kind $($of)?, field, visitor);
                    )*
                    $( Extended::<$payload<'a>>::visit(&self.payload, visitor)?; )?
                    if self.unknown.is_empty() {
                        Ok(())
                    } else {
                        visitor.unknown(&self.unknown)
                    }
                }

                #[inline]
                fn encoded_len(&self) -> usize {
                    encode::encoded_len(self)
                }

                #[inline]
                fn encode(&self, out: &mut Vec<u8>) {
                    encode::append(self, out);
                }
            }

            construct! { $name [] $( $label $field $kind $($of)?; )* }

            $crate::game::runtime::macros::impls::message_impls!($name);
        };
    )*};
}
pub(crate) use message;
