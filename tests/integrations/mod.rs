//! OBS, music of Spotify, tips of StreamElements, followed playlists, and the end of an account with them.

mod dissolution;
mod music;
mod obs;
mod playlists;
mod se_tokens;
mod spotify;
mod tips;
