//! The `Response` protocol of the card-game server.
