//! Every limit of C §B3.2 and B §8 that the sandbox enforces, crossed by a test that is named after it.
//!
//! The tests run the real engine; without it they fail and name the script that builds it. None of them fails on
//! time: bounds on durations only tell "stopped" from "ran on".

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
