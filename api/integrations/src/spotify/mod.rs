//! Music of Spotify (reference/music.md).

mod db;
pub mod library;
mod limit;
pub mod manual_connect;
mod objects;
pub mod playback;
mod player;
mod uri;

pub use objects::{SpotifyDevice, SpotifyNowPlaying, SpotifyPlaylist, SpotifyTrack};
