//! Daemons of services beside the platforms: OBS, music, tips and followed playlists.

pub mod music;
pub mod obs;
pub mod playlists;
pub mod tips;
