//! OBS, music of Spotify, tips of StreamElements, and followed playlists.

mod music;
mod obs;
mod playlists;
mod se_tokens;
mod spotify;
mod tips;
