//! Writes what the decode benchmark needs from the schema files under `proto/`: one flat schema, the
//! peers' code for it, and the list of its messages as a macro.
//!
//!     cargo run --release --manifest-path benches/decode/generate/Cargo.toml
mod flat;
mod peers;
mod slim;

use std::{error::Error, fs, path::Path};

fn main() -> Result<(), Box<dyn Error>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..");
    let peers = root.join("benches/decode/src/peers");
    let schema = flat::Schema::read(&root.join("proto"))?;
    let flat = peers.join("flat.proto");
    fs::write(&flat, schema.proto(flat::Negative::Kept))?;
    fs::write(root.join("benches/decode/src/schema.rs"), schema.list())?;

    peers::prost(&flat, &peers::HEADS, &peers.join("prost/generated.rs"))?;
    peers::prost(&flat, &["."], &peers.join("prost/generated_with_bytes.rs"))?;
    peers::buffa(&flat, &peers.join("buffa/generated.rs"))?;
    peers::rust_protobuf(&flat, &peers.join("rust_protobuf/generated.rs"))?;
    peers::quick_protobuf(&schema, &peers.join("quick_protobuf/generated.rs"))?;
    Ok(())
}
