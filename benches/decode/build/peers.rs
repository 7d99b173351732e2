//! One function for each peer: how its generator is run. Each writes into a folder of its own.

use std::error::Error;
use std::fs;
use std::path::Path;

use prost_build::Config;
use prost_types::FileDescriptorSet;
use protox::prost_reflect::prost::Message as _;

type Outcome = Result<(), Box<dyn Error>>;

/// prost-build, with `Bytes` for the fields of type `bytes`: they are not copied then.
pub fn prost(set: &FileDescriptorSet, to: &Path) -> Outcome {
    fs::create_dir_all(to)?;
    let mut config = Config::new();
    config.bytes(["."]).out_dir(to).compile_fds(set.clone())?;
    Ok(())
}

/// buffa-build, with the lazy views; unknown fields are not kept, as the other readers do not.
pub fn buffa(set: &FileDescriptorSet, to: &Path) -> Outcome {
    fs::create_dir_all(to)?;
    let described = to.join("set.bin");
    fs::write(&described, set.encode_to_vec())?;
    buffa_build::Config::new()
        .descriptor_set(described)
        .files(&["flat.proto"])
        .out_dir(to)
        .include_file("all.rs")
        .lazy_views(true)
        .preserve_unknown_fields(false)
        .file_per_package(true)
        .generate_with_setters(false)
        .idiomatic_enum_aliases(false)
        .compile()?;
    Ok(())
}

/// pb-rs. It cannot parse a negative enum value, so a number that nothing uses stands in for it in
/// the schema, and the value is put back in the code.
pub fn quick_protobuf(schema: &str, to: &Path) -> Outcome {
    const STAND_IN: &str = "2147483647";
    fs::create_dir_all(to)?;
    let (proto, code) = (to.join("flat.proto"), to.join("flat.rs"));
    fs::write(&proto, schema.replace("= -1;", &format!("= {STAND_IN};")))?;
    let builder =
        pb_rs::ConfigBuilder::new(&[&proto], Some(&&code), None, &[&to.to_owned()])?.headers(false);
    pb_rs::types::FileDescriptor::run(&builder.build())?;
    let text = fs::read_to_string(&code)?;
    fs::write(&code, text.replace(STAND_IN, "-1"))?;
    Ok(())
}
