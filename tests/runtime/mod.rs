//! The daemon `extension-runtime` beside a real server, Redis, engine and stand-in of the platforms.

mod automation_triggers;
mod built_in;
mod commands;
mod context;
mod data;
mod deadlines;
mod fairness;
mod faults;
mod functions;
mod hostile;
mod isolation;
mod kills;
mod limits;
mod proxy;
mod reach;
mod replay;
mod replies;
mod retention;
mod retries;
mod sockets;
mod stage;
mod standing;
mod storage_bounds;
mod switches;
mod test_runs;
mod timers;
