//! Writes the peers' code that the benchmark measures, from the schema files under `proto/`: one flat schema,
//! each peer's code for it by its own generator, and the list of its messages as a macro.

mod flat;
mod peers;

use std::error::Error;
use std::path::Path;
use std::{env, fs};

fn main() -> Result<(), Box<dyn Error>> {
    let proto = Path::new("../../proto");
    println!("cargo::rerun-if-changed=build");
    println!("cargo::rerun-if-changed={}", proto.display());
    let out = env::var_os("OUT_DIR").ok_or("cargo names no OUT_DIR")?;
    let out = Path::new(&out);

    let schema = flat::Schema::read(proto)?;
    fs::write(out.join("schema.rs"), schema.lists())?;
    let (flat, proto) = (out.join("flat.proto"), schema.proto());
    fs::write(&flat, &proto)?;
    let set = protox::compile([&flat], [out])?;

    peers::prost(&set, &out.join("prost"))?;
    peers::buffa(&set, &out.join("buffa"))?;
    peers::quick_protobuf(&proto, &out.join("quick_protobuf"))
}
