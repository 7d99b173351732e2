/// Defines messages; see [the module above](super).
macro_rules! message {
    ($(
        $name:ident = $schema:literal, $doc:literal {
            $(
                $field:ident: $label:ident $kind:ident $($of:ident)? = $number:literal
                $(, default $default:expr)? $(, json $json:literal)? $(, is $secret:ident)?,
                $field_doc:literal;
            )*
            $(100 to max: $payload:ident;)?
        }
    )*) => {$(
        #[doc = $doc]
        ///
        #[doc = concat!("`", $schema, "` in the schema.")]
        #[derive(Clone, Copy)]
        pub struct $name<'a> {
            $(
                #[doc = $field_doc]
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
                $( const $field: Tag = Fields::$field.tag; )*
            }

            impl<'a> $name<'a> {
                /// Reads the bytes of one message; see [`Message::parse`].
                ///
                /// # Errors
                /// [`DecodeError`] if the bytes are not fields.
                #[inline]
                pub fn parse(bytes: &'a [u8]) -> Result<Self, DecodeError> {
                    Self::read(bytes)
                }

                $(
                    #[doc = $field_doc]
                    #[doc = field!(@remark $label $kind $($of)? $(, default $default)?)]
                    #[inline]
                    pub fn $field(&self) -> field!(@returned 'a $label $kind $($of)?) {
                        field!(@get self.$field: $label $kind $($of)? $(, default $default)?)
                    }
                )*

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
                #[cfg_attr(not(debug_assertions), inline(always))]
                fn merge(&mut self, bytes: &'a [u8]) -> Result<(), DecodeError> {
                    let mut reader = Reader::new(bytes);
                    match self.fields(bytes, &mut reader) {
                        Ok(()) => Ok(()),
                        Err(fault) => Err(DecodeError::locate(fault, $schema, bytes, reader.rest())),
                    }
                }

                #[cfg_attr(not(debug_assertions), inline(always))]
                #[allow(unused_variables)]
                fn fields(
                    &mut self,
                    message: &'a [u8],
                    reader: &mut Reader<'a>,
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
                                    && <$payload<'_> as Family<'_>>::Kind::from_number(tag.field_number())
                                        .is_some() =>
                                {
                                    let bytes = reader.next_delimited().ok_or(None)?;
                                    self.payload.record(tag.field_number(), bytes, message);
                                }
                            )?
                            tag => *reader = self.rare(tag, from, *reader)?,
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
                ) -> Result<Reader<'a>, Fault> {
                    $( field! {
                        @packed self.$field: $label $kind $($of)? = $number, found, from, reader
                    } )*
                    reader.skip(found, MAX_DEPTH)?;
                    self.unknown.record(from, Self::DESCRIPTION);
                    Ok(reader)
                }
            }

            impl<'a> Decode<'a> for $name<'a> {
                const DESCRIPTION: &'static Description = &Description::new(
                    $schema,
                    &[$( Fields::$field, )*],
                    [$($payload::DESCRIPTIONS,)? &[]][0],
                    |fragments| {
                        let mut message = $name::empty();
                        message.read_merged(fragments)?;
                        Ok(encode::to_vec(&message))
                    },
                );

                #[cfg_attr(not(debug_assertions), inline(always))]
                fn empty() -> Self {
                    Self {
                        $( $field: field!(@empty $label), )*
                        $( payload: Extended::<$payload<'a>>::ABSENT, )?
                        unknown: UnknownFields::default(),
                    }
                }

                #[cfg_attr(not(debug_assertions), inline(always))]
                fn read_whole(&mut self, bytes: &'a [u8]) -> Result<(), DecodeError> {
                    self.merge(bytes)
                }

                #[cold]
                #[inline(never)]
                fn read_merged(&mut self, fragments: Fragments<'a>) -> Result<(), DecodeError> {
                    for fragment in fragments.iter() {
                        self.merge(fragment)?;
                    }
                    // Fields that are read later may be in any of the fragments.
                    $( field! {
                        @finish_merge self.$field: $label $kind $($of)? = $number, fragments
                    } )*
                    $( Extended::<$payload<'a>>::finish_merge(&mut self.payload, fragments); )?
                    self.unknown.finish_merge(fragments);
                    Ok(())
                }
            }

            impl Encode for $name<'_> {
                fn write(&self, out: &mut Output<'_>) {
                    $( field!(@write self.$field: $label $kind $($of)? = $number, out); )*
                    $( Extended::<$payload<'_>>::write(&self.payload, out); )?
                    out.unknown(&self.unknown);
                }
            }

            impl<'a> Message<'a> for $name<'a> {}

            construct! { $name [] $( $label $field $kind $($of)?; )* }

            $crate::game::runtime::macros::impls::message_impls!($name);
        };
    )*};
}
pub(crate) use message;
