//! Sandbox for the handler code of extensions: JavaScript, in an engine compiled to WebAssembly, one fresh
//! instance for each invocation (reference/handlers.md#sandbox).
//!
//! [`Engine::compile`] loads a module once and keeps the changes in memory. [`Handler::invoke`] starts from
//! there, so an invocation copies a few hundred kilobytes only. The caller passes in the [`Host`], through
//! which handler code reaches anything outside, and the [`Limits`]: this crate has no dependency on HTTP,
//! Redis or the database.
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
mod context_members;
mod delta;
mod engine;
mod engine_config;
mod failure;
mod function_kind;
mod guest;
mod guest_json;
mod handler;
mod host;
mod host_operations;
mod imports;
mod instances;
mod limits;
mod meter;
mod operations;
mod outcome;
mod recording;
mod reply;
mod request;
mod secrets;
mod snapshot;
mod state;

pub use clock::{Clock, FixedClock, SystemClock};
pub use context_members::{ContextMember, context_members};
pub use engine::Engine;
pub use engine_config::{EngineConfig, EngineError};
pub use failure::{Failure, FailureCode};
pub use function_kind::FunctionKind;
pub use handler::{Context, Export, ExportType, Handler, Invocation};
pub use host::{FetchRequest, FetchResponse, Host, HostError, HostErrorKind, LogLevel, LogLine, Redirect};
pub use limits::Limits;
pub use outcome::{Metrics, Outcome};
pub use recording::Recording;
pub use request::{
    CacheIncrement, CacheKey, CacheSet, DeleteRow, GetRow, HostRequest, InsertRow, ListValues, PatchRow,
    Push, QueryRows, RunAction, SetValue, ValueAt, ValueScope,
};
pub use snapshot::check_engine;
