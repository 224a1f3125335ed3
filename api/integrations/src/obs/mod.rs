//! OBS, controlled over obs-websocket (reference/obs.md). The daemon `obs-remote` holds the connections; where an
//! account has none, commands are relayed to its own page.

pub mod configs;
pub mod control;
