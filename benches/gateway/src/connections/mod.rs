//! Thousands of connections: what one costs that is idle, how active ones fare before a slow
//! groupware server, and what happens where the limit of open files is met.
pub(crate) mod active;
pub(crate) mod idle;
pub(crate) mod open_files;
