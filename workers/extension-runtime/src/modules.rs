//! Handler modules, loaded once per version and cached within a bound.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use moka::{Expiry, future::Cache};
use sandbox::{Engine, Failure, FailureCode, Handler};
use uuid::Uuid;

use super::metrics::RuntimeMetrics;

/// Maximum memory of all loaded modules, in bytes.
const MAX_BYTES: u64 = 512 * 1024 * 1024;
/// Time after which a module without use is dropped.
const IDLE_TTL: Duration = Duration::from_secs(3600);
/// Time after which a module that does not load is tried again, however often it is requested.
const FAILURE_TTL: Duration = Duration::from_secs(300);
/// Memory of a module beyond its changed pages, in bytes.
const OVERHEAD_BYTES: usize = 4 * 1024;

/// Source of one extension version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// Id of the version; equal ids are equal code.
    pub version_id: Uuid,
    /// Code of the module.
    pub text: Arc<str>,
}

/// Loaded modules by version. Cheap to clone.
#[derive(Clone)]
pub struct Modules {
    engine: Engine,
    loaded: Cache<Uuid, Loaded>,
    metrics: RuntimeMetrics,
}

/// Loaded module, or the reason why it does not load.
type Loaded = Result<Handler, Arc<Failure>>;

impl Modules {
    /// Returns an empty cache.
    pub fn new(engine: Engine, metrics: RuntimeMetrics) -> Self {
        let loaded = Cache::builder()
            .weigher(|_, loaded: &Loaded| {
                let bytes = loaded.as_ref().map_or(0, Handler::size_bytes) + OVERHEAD_BYTES;
                u32::try_from(bytes).unwrap_or(u32::MAX)
            })
            .max_capacity(MAX_BYTES)
            .time_to_idle(IDLE_TTL)
            .expire_after(Failures)
            .build();
        Self { engine, loaded, metrics }
    }

    /// Returns the module of a version, loading it if needed; concurrent callers share one load. A failure of
    /// the module itself is cached for a while; one that a busy machine may have caused is not.
    pub async fn get(&self, source: &Source) -> Loaded {
        let load = async {
            match self.engine.compile(&source.text).await {
                Ok(handler) => {
                    self.metrics.compiled("ok");
                    Ok(Ok(handler))
                }
                Err(failure) => {
                    self.metrics.compiled(failure.code.as_str());
                    if is_permanent(failure.code) {
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

/// True for failures of the module itself. One that did not load in time may load in time elsewhere or later.
fn is_permanent(code: FailureCode) -> bool {
    code.is_handlers_fault() && code != FailureCode::Timeout
}

/// Expiry of entries: failures after a fixed time, modules when they are not used.
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
    fn modules_are_loaded_again_after_a_timeout() {
        for (code, remembered) in [
            (FailureCode::SyntaxError, true),
            (FailureCode::HandlerError, true),
            (FailureCode::MemoryLimit, true),
            (FailureCode::Timeout, false),
            (FailureCode::Overloaded, false),
            (FailureCode::Internal, false),
        ] {
            assert_eq!(is_permanent(code), remembered, "{code}");
        }
    }
}
