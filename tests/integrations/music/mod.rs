//! Music of Spotify: polls of players, their events, alerts of blocked songs, and manual connect
//! (reference/music.md).

mod alerts;
mod events;
mod manual_connect;
mod polls;
mod stage;
