//! The definition of messages.
//!
//! A message is declared once, in words close to the schema's:
//!
//! ```text
//! message! {
//!     /// A replay of one game.
//!     pub struct Replay = "ServerInfo_Replay" {
//!         /// Number of the replay.
//!         replay_id: optional sint32 = 1, default -1;
//!         /// Its name.
//!         replay_name: optional string = 2;
//!     }
//! }
//! ```
//!
//! and has a view with getters, the encoder, JSON and the full check. A field is
//! `name: label type = number`, where a type is a scalar of the schema language, `enum Name` or
//! `message Name`; a default follows as `, default value`, a name that differs from the Rust
//! name as `, json "name"`.

/// Defines a message; see the module.
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
                pub $field: $crate::game::define::field!(@slot 'a $label $kind $($of)?),
            )*
            /// What the schema does not have.
            pub unknown: $crate::game::UnknownFields<'a>,
        }

        const _: () = {
            #[allow(unused_imports)]
            use $crate::game::define::field;
            #[allow(unused_imports)]
            use $crate::game::internals::*;

            /// The tag of each field.
            #[allow(dead_code)]
            enum Tags {}

            #[allow(non_upper_case_globals)]
            impl Tags {
                $( const $field: Tag = tag($number, field!(@wire_type $kind $($of)?)); )*
            }

            impl<'a> $name<'a> {
                /// Reads the bytes of one message; see [`Message::parse`].
                ///
                /// # Errors
                /// [`DecodeError`] where the bytes are not fields.
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
                ) -> Result<(), Fault> {
                    while !reader.is_empty() {
                        let from = reader.rest();
                        match reader.tag()? {
                            $( Tags::$field => field! {
                                @merge self.$field: $label $kind $($of)? = $number,
                                message, from, reader, self.unknown, Self::is_known
                            }, )*
                            tag => *reader = self.rare(tag, from, *reader, depth)?,
                        }
                    }
                    Ok(())
                }

                /// Packed numbers and what the schema does not have.
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
                    self.unknown.note(from, Self::is_known);
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

            impl<'a> Message<'a> for $name<'a> {
                const NAME: &'static str = $schema;

                #[inline]
                fn merge(&mut self, bytes: &'a [u8], rules: Rules) -> Result<(), DecodeError> {
                    let mut reader = Reader::new(bytes);
                    match self.fields(bytes, &mut reader, rules.depth) {
                        Ok(()) => Ok(()),
                        Err(fault) => {
                            Err(DecodeError::new(fault, $schema, bytes, reader.rest()))
                        }
                    }
                }

                fn spread(&mut self, pieces: Pieces<'a>) -> Result<(), DecodeError> {
                    $( field!(@spread self.$field: $label $kind $($of)? = $number, pieces); )*
                    self.unknown.spread(pieces);
                    Ok(())
                }

                fn missing(&self) -> Option<&'static str> {
                    $( field!(@missing self.$field: $label, $field $($json)?); )*
                    None
                }

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
            }

            $crate::game::define::message_impls!($name);
        };
    )*};
}
pub(crate) use message;

/// What follows from being a [`Message`](super::Message), as no blanket implementation can say it.
macro_rules! message_impls {
    ($name:ident) => {
        impl<'a> $crate::game::Element<'a> for $name<'a> {
            type Value = Self;
            type Item = Result<Self, $crate::game::DecodeError>;
            const WIRE_TYPE: u32 = $crate::game::wire::DELIMITED;

            #[inline(always)]
            fn next(cursor: &mut $crate::game::internals::Cursor<'a>) -> Option<Self::Item> {
                let bytes = cursor.delimited()?;
                let mut item = None;
                $name::next_into(&mut item, bytes, cursor.rules());
                item
            }

            #[inline]
            fn given(value: Self) -> Self::Item {
                Ok(value)
            }
        }

        impl<'a> $name<'a> {
            /// An element of a repeated field, written where it is to lie: moving it would cost
            /// about as much as half of reading it.
            #[inline]
            fn next_into(
                item: &mut Option<Result<Self, $crate::game::DecodeError>>,
                bytes: &'a [u8],
                rules: $crate::game::internals::Rules,
            ) {
                if let Ok(message) = item.insert(Ok(Self::default())) {
                    let read = $crate::game::Message::read_whole(message, bytes, rules);
                    if let Err(error) = read {
                        *item = Some(Err(error));
                    }
                }
            }
        }

        impl $crate::game::internals::MessageWrite for $name<'_> {
            fn write_message<W: $crate::game::internals::WriterBackend>(
                &self,
                writer: &mut $crate::game::internals::Writer<W>,
            ) -> $crate::game::internals::WriteResult<()> {
                $crate::game::encode::write(self, writer)
            }

            fn get_size(&self) -> usize {
                $crate::game::encode::encoded_len(self)
            }
        }

        impl std::fmt::Debug for $name<'_> {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                $crate::game::json::debug(self, f)
            }
        }
    };
}
pub(crate) use message_impls;

