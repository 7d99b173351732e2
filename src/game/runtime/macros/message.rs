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
                /// Its payload.
                pub payload: $crate::game::runtime::macros::support::Extended<'a, $payload<'a>>,
            )?
            /// The fields that the schema does not have.
            pub unknown: $crate::game::runtime::macros::support::UnknownFields<'a>,
        }

        const _: () = {
            #[allow(unused_imports)]
            use $crate::game::runtime::describe::{Description, FieldDescription, Label, ValueKind};
            #[allow(unused_imports)]
            use $crate::game::runtime::macros::construct::construct;
            #[allow(unused_imports)]
            use $crate::game::runtime::macros::field::field;
            #[allow(unused_imports)]
            use $crate::game::runtime::macros::support::*;

            /// The description of each field.
            #[allow(dead_code)]
            enum Fields {}

            #[allow(non_upper_case_globals)]
            impl Fields {
                $( const $field: FieldDescription = FieldDescription::new(
                    Field {
                        number: $number,
                        name: field!(@name $field $($json)?),
                        secret: field!(@secret $($secret)?),
                    },
                    field!(@label $label),
                    field!(@kind $kind $($of)?),
                ); )*
            }

            /// The tag of each field.
            #[allow(dead_code)]
            enum Tags {}

            #[allow(non_upper_case_globals)]
            impl Tags {
                $( const $field: Tag = Fields::$field.tag(); )*
            }

            impl<'a> $name<'a> {
                /// Reads the bytes of one message; see [`Message::parse`].
                ///
                /// # Errors
                /// [`DecodeError`] if the bytes are not fields.
                #[inline]
                pub fn parse(bytes: &'a [u8]) -> Result<Self, DecodeError> {
                    Self::read(bytes, DecodeOptions::VIEW)
                }

                $( field! {
                    @getter 'a $(#[$field_doc])* $field: $label $kind $($of)? $(, default $default)?
                } )*

                $(
                    /// The kind of its payload, if the schema has it.
                    #[inline]
                    pub fn kind(&self) -> Option<<$payload<'a> as Family<'a>>::Kind> {
                        self.payload.kind()
                    }

                    /// Its payload, of any kind.
                    ///
                    /// # Errors
                    /// [`DecodeError`] if its bytes cannot be read.
                    #[inline]
                    pub fn payload(&self) -> Result<Option<$payload<'a>>, DecodeError> {
                        self.payload.payload()
                    }

                    /// Its payload, if it is of this type.
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

                /// Reads one fragment of the message into it.
                #[inline]
                fn merge(&mut self, bytes: &'a [u8], options: DecodeOptions) -> Result<(), DecodeError> {
                    let mut reader = Reader::new(bytes);
                    self.fields(bytes, &mut reader, options.depth).map_err(|fault| {
                        DecodeError::found(fault, $schema, bytes, reader.rest(), options.depth)
                    })
                }

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
                                message, from, reader
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
                    self.unknown.record(from, Self::DESCRIPTION);
                    Ok(reader)
                }
            }

            impl<'a> Decode<'a> for $name<'a> {
                const DESCRIPTION: &'static Description = &Description {
                    name: $schema,
                    fields: &[$( Fields::$field, )*],
                    payloads: [$($payload::DESCRIPTIONS,)? &[]][0],
                };

                #[inline(always)]
                fn empty() -> Self {
                    Self {
                        $( $field: field!(@empty $label), )*
                        $( payload: Extended::<$payload<'a>>::ABSENT, )?
                        unknown: UnknownFields::default(),
                    }
                }

                #[inline(always)]
                fn read_whole(&mut self, bytes: &'a [u8], options: DecodeOptions) -> Result<(), DecodeError> {
                    self.merge(bytes, options)?;
                    self.require(bytes, options)
                }

                #[cold]
                #[inline(never)]
                fn read_merged(
                    &mut self,
                    fragments: Fragments<'a>,
                    options: DecodeOptions,
                ) -> Result<(), DecodeError> {
                    for fragment in fragments.iter() {
                        self.merge(fragment, options)?;
                    }
                    // Fields that are read later may be in any of the fragments.
                    $( field! {
                        @finish_merge self.$field: $label $kind $($of)? = $number, fragments
                    } )*
                    $( Extended::<$payload<'a>>::finish_merge(&mut self.payload, fragments); )?
                    self.unknown.finish_merge(fragments);
                    self.require(fragments.root(), options)
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
                        let field = Fields::$field.field;
                        field!(@visit self.$field: $label $kind $($of)?, field, visitor);
                    )*
                    $( Extended::<$payload<'a>>::visit(&self.payload, visitor)?; )?
                    if self.unknown.is_empty() {
                        Ok(())
                    } else {
                        visitor.unknown(&self.unknown)
                    }
                }
            }

            construct! { $name [] $( $label $field $kind $($of)?; )* }

            $crate::game::runtime::macros::impls::message_impls!($name);
        };
    )*};
}
pub(crate) use message;
