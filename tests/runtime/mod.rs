//! The daemon `extension-runtime` beside a real server, Redis, engine and stand-in of the platforms.

mod faults;
mod isolation;
mod limits;
mod proxy;
mod reach;
mod replies;
mod stage;
