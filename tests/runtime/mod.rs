//! The daemon `extension-runtime` beside a real server, Redis, engine and stand-in of the platforms.

mod isolation;
mod limits;
mod reach;
mod replies;
mod stage;
