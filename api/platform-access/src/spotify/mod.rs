//! Music of Spotify: calls with the connection of an account (reference/music.md#player).

mod address;
mod db;
mod limit;
mod player;

pub use address::{MAX_URI_LENGTH, track_uri};
pub use player::Player;
