//! The page for people (docs/API.md, section 14), in a real browser against the real gateway.

use portreeve_test_support as support;

mod accessibility;
mod browser;
mod first_paint;
mod login;
mod session;
mod site;
mod targets;
mod views;
