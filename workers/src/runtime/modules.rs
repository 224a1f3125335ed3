//! Handler modules, loaded once per version and kept within a bound.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use moka::{Expiry, future::Cache};
use sandbox::{Engine, Failure, FailureCode, Handler};
use uuid::Uuid;

use super::metrics::RuntimeMetrics;

/// Memory that loaded modules may hold together.
const MAX_BYTES: u64 = 512 * 1024 * 1024;
const FORGOTTEN_AFTER: Duration = Duration::from_secs(3600);
/// A module that does not load is tried again after this, however often it is asked for.
const FAILURE_TTL: Duration = Duration::from_secs(300);
/// What a module counts beyond its changed memory.
const OVERHEAD_BYTES: usize = 4 * 1024;

/// The source of one extension version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// Equal ids are equal code.
    pub version_id: Uuid,
    pub text: Arc<str>,
}

/// Loaded modules by version. Cheap to clone.
#[derive(Clone)]
pub struct Modules {
    engine: Engine,
    loaded: Cache<Uuid, Loaded>,
    metrics: RuntimeMetrics,
}

/// A module that loads, or why it does not.
type Loaded = Result<Handler, Arc<Failure>>;

impl Modules {
    pub fn new(engine: Engine, metrics: RuntimeMetrics) -> Self {
        let loaded = Cache::builder()
            .weigher(|_, loaded: &Loaded| {
                let bytes = loaded.as_ref().map_or(0, Handler::size_bytes) + OVERHEAD_BYTES;
                u32::try_from(bytes).unwrap_or(u32::MAX)
            })
            .max_capacity(MAX_BYTES)
            .time_to_idle(FORGOTTEN_AFTER)
            .expire_after(Failures)
            .build();
        Self { engine, loaded, metrics }
    }

    /// The module of a version, loaded if need be; callers at the same time share one load. A failure of the module
    /// itself is remembered for a while; one that a busy machine may have caused is not.
    pub async fn get(&self, source: &Source) -> Loaded {
        let load = async {
            match self.engine.compile(&source.text).await {
                Ok(handler) => {
                    self.metrics.compiled("ok");
                    Ok(Ok(handler))
                }
                Err(failure) => {
                    self.metrics.compiled(failure.code.as_str());
                    if says_all_about_the_module(failure.code) {
                        Ok(Err(Arc::new(failure)))
                    } else {
                        Err(Arc::new(failure))
                    }
                }
            }
        };
        match self.loaded.try_get_with(source.version_id, load).await {
            Ok(loaded) => loaded,
            Err(failure) => Err(Arc::clone(&failure)),
        }
    }
}

/// A module that did not load in time here may load in time elsewhere or later.
fn says_all_about_the_module(code: FailureCode) -> bool {
    code.is_handlers_fault() && code != FailureCode::Timeout
}

/// Failures end by themselves, modules when nobody asks for them any more.
struct Failures;

impl Expiry<Uuid, Loaded> for Failures {
    fn expire_after_create(&self, _: &Uuid, loaded: &Loaded, _: Instant) -> Option<Duration> {
        loaded.is_err().then_some(FAILURE_TTL)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_load_that_timed_out_is_tried_again() {
        for (code, remembered) in [
            (FailureCode::SyntaxError, true),
            (FailureCode::HandlerError, true),
            (FailureCode::MemoryLimit, true),
            (FailureCode::Timeout, false),
            (FailureCode::Overloaded, false),
            (FailureCode::Internal, false),
        ] {
            assert_eq!(says_all_about_the_module(code), remembered, "{code}");
        }
    }
}
