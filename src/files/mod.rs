//! The files that this crate maintains: the key file, the database, the tokens file.
//!
//! Each decides who has access, so each is private from its first byte, appears whole, and is reloaded when it changes.
//!
//! What root creates belongs to the directory's owner: a command of root must not lock the gateway out.

mod private;
#[allow(dead_code, reason = "the binary needs other parts of it than the library")]
mod reading;
mod whole;

#[allow(unused_imports, reason = "only the binary needs them")]
pub(crate) use private::{create, parent};
#[cfg(feature = "sqlite")]
pub(crate) use private::{create_empty, open_or_create};
#[allow(unused_imports, reason = "not every set of features needs all of them")]
pub(crate) use reading::{
    Content, Stamp, WRITE_BY_OTHERS, in_time, metadata, read, read_changed, read_text,
    read_text_from, read_text_or_pipe,
};
#[allow(unused_imports, reason = "not every set of features needs all of them")]
pub(crate) use whole::{Edit, beside, create_whole, create_whole_with};
