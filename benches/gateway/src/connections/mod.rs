//! Thousands of connections: the cost of an idle one, active ones with a slow groupware server, and
//! the limit of open files.
pub(crate) mod active;
pub(crate) mod idle;
pub(crate) mod open_files;
