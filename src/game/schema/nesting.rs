//! Checks an assumption of the reader about the files of `proto/`, compiled by `protox`. That the schema is the one
//! of `proto/` is checked where it is printed, in `tests/game/schema.rs`.

use std::path::{Path, PathBuf};

use prost_reflect::{DescriptorPool, Kind, MessageDescriptor};

use crate::game::runtime::fragments::MAX_STEPS;

#[test]
fn a_message_in_fragments_has_a_path() {
    for message in proto().all_messages() {
        let steps = steps(&message, &mut Vec::new());
        let name = message.full_name();
        assert!(steps <= MAX_STEPS, "{name} has {steps} levels");
    }
}

/// The depth of nested sub-messages that are not repeated.
fn steps(message: &MessageDescriptor, outer: &mut Vec<String>) -> usize {
    let name = message.full_name().to_owned();
    assert!(!outer.contains(&name), "{name} contains itself");
    outer.push(name);
    let fields = message
        .fields()
        .filter(|field| !field.is_list())
        .map(|field| field.kind());
    let extensions = message.extensions().map(|extension| extension.kind());
    let below = fields.chain(extensions).filter_map(|kind| match kind {
        Kind::Message(of) => Some(1 + steps(&of, outer)),
        _ => None,
    });
    let deepest = below.max().unwrap_or_default();
    outer.pop();
    deepest
}

fn proto() -> DescriptorPool {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("proto");
    let set = protox::compile(files(&root), [&root]).unwrap();
    DescriptorPool::from_file_descriptor_set(set).unwrap()
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = folder
        .read_dir()
        .unwrap()
        .map(|entry| entry.unwrap().path());
    entries
        .flat_map(|path| {
            if path.is_dir() {
                files(&path)
            } else {
                vec![path]
            }
        })
        .collect()
}
