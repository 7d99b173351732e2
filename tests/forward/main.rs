//! Clients that many use, on the APIs of a groupware server: each first straight at the server with the app password, then
//! through the gateway with a bearer token, with the same results.
//!
//! A test whose client is missing says so and passes, unless `PORTREEVE_CLIENT_TESTS=1` makes it mandatory (Debian's
//! packages `curl` and `litmus`, and in `target/venv` what `requirements.txt` here names).

#![cfg(target_os = "linux")]

use portreeve_test_support as support;

mod calendars;
mod curl;
mod litmus;
mod rclone;
mod shim;
mod site;
mod vdirsyncer;
