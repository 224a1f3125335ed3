//! Copyright votes on music that is played on stream.

mod votes;
