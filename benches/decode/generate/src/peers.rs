//! One function for each peer: how its generator is run.
use std::{
    error::Error,
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use crate::{
    flat::{Negative, Schema},
    slim,
};

type Outcome = Result<(), Box<dyn Error>>;

pub const HEADS: [&str; 2] = [".ServerMessageHead", ".ResponseHead"];

/// prost-build, with `Bytes` for the `bytes` fields of these messages: they are not copied then.
pub fn prost(flat: &Path, shared: &[&str], to: &Path) -> Outcome {
    let set = descriptor_set(flat)?;
    let folder = Scratch::new("prost")?;
    prost_build::Config::new()
        .bytes(shared)
        .out_dir(&folder.0)
        .compile_fds(set)?;
    write(to, &fs::read_to_string(folder.0.join("_.rs"))?)
}

/// buffa-build, with the lazy views; unknown fields are not kept, as the other readers do not.
pub fn buffa(flat: &Path, to: &Path) -> Outcome {
    use protox::prost_reflect::prost::Message;
    let folder = Scratch::new("buffa")?;
    let set = folder.0.join("set.bin");
    fs::write(&set, descriptor_set(flat)?.encode_to_vec())?;
    buffa_build::Config::new()
        .descriptor_set(set)
        .files(&["flat.proto"])
        .out_dir(&folder.0)
        .lazy_views(true)
        .preserve_unknown_fields(false)
        .file_per_package(true)
        .generate_with_setters(false)
        .idiomatic_enum_aliases(false)
        .compile()?;
    let file = fs::read_dir(&folder.0)?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .find(|path| path.extension().is_some_and(|extension| extension == "rs"))
        .ok_or("buffa wrote no file")?;
    write(to, &fs::read_to_string(file)?)
}

/// protobuf-codegen with its own parser, and with `Bytes` for all that can be shared, text included.
pub fn rust_protobuf(flat: &Path, to: &Path) -> Outcome {
    use protobuf_codegen::Customize;
    let folder = Scratch::new("rust-protobuf")?;
    protobuf_codegen::Codegen::new()
        .pure()
        .out_dir(&folder.0)
        .include(flat.parent().ok_or("no folder")?)
        .input(flat)
        .customize(
            Customize::default()
                .lite_runtime(true)
                .tokio_bytes(true)
                .tokio_bytes_for_string(true)
                .generate_accessors(false)
                .generate_getter(false)
                .gen_mod_rs(false),
        )
        .run()?;
    let code = fs::read_to_string(folder.0.join("flat.rs"))?;
    write(to, &code)
}

/// pb-rs. It cannot parse a negative enum value, so a number that nothing uses stands in for it in
/// the schema, and the value is put back in the code.
pub fn quick_protobuf(schema: &Schema, to: &Path) -> Outcome {
    let folder = Scratch::new("pb-rs")?;
    let (proto, code) = (folder.0.join("flat.proto"), folder.0.join("flat.rs"));
    fs::write(&proto, schema.proto(Negative::StoodIn))?;
    let builder =
        pb_rs::ConfigBuilder::new(&[&proto], Some(&&code), None, &[&folder.0])?.headers(false);
    pb_rs::types::FileDescriptor::run(&builder.build())?;
    let code = fs::read_to_string(code)?.replace(&Schema::STAND_IN.to_string(), "-1");
    write(to, &code)
}

fn descriptor_set(flat: &Path) -> Result<prost_types::FileDescriptorSet, Box<dyn Error>> {
    let folder = flat.parent().ok_or("no folder")?;
    Ok(protox::compile([flat], [folder])?)
}

/// Writes the code, formatted, without what only encodes.
fn write(to: &Path, code: &str) -> Outcome {
    let mut file = syn::parse_file(code)?;
    slim::decoding_only(&mut file);
    let note =
        "// Written by benches/decode/generate, which leaves out what only encodes; do not edit.";
    fs::write(to, format!("{note}\n\n{}", prettyplease::unparse(&file)))?;
    let done = Command::new("rustfmt")
        .args(["--edition", "2024"])
        .arg(to)
        .status()?;
    if done.success() {
        Ok(())
    } else {
        Err("rustfmt failed".into())
    }
}

/// A folder of its own for a generator, removed at the end.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> std::io::Result<Self> {
        let folder =
            std::env::temp_dir().join(format!("decode-peers-{name}-{}", std::process::id()));
        fs::create_dir_all(&folder)?;
        Ok(Self(folder))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
