//! Random messages from a seed: those of the schema, with unknown fields and unusual encodings.

use prost_reflect::{ExtensionDescriptor, Kind, MessageDescriptor};

use crate::bytes::{field as encode_field, number as encode_number, varint};
use crate::oracle::descriptor;

/// Levels of sub-messages.
const DEPTH: u32 = 7;
/// The depth at which a message has no sub-messages and no extensions.
const ONLY_FIELDS: u32 = DEPTH;

/// A message of this name in bytes.
pub(crate) fn message(name: &str, seed: u64) -> Vec<u8> {
    let mut random = Random(seed | 1);
    fields(&descriptor(name), 0, &mut random)
}

/// A message with an extension of this kind in it, as peers send it: its name, and its bytes.
pub(crate) fn extended(extension: &ExtensionDescriptor, seed: u64) -> (&'static str, Vec<u8>) {
    let mut random = Random(seed | 1);
    let envelope = extension.containing_message();
    // An envelope's own field, and once in a while another piece of the extension.
    let mut bytes = fields(&envelope, ONLY_FIELDS, &mut random);
    for _ in 0..1 + random.below(6) / 5 {
        bytes.extend(extension_field(extension, 0, &mut random));
    }
    let container = |number| encode_field(number, &bytes);
    match envelope.name() {
        "Response" => ("Response", bytes),
        "SessionEvent" => ("ServerMessage", container(3)),
        "RoomEvent" => ("ServerMessage", container(5)),
        "GameEvent" => ("ServerMessage", encode_field(4, &container(2))),
        "GameEventContext" => ("ServerMessage", encode_field(4, &container(3))),
        "SessionCommand" => ("CommandContainer", container(100)),
        "GameCommand" => ("CommandContainer", container(101)),
        "RoomCommand" => ("CommandContainer", container(102)),
        "ModeratorCommand" => ("CommandContainer", container(103)),
        "AdminCommand" => ("CommandContainer", container(104)),
        "DeveloperCommand" => ("CommandContainer", container(105)),
        other => panic!("{other} is in no envelope"),
    }
}

/// A message with a few places damaged.
pub(crate) fn damaged(mut bytes: Vec<u8>, damage: &[u64]) -> Vec<u8> {
    for &seed in damage {
        let mut random = Random(seed | 1);
        let position = random.below(bytes.len() + 1);
        match random.below(5) {
            0 => bytes.truncate(position),
            1 => bytes.insert(position, random.next() as u8),
            2 if position < bytes.len() => drop(bytes.remove(position)),
            _ if position < bytes.len() => bytes[position] ^= 1 << random.below(8),
            _ => {}
        }
    }
    bytes
}

fn fields(descriptor: &MessageDescriptor, depth: u32, random: &mut Random) -> Vec<u8> {
    let mut fields = Vec::new();
    for field in descriptor.fields() {
        let times = match random.below(8) {
            _ if field.cardinality() == prost_reflect::Cardinality::Required => 1,
            0..=2 => 0,
            7 => 2,
            6 if field.is_list() => random.below(5),
            _ => 1,
        };
        for _ in 0..times {
            if let Some(bytes) = value(&field, depth, random) {
                fields.push(bytes);
            }
        }
    }
    let extensions: Vec<_> = descriptor.extensions().collect();
    if !extensions.is_empty() && depth < DEPTH {
        for _ in 0..random.below(3) {
            let extension = &extensions[random.below(extensions.len())];
            for _ in 0..1 + random.below(10) / 9 {
                fields.push(extension_field(extension, depth, random));
            }
        }
    }
    if random.below(6) == 0 {
        fields.push(unknown(random));
    }
    if random.below(3) == 0 {
        random.shuffle(&mut fields);
    }
    fields.concat()
}

fn extension_field(extension: &ExtensionDescriptor, depth: u32, random: &mut Random) -> Vec<u8> {
    let Kind::Message(payload) = extension.kind() else {
        unreachable!("every extension is a message");
    };
    encode_field(extension.number(), &fields(&payload, depth + 1, random))
}

fn value(
    field: &prost_reflect::FieldDescriptor,
    depth: u32,
    random: &mut Random,
) -> Option<Vec<u8>> {
    let number = field.number();
    let bytes = match field.kind() {
        Kind::Message(_) if depth >= DEPTH => return None,
        Kind::Message(inner) => encode_field(number, &fields(&inner, depth + 1, random)),
        Kind::String | Kind::Bytes => encode_field(number, random.text().as_bytes()),
        Kind::Double => {
            let bits = match random.below(3) {
                0 => random.next(),
                _ => (random.below(2000) as f64 / 8.0).to_bits(),
            };
            [&varint(u64::from(number) << 3 | 1)[..], &bits.to_le_bytes()].concat()
        }
        // An answer's code begins at -1; most enums are small.
        Kind::Enum(_) => {
            let largest = [4, 4, 42][random.below(3)];
            encode_number(number, (-1 + random.below(largest) as i64) as u64)
        }
        Kind::Int32 => encode_number(number, i64::from(random.next() as i32) as u64),
        _ if field.is_list() && random.below(2) == 0 => {
            let numbers = (0..random.below(4)).map(|_| varint(random.number()));
            encode_field(number, &numbers.collect::<Vec<_>>().concat())
        }
        _ => encode_number(number, random.number()),
    };
    Some(bytes)
}

/// A field far above those of the schema.
fn unknown(random: &mut Random) -> Vec<u8> {
    let number = 60 + random.below(30) as u32;
    match random.below(4) {
        0 => encode_number(number, random.number()),
        1 => encode_field(number, random.text().as_bytes()),
        2 => [&varint(u64::from(number) << 3 | 5)[..], b"four"].concat(),
        _ => {
            let inside = encode_number(3, random.number());
            let start = varint(u64::from(number) << 3 | 3);
            let end = varint(u64::from(number) << 3 | 4);
            [start, inside, end].concat()
        }
    }
}

/// Numbers that follow from a seed: splitmix64.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }

    /// Small numbers more often than large ones.
    fn number(&mut self) -> u64 {
        self.next() >> self.below(64)
    }

    fn text(&mut self) -> String {
        let letters = ['a', 'é', '試', '🃏', '"', '\n', '\\', 'z'];
        let letter = letters[self.below(letters.len())];
        let length = match self.below(8) {
            0 => 0,
            7 => self.below(300),
            _ => self.below(20),
        };
        (0..length).map(|position| if position % 5 == 3 { letter } else { 'x' }).collect()
    }

    fn shuffle<T>(&mut self, items: &mut [T]) {
        for position in (1..items.len()).rev() {
            items.swap(position, self.below(position + 1));
        }
    }
}
