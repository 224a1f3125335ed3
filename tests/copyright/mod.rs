//! Copyright of the music that is played on stream.

mod votes;
