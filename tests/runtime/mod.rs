//! The daemon `extension-runtime` beside a real server, Redis, engine and stand-in of the platforms.

mod built_in;
mod commands;
mod context;
mod data;
mod fairness;
mod faults;
mod functions;
mod isolation;
mod limits;
mod proxy;
mod reach;
mod replay;
mod replies;
mod retention;
mod sockets;
mod stage;
mod test_runs;
mod timers;
