/// One field's share of each part of a message: the first word says which part.
macro_rules! field {
    // The marker type of a scalar, and the Rust type of its values.
    (@scalar bool) => { $crate::game::runtime::scalar::Bool };
    (@scalar int32) => { $crate::game::runtime::scalar::Int32 };
    (@scalar int64) => { $crate::game::runtime::scalar::Int64 };
    (@scalar sint32) => { $crate::game::runtime::scalar::Sint32 };
    (@scalar uint32) => { $crate::game::runtime::scalar::Uint32 };
    (@scalar uint64) => { $crate::game::runtime::scalar::Uint64 };
    (@scalar double) => { $crate::game::runtime::scalar::Double };
    (@value bool) => { bool };
    (@value int32) => { i32 };
    (@value int64) => { i64 };
    (@value sint32) => { i32 };
    (@value uint32) => { u32 };
    (@value uint64) => { u64 };
    (@value double) => { f64 };

    (@secret) => { false };
    (@secret secret) => { true };

    (@name $field:ident) => { stringify!($field) };
    (@name $field:ident $json:literal) => { $json };

    // Its description.
    (@label optional) => { Label::Optional };
    (@label required) => { Label::Required };
    (@label repeated) => { Label::Repeated };
    (@kind bool) => { ValueKind::Bool };
    (@kind int32) => { ValueKind::Int32 };
    (@kind int64) => { ValueKind::Int64 };
    (@kind sint32) => { ValueKind::Sint32 };
    (@kind uint32) => { ValueKind::Uint32 };
    (@kind uint64) => { ValueKind::Uint64 };
    (@kind double) => { ValueKind::Double };
    (@kind string) => { ValueKind::Text };
    (@kind bytes) => { ValueKind::Bytes };
    (@kind enum $of:ident) => { ValueKind::Enum($of::VALUES) };
    (@kind message $of:ident) => { ValueKind::Message(|| <$of<'static> as Decode>::DESCRIPTION) };

    // The type of a required field.
    (@required $a:lifetime string) => { $crate::game::runtime::macros::support::Text<$a> };
    (@required $a:lifetime $scalar:ident) => {
        $crate::game::runtime::macros::field::field!(@value $scalar)
    };

    // The element type of a list.
    (@element $a:lifetime string) => { $crate::game::runtime::macros::support::Text<$a> };
    (@element $a:lifetime message $of:ident) => { $of<$a> };
    (@element $a:lifetime $scalar:ident) => {
        $crate::game::runtime::macros::field::field!(@scalar $scalar)
    };

    // The type in the struct.
    (@slot $a:lifetime required $kind:ident) => {
        $crate::game::runtime::macros::support::Required<
            $crate::game::runtime::macros::field::field!(@required $a $kind),
        >
    };
    (@slot $a:lifetime repeated $($kind:ident)+) => {
        $crate::game::runtime::macros::support::Repeated<
            $a,
            $crate::game::runtime::macros::field::field!(@element $a $($kind)+),
        >
    };
    (@slot $a:lifetime $label:ident string) => {
        Option<$crate::game::runtime::macros::support::Text<$a>>
    };
    (@slot $a:lifetime $label:ident bytes) => { Option<&$a [u8]> };
    (@slot $a:lifetime $label:ident message $of:ident) => {
        $crate::game::runtime::macros::support::Nested<$a, $of<$a>>
    };
    (@slot $a:lifetime $label:ident enum $of:ident) => { Option<$of> };
    (@slot $a:lifetime $label:ident $scalar:ident) => {
        Option<$crate::game::runtime::macros::field::field!(@value $scalar)>
    };

    (@empty required) => { Required::ABSENT };
    (@empty $label:ident) => { Default::default() };

    (@getter $a:lifetime $(#[$doc:meta])* $field:ident: required string) => {
        $(#[$doc])*
        ///
        /// Empty if absent, which only a view of damaged bytes can be.
        ///
        /// # Errors
        /// [`TextError`] if it is not UTF-8.
        #[inline]
        pub fn $field(&self) -> Result<&$a str, TextError> {
            match self.$field.value() {
                Some(text) => text.to_str(),
                None => Ok(""),
            }
        }
    };
    (@getter $a:lifetime $(#[$doc:meta])* $field:ident: required $scalar:ident) => {
        $(#[$doc])*
        ///
        /// `0` if absent, which only a view of damaged bytes can be.
        #[inline]
        pub fn $field(&self) -> field!(@value $scalar) {
            self.$field.value().unwrap_or_default()
        }
    };
    (@getter $a:lifetime $(#[$doc:meta])* $field:ident: repeated $($kind:ident)+) => {
        $(#[$doc])*
        #[inline]
        pub fn $field(&self) -> Iter<$a, field!(@element $a $($kind)+)> {
            self.$field.iter()
        }
    };
    (@getter $a:lifetime $(#[$doc:meta])* $field:ident: $label:ident string) => {
        $(#[$doc])*
        ///
        /// Empty if absent.
        ///
        /// # Errors
        /// [`TextError`] if it is not UTF-8.
        #[inline]
        pub fn $field(&self) -> Result<&$a str, TextError> {
            match self.$field {
                Some(text) => text.to_str(),
                None => Ok(""),
            }
        }
    };
    (@getter $a:lifetime $(#[$doc:meta])* $field:ident: $label:ident bytes) => {
        $(#[$doc])*
        ///
        /// Empty if absent.
        #[inline]
        pub fn $field(&self) -> &$a [u8] {
            self.$field.unwrap_or_default()
        }
    };
    (@getter $a:lifetime $(#[$doc:meta])* $field:ident: $label:ident message $of:ident) => {
        $(#[$doc])*
        ///
        /// # Errors
        /// [`DecodeError`] if its bytes cannot be read.
        #[inline]
        pub fn $field(&self) -> Result<Option<$of<$a>>, DecodeError> {
            self.$field.get()
        }
    };
    (@getter $a:lifetime $(#[$doc:meta])* $field:ident: $label:ident enum $of:ident) => {
        $(#[$doc])*
        ///
        /// The first value of the enum if absent.
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
        #[doc = concat!("`", field!(@or $($default)?, 0), "` if absent.")]
        #[inline]
        pub fn $field(&self) -> field!(@value $scalar) {
            self.$field.unwrap_or([$($default,)? Default::default()][0])
        }
    };
    (@or $given:expr, $otherwise:expr) => { stringify!($given) };
    (@or , $otherwise:expr) => { stringify!($otherwise) };

    // How an occurrence of the field is read. `None` stands for a fault that is determined later.
    (@merge $self:ident.$field:ident: repeated string $($rest:tt)+) => {
        field!(@merge_list $self.$field $($rest)+)
    };
    (@merge $self:ident.$field:ident: repeated message $of:ident $($rest:tt)+) => {
        field!(@merge_list $self.$field $($rest)+)
    };
    (@merge_list $self:ident.$field:ident = $number:literal,
        $message:ident, $from:ident, $reader:ident
    ) => {{
        // Servers send the occurrences consecutively.
        let mut count = 0;
        loop {
            $reader.next_delimited().ok_or(None)?;
            count += 1;
            if !$reader.eat(Tags::$field) {
                break;
            }
        }
        $self.$field.record($from, $number, count);
    }};
    (@merge $self:ident.$field:ident: repeated $scalar:ident = $number:literal,
        $message:ident, $from:ident, $reader:ident
    ) => {{
        <field!(@scalar $scalar)>::next($reader).ok_or(None)?;
        $self.$field.record($from, $number, 1);
    }};
    (@merge $self:ident.$field:ident: $label:ident string = $number:literal,
        $message:ident, $from:ident, $reader:ident
    ) => {
        $self.$field = Text::from_bytes($reader.next_delimited().ok_or(None)?).into()
    };
    (@merge $self:ident.$field:ident: $label:ident bytes = $number:literal,
        $message:ident, $from:ident, $reader:ident
    ) => {
        $self.$field = $reader.next_delimited().ok_or(None)?.into()
    };
    (@merge $self:ident.$field:ident: $label:ident message $of:ident = $number:literal,
        $message:ident, $from:ident, $reader:ident
    ) => {{
        let bytes = $reader.next_delimited().ok_or(None)?;
        $self.$field.record(bytes, $message, $number);
    }};
    (@merge $self:ident.$field:ident: $label:ident enum $of:ident = $number:literal,
        $message:ident, $from:ident, $reader:ident
    ) => {
        match $of::from_number(Int32::next($reader).ok_or(None)?) {
            Some(value) => $self.$field = Some(value),
            None => $self.unknown.record($from, Self::DESCRIPTION),
        }
    };
    (@merge $self:ident.$field:ident: $label:ident $scalar:ident = $number:literal,
        $message:ident, $from:ident, $reader:ident
    ) => {
        $self.$field = <field!(@scalar $scalar)>::next($reader).ok_or(None)?.into()
    };

    // Packed numbers.
    (@packed $self:ident.$field:ident: repeated string $($rest:tt)*) => {};
    (@packed $self:ident.$field:ident: repeated message $($rest:tt)*) => {};
    (@packed $self:ident.$field:ident: repeated $scalar:ident = $number:literal,
        $found:ident, $from:ident, $reader:ident
    ) => {
        if $self.$field.record_packed($found, $from, &mut $reader, $number)? {
            return Ok($reader);
        }
    };
    (@packed $($rest:tt)*) => {};

    (@finish_merge $self:ident.$field:ident: repeated $($kind:ident)+ = $number:literal,
        $fragments:ident
    ) => {
        $self.$field.finish_merge($fragments);
    };
    (@finish_merge $self:ident.$field:ident: $label:ident message $of:ident = $number:literal,
        $fragments:ident
    ) => {
        $self.$field.finish_merge($fragments, $number);
    };
    (@finish_merge $($rest:tt)*) => {};

    (@write $self:ident.$field:ident: required $kind:ident = $number:literal, $out:ident) => {
        if let Some(value) = $self.$field.value() {
            field!(@write_value $kind, value, $number, $out);
        }
    };
    (@write $self:ident.$field:ident: repeated string = $number:literal, $out:ident) => {
        $self.$field.unchecked().for_each(|text| $out.bytes($number, text.as_bytes()))
    };
    (@write $self:ident.$field:ident: repeated message $of:ident = $number:literal, $out:ident) => {
        $self.$field.nested().for_each(|message| message.write($number, $out))
    };
    (@write $self:ident.$field:ident: repeated $scalar:ident = $number:literal, $out:ident) => {
        $self.$field.iter().for_each(|value| $out.scalar::<field!(@scalar $scalar)>($number, value))
    };
    (@write $self:ident.$field:ident: $label:ident message $of:ident = $number:literal, $out:ident) => {
        $self.$field.write($number, $out)
    };
    (@write $self:ident.$field:ident: $label:ident $($kind:ident)+ = $number:literal, $out:ident) => {
        if let Some(value) = $self.$field {
            field!(@write_value $($kind)+, value, $number, $out);
        }
    };
    (@write_value string, $value:ident, $number:literal, $out:ident) => {
        $out.bytes($number, $value.as_bytes())
    };
    (@write_value bytes, $value:ident, $number:literal, $out:ident) => {
        $out.bytes($number, $value)
    };
    (@write_value enum $of:ident, $value:ident, $number:literal, $out:ident) => {
        $out.scalar::<Int32>($number, $value.number())
    };
    (@write_value $scalar:ident, $value:ident, $number:literal, $out:ident) => {
        $out.scalar::<field!(@scalar $scalar)>($number, $value)
    };
}
pub(crate) use field;
