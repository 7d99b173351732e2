//! The outbound client of the groupware server.
