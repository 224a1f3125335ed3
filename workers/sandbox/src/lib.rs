//! Runs the handler code of extensions: JavaScript, in an engine compiled to WebAssembly, one fresh instance per
//! invocation (C §B3).
//!
//! [`Engine::compile`] loads a module once and keeps what that changed in memory; [`Handler::invoke`] starts from
//! there, so an invocation costs a copy of a few hundred kilobytes. What handler code may reach outside is the
//! [`Host`] that the caller passes in, within the [`Limits`] it passes in: this crate knows nothing of HTTP, Redis
//! or the database.
//!
//! ```no_run
//! # async fn example(host: std::sync::Arc<dyn sandbox::Host>) -> Result<(), Box<dyn std::error::Error>> {
//! use sandbox::{Engine, EngineConfig, Invocation, Limits};
//!
//! let engine = Engine::new(EngineConfig::new(EngineConfig::default_dir()?))?;
//! let handler = engine.compile("export async function hello(ctx, input) { return `Hello, ${input.name}` }").await?;
//! let call = Invocation { limits: Limits::bot(), ..Invocation::new("hello", serde_json::json!({ "name": "Ada" })) };
//! let outcome = handler.invoke(call, host).await;
//! assert_eq!(outcome.result?, "Hello, Ada");
//! # Ok(())
//! # }
//! ```

pub mod bot_result;

mod clock;
mod delta;
mod engine;
mod guest;
mod handler;
mod host;
mod host_operations;
mod imports;
mod limits;
mod meter;
mod operations;
mod outcome;
mod recording;
mod request;
mod secrets;
mod snapshot;
mod state;

pub use clock::{Clock, FixedClock, SystemClock};
pub use engine::{Engine, EngineConfig, EngineError};
pub use handler::{Context, Export, ExportType, FunctionKind, Handler, Invocation};
pub use host::{FetchRequest, FetchResponse, Host, HostError, HostErrorKind, LogLevel, LogLine, Redirect};
pub use limits::Limits;
pub use outcome::{Failure, FailureCode, Metrics, Outcome};
pub use recording::Recording;
pub use request::{
    CacheIncrement, CacheKey, CacheSet, DeleteRow, GetRow, HostRequest, InsertRow, ListValues, PatchRow,
    Push, QueryRows, RunAction, SetValue, ValueAt, ValueScope,
};