/// One field's share of each part of a message.
macro_rules! field {
    // The marker type of a scalar, and the Rust type of its values.
    (@scalar bool) => { $crate::game::scalar::Bool };
    (@scalar int32) => { $crate::game::scalar::Int32 };
    (@scalar int64) => { $crate::game::scalar::Int64 };
    (@scalar sint32) => { $crate::game::scalar::Sint32 };
    (@scalar uint32) => { $crate::game::scalar::Uint32 };
    (@scalar uint64) => { $crate::game::scalar::Uint64 };
    (@scalar double) => { $crate::game::scalar::Double };
    (@value bool) => { bool };
    (@value int32) => { i32 };
    (@value int64) => { i64 };
    (@value sint32) => { i32 };
    (@value uint32) => { u32 };
    (@value uint64) => { u64 };
    (@value double) => { f64 };

    (@name $field:ident) => { stringify!($field) };
    (@name $field:ident $json:literal) => { $json };

    (@wire_type string) => { DELIMITED };
    (@wire_type bytes) => { DELIMITED };
    (@wire_type message $of:ident) => { DELIMITED };
    (@wire_type enum $of:ident) => { VARINT };
    (@wire_type $scalar:ident) => { <field!(@scalar $scalar) as Scalar>::WIRE_TYPE };

    // What the struct holds.
    (@slot $a:lifetime repeated string) => {
        $crate::game::Repeated<$a, $crate::game::Text<$a>>
    };
    (@slot $a:lifetime repeated message $of:ident) => { $crate::game::Repeated<$a, $of<$a>> };
    (@slot $a:lifetime repeated $scalar:ident) => {
        $crate::game::Repeated<$a, $crate::game::define::field!(@scalar $scalar)>
    };
    (@slot $a:lifetime $label:ident string) => { Option<$crate::game::Text<$a>> };
    (@slot $a:lifetime $label:ident bytes) => { Option<&$a [u8]> };
    (@slot $a:lifetime $label:ident message $of:ident) => { $crate::game::Nested<$a, $of<$a>> };
    (@slot $a:lifetime $label:ident enum $of:ident) => { Option<$of> };
    (@slot $a:lifetime $label:ident $scalar:ident) => {
        Option<$crate::game::define::field!(@value $scalar)>
    };

    (@getter $a:lifetime $(#[$doc:meta])* $field:ident: repeated string) => {
        $(#[$doc])*
        #[inline]
        pub fn $field(&self) -> Iter<$a, Text<$a>> {
            self.$field.iter()
        }
    };
    (@getter $a:lifetime $(#[$doc:meta])* $field:ident: repeated message $of:ident) => {
        $(#[$doc])*
        #[inline]
        pub fn $field(&self) -> Iter<$a, $of<$a>> {
            self.$field.iter()
        }
    };
    (@getter $a:lifetime $(#[$doc:meta])* $field:ident: repeated $scalar:ident) => {
        $(#[$doc])*
        #[inline]
        pub fn $field(&self) -> Iter<$a, field!(@scalar $scalar)> {
            self.$field.iter()
        }
    };
    (@getter $a:lifetime $(#[$doc:meta])* $field:ident: $label:ident string) => {
        $(#[$doc])*
        ///
        /// Empty where absent.
        ///
        /// # Errors
        /// [`TextError`] where it is not UTF-8.
        #[inline]
        pub fn $field(&self) -> Result<&$a str, TextError<$a>> {
            match self.$field {
                Some(text) => text.to_str(),
                None => Ok(""),
            }
        }
    };
    (@getter $a:lifetime $(#[$doc:meta])* $field:ident: $label:ident bytes) => {
        $(#[$doc])*
        ///
        /// Empty where absent.
        #[inline]
        pub fn $field(&self) -> &$a [u8] {
            self.$field.unwrap_or_default()
        }
    };
    (@getter $a:lifetime $(#[$doc:meta])* $field:ident: $label:ident message $of:ident) => {
        $(#[$doc])*
        ///
        /// # Errors
        /// [`DecodeError`] where its bytes cannot be read.
        #[inline]
        pub fn $field(&self) -> Result<Option<$of<$a>>, DecodeError> {
            self.$field.get()
        }
    };
    (@getter $a:lifetime $(#[$doc:meta])* $field:ident: $label:ident enum $of:ident) => {
        $(#[$doc])*
        ///
        /// The first value of the enum where absent.
        #[inline]
        pub fn $field(&self) -> $of {
            self.$field.unwrap_or($of::ALL[0])
        }
    };
    (@getter $a:lifetime $(#[$doc:meta])* $field:ident: $label:ident $scalar:ident
        $(, default $default:expr)?
    ) => {
        $(#[$doc])*
        ///
        #[doc = concat!("`", field!(@or $($default)?, 0), "` where absent.")]
        #[inline]
        pub fn $field(&self) -> field!(@value $scalar) {
            self.$field.unwrap_or([$($default,)? Default::default()][0])
        }
    };
    (@or $given:expr, $otherwise:expr) => { stringify!($given) };
    (@or , $otherwise:expr) => { stringify!($otherwise) };

    // What an occurrence of the field does.
    (@merge $self:ident.$field:ident: repeated string = $number:literal,
        $message:ident, $from:ident, $reader:ident, $unknown:expr, $is_known:expr
    ) => {{
        // Servers send the occurrences one after the other.
        let mut count = 0;
        loop {
            $reader.delimited()?;
            count += 1;
            if !$reader.take_tag(tag($number, DELIMITED)) {
                break;
            }
        }
        $self.$field.note($from, $number, count);
    }};
    (@merge $self:ident.$field:ident: repeated message $of:ident = $number:literal,
        $message:ident, $from:ident, $reader:ident, $unknown:expr, $is_known:expr
    ) => {{
        // Servers send the occurrences one after the other.
        let mut count = 0;
        loop {
            $reader.delimited()?;
            count += 1;
            if !$reader.take_tag(tag($number, DELIMITED)) {
                break;
            }
        }
        $self.$field.note($from, $number, count);
    }};
    (@merge $self:ident.$field:ident: repeated $scalar:ident = $number:literal,
        $message:ident, $from:ident, $reader:ident, $unknown:expr, $is_known:expr
    ) => {{
        <field!(@scalar $scalar)>::read($reader)?;
        $self.$field.note($from, $number, 1);
    }};
    (@merge $self:ident.$field:ident: $label:ident string = $number:literal,
        $message:ident, $from:ident, $reader:ident, $unknown:expr, $is_known:expr
    ) => {
        $self.$field = Some(Text::from_bytes($reader.delimited()?))
    };
    (@merge $self:ident.$field:ident: $label:ident bytes = $number:literal,
        $message:ident, $from:ident, $reader:ident, $unknown:expr, $is_known:expr
    ) => {
        $self.$field = Some($reader.delimited()?)
    };
    (@merge $self:ident.$field:ident: $label:ident message $of:ident = $number:literal,
        $message:ident, $from:ident, $reader:ident, $unknown:expr, $is_known:expr
    ) => {{
        let bytes = $reader.delimited()?;
        $self.$field.note(bytes, $message, $number);
    }};
    (@merge $self:ident.$field:ident: $label:ident enum $of:ident = $number:literal,
        $message:ident, $from:ident, $reader:ident, $unknown:expr, $is_known:expr
    ) => {
        match $of::from_number(Int32::read($reader)?) {
            Some(value) => $self.$field = Some(value),
            None => $unknown.note($from, $is_known),
        }
    };
    (@merge $self:ident.$field:ident: $label:ident $scalar:ident = $number:literal,
        $message:ident, $from:ident, $reader:ident, $unknown:expr, $is_known:expr
    ) => {
        $self.$field = Some(<field!(@scalar $scalar)>::read($reader)?)
    };

    // Several numbers in one field.
    (@packed $self:ident.$field:ident: repeated string $($rest:tt)*) => {};
    (@packed $self:ident.$field:ident: repeated message $($rest:tt)*) => {};
    (@packed $self:ident.$field:ident: repeated $scalar:ident = $number:literal,
        $found:ident, $from:ident, $reader:ident
    ) => {
        if $found == tag($number, DELIMITED) {
            let mut numbers = Reader::new($reader.delimited()?);
            while !numbers.is_empty() {
                <field!(@scalar $scalar)>::read(&mut numbers)?;
            }
            $self.$field.note($from, $number, 1);
            return Ok($reader);
        }
    };
    (@packed $($rest:tt)*) => {};

    (@known $varint:ident enum $of:ident) => { $of::from_number($varint as i32).is_some() };
    (@known $varint:ident $($kind:ident)+) => { true };

    (@known_packed $found:ident repeated string = $number:literal) => {};
    (@known_packed $found:ident repeated message $of:ident = $number:literal) => {};
    (@known_packed $found:ident repeated $scalar:ident = $number:literal) => {
        if $found == tag($number, DELIMITED) {
            return true;
        }
    };
    (@known_packed $($rest:tt)*) => {};

    (@spread $self:ident.$field:ident: repeated $($kind:ident)+ = $number:literal, $pieces:ident) => {
        $self.$field.spread($pieces)
    };
    (@spread $self:ident.$field:ident: $label:ident message $of:ident = $number:literal,
        $pieces:ident
    ) => {
        $self.$field.spread($pieces, $number)?
    };
    (@spread $($rest:tt)*) => {};

    (@missing $self:ident.$field:ident: required, $($name:tt)+) => {
        if $self.$field.is_none() {
            return Some(field!(@name $($name)+));
        }
    };
    (@missing $($rest:tt)*) => {};

    (@visit $self:ident.$field:ident: repeated string, $name:ident, $visitor:ident) => {
        if !$self.$field.is_empty() {
            $visitor.texts($name, &$self.$field)?;
        }
    };
    (@visit $self:ident.$field:ident: repeated message $of:ident, $name:ident, $visitor:ident) => {
        if !$self.$field.is_empty() {
            $visitor.messages($name, &$self.$field)?;
        }
    };
    (@visit $self:ident.$field:ident: repeated $scalar:ident, $name:ident, $visitor:ident) => {
        if !$self.$field.is_empty() {
            $visitor.scalars($name, &$self.$field)?;
        }
    };
    (@visit $self:ident.$field:ident: $label:ident message $of:ident, $name:ident, $visitor:ident) => {
        if $self.$field.is_present() {
            $visitor.message($name, &$self.$field)?;
        }
    };
    (@visit $self:ident.$field:ident: $label:ident $($kind:ident)+, $name:ident, $visitor:ident) => {
        if let Some(value) = $self.$field {
            field!(@visit_value $($kind)+, value, $name, $visitor)?;
        }
    };
    (@visit_value string, $value:ident, $name:ident, $visitor:ident) => {
        $visitor.text($name, $value)
    };
    (@visit_value bytes, $value:ident, $name:ident, $visitor:ident) => {
        $visitor.bytes($name, $value)
    };
    (@visit_value enum $of:ident, $value:ident, $name:ident, $visitor:ident) => {
        $visitor.enumeration($name, $value)
    };
    (@visit_value $scalar:ident, $value:ident, $name:ident, $visitor:ident) => {
        $visitor.scalar::<field!(@scalar $scalar)>($name, $value)
    };
}
pub(crate) use field;
