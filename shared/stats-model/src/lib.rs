//! Public statistics of channels, games and emotes: samples, roll-ups and catalogues
//! (reference/public-stats.md).
//!
//! Samples are in the time-series database, everything else in the primary one. No statement reads both. A
//! caller that holds a transaction in one of them writes to the other only after its commit, because the
//! roll-ups hold locks in both (reference/public-stats.md#roll-ups).

pub mod channels;
mod counts;
pub mod emotes;
pub mod games;
pub mod rollups;
pub mod samples;
mod source;
pub mod streams;
mod text;

pub use source::Source;
