/// One field's share of each part of a message: the first word says which part.
macro_rules! field {
    // The marker type of a scalar, and the Rust type of its values.
    (@scalar bool) => { $crate::game::runtime::scalar::Bool };
    (@scalar int32) => { $crate::game::runtime::scalar::Int32 };
    (@scalar int64) => { $crate::game::runtime::scalar::Int64 };
    (@scalar sint32) => { $crate::game::runtime::scalar::Sint32 };
    (@scalar id) => { $crate::game::runtime::scalar::Id };
    (@scalar uint32) => { $crate::game::runtime::scalar::Uint32 };
    (@scalar uint64) => { $crate::game::runtime::scalar::Uint64 };
    (@scalar double) => { $crate::game::runtime::scalar::Double };
    (@value bool) => { bool };
    (@value int32) => { i32 };
    (@value int64) => { i64 };
    (@value sint32) => { i32 };
    (@value id) => { i32 };
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
    (@kind id) => { ValueKind::Uint32 };
    (@kind uint32) => { ValueKind::Uint32 };
    (@kind uint64) => { ValueKind::Uint64 };
    (@kind double) => { ValueKind::Double };
    (@kind string) => { ValueKind::Text };
    (@kind bytes) => { ValueKind::Bytes };
    (@kind enum $of:ident) => { ValueKind::Enum($of::VALUES) };
    (@kind message $of:ident) => { ValueKind::Message(|| <$of<'static> as Decode>::DESCRIPTION) };

    // The type of a required field.
    (@required $a:lifetime string) => { $crate::game::runtime::macros::support::Text<$a> };
    (@required $a:lifetime $scalar:ident) => { $crate::game::runtime::macros::field::field!(@value $scalar) };

    // The element type of a list.
    (@element $a:lifetime string) => { $crate::game::runtime::macros::support::Text<$a> };
    (@element $a:lifetime message $of:ident) => { $of<$a> };
    (@element $a:lifetime $scalar:ident) => { $crate::game::runtime::macros::field::field!(@scalar $scalar) };

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
    (@slot $a:lifetime $label:ident string) => { Option<$crate::game::runtime::macros::support::Text<$a>> };
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

    // Its getter: what the documentation adds, the type, and the value.
    (@remark required string) => {
        "\nEmpty if absent, which only a view of damaged bytes can be.\n\n# Errors\n[`DecodeError`] if it is not UTF-8."
    };
    (@remark required $scalar:ident) => { "\n`0` if absent, which only a view of damaged bytes can be." };
    (@remark repeated $($kind:ident)+) => { "" };
    (@remark $label:ident string) => { "\nEmpty if absent.\n\n# Errors\n[`DecodeError`] if it is not UTF-8." };
    (@remark $label:ident bytes) => { "\nEmpty if absent." };
    (@remark $label:ident message $of:ident) => { "\n# Errors\n[`DecodeError`] if its bytes cannot be read." };
    (@remark $label:ident enum $of:ident) => { "\nThe first value of the enum if absent." };
    (@remark $label:ident $scalar:ident) => { "\n`0` if absent." };
    (@remark $label:ident $scalar:ident, default $default:expr) => {
        concat!("\n`", stringify!($default), "` if absent.")
    };
    (@returned $a:lifetime repeated $($kind:ident)+) => { Iter<$a, field!(@element $a $($kind)+)> };
    (@returned $a:lifetime $label:ident string) => { Result<&$a str, DecodeError> };
    (@returned $a:lifetime $label:ident bytes) => { &$a [u8] };
    (@returned $a:lifetime $label:ident message $of:ident) => { Result<Option<$of<$a>>, DecodeError> };
    (@returned $a:lifetime $label:ident enum $of:ident) => { $of };
    (@returned $a:lifetime $label:ident $scalar:ident) => { field!(@value $scalar) };
    (@get $self:ident.$field:ident: required string) => { $self.$field.value().map_or(Ok(""), Text::to_str) };
    (@get $self:ident.$field:ident: required $scalar:ident) => { $self.$field.value().unwrap_or_default() };
    (@get $self:ident.$field:ident: repeated $($kind:ident)+) => { $self.$field.iter() };
    (@get $self:ident.$field:ident: $label:ident string) => { $self.$field.map_or(Ok(""), Text::to_str) };
    (@get $self:ident.$field:ident: $label:ident bytes) => { $self.$field.unwrap_or_default() };
    (@get $self:ident.$field:ident: $label:ident message $of:ident) => { $self.$field.get() };
    (@get $self:ident.$field:ident: $label:ident enum $of:ident) => { $self.$field.unwrap_or($of::ALL[0]) };
    (@get $self:ident.$field:ident: $label:ident $scalar:ident $(, default $default:expr)?) => {
        $self.$field.unwrap_or([$($default,)? Default::default()][0])
    };

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
        for text in $self.$field.unchecked() { $out.bytes($number, text.as_bytes()); }
    };
    (@write $self:ident.$field:ident: repeated message $of:ident = $number:literal, $out:ident) => {
        for message in $self.$field.nested() { message.write($number, $out); }
    };
    (@write $self:ident.$field:ident: repeated $scalar:ident = $number:literal, $out:ident) => {
        for value in $self.$field.iter() { $out.scalar::<field!(@scalar $scalar)>($number, value); }
    };
    (@write $self:ident.$field:ident: $label:ident message $of:ident = $number:literal, $out:ident) => {
        $self.$field.write($number, $out)
    };
    (@write $self:ident.$field:ident: $label:ident $($kind:ident)+ = $number:literal, $out:ident) => {
        if let Some(value) = $self.$field {
            field!(@write_value $($kind)+, value, $number, $out);
        }
    };
    (@write_value string, $value:ident, $number:literal, $out:ident) => { $out.bytes($number, $value.as_bytes()) };
    (@write_value bytes, $value:ident, $number:literal, $out:ident) => { $out.bytes($number, $value) };
    (@write_value enum $of:ident, $value:ident, $number:literal, $out:ident) => {
        $out.scalar::<Int32>($number, $value.number())
    };
    (@write_value $scalar:ident, $value:ident, $number:literal, $out:ident) => {
        $out.scalar::<field!(@scalar $scalar)>($number, $value)
    };
}
pub(crate) use field;
