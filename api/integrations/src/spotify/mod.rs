//! Music of Spotify (reference/music.md).

pub mod library;
pub mod manual_connect;
mod objects;
pub mod playback;
mod uri;

pub use objects::{SpotifyDevice, SpotifyNowPlaying, SpotifyPlaylist, SpotifyTrack};
