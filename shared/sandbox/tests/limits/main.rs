//! Every limit that the sandbox enforces, exceeded by a test that is named after it
//! (reference/handlers.md#limits-of-a-call).
//!
//! The tests run the real engine; without it they fail and name the script that builds it. None of them fails on time:
//! bounds on durations only separate "stopped" from "still running".

mod context;
mod engine;
mod isolation;
mod language;
mod memory;
mod module;
mod operations;
mod replay;
mod results;
mod support;
mod time;
