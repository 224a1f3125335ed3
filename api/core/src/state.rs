//! State of a process of the API.

use std::{
    any::{Any, TypeId},
    ops::Deref,
    sync::Arc,
    time::Instant,
};

use foundation::{
    crypto::Keyring, db::Databases, events::EventLog, jobs::Producers, readiness::Readiness, redis::Redis,
    storage::Storage, telemetry::Metrics,
};
use shared::{clock::Clock, config::Config};
use usage_model::{Meter, Stops};

use elsa::sync::FrozenMap;

use crate::{
    access::{GuardedDatabases, Jwt, Lookups},
    cache::Caches,
    http::RateLimiter,
    ttl_cache::TtlCache,
    usage::Usage,
};

/// State that operations share. Cheap to clone.
///
/// The databases are private to the access layer. Code outside opens no pool:
///
/// ```compile_fail,E0616
/// fn pools(state: &api_core::State) {
///     let _ = &state.databases;
/// }
/// ```
///
/// Other parts are public, and a connection comes from a caller or for a named reason:
///
/// ```
/// use api_core::{Result, State, access::{Admin, SystemReason}};
///
/// async fn connections(state: &State, caller: &Admin) -> Result<()> {
///     let _ = &state.redis;
///     drop(caller.db().await?);
///     drop(state.system(SystemReason::Console).db().await?);
///     Ok(())
/// }
/// ```
#[derive(Clone)]
pub struct State(Arc<Parts>);

/// Parts of a [`State`].
pub struct Parts {
    /// Configuration of the process.
    pub config: Config,
    /// Clock in whole milliseconds.
    pub clock: Clock,
    /// Databases, which the access layer opens.
    pub(crate) databases: GuardedDatabases,
    /// Pool of Redis.
    pub redis: Redis,
    /// Storage of objects.
    pub storage: Storage,
    /// Keys of encryption at rest.
    pub keyring: Keyring,
    /// Client for requests to other hosts.
    pub http: reqwest::Client,
    /// Log and channels of events.
    pub events: EventLog,
    /// Producers of jobs.
    pub jobs: Producers,
    /// Registry of metrics.
    pub metrics: Metrics,
    /// Readiness of the process.
    pub readiness: Readiness,
    /// Caches of rights.
    pub caches: Caches,
    /// Lookups of credentials that the caches do not hold.
    pub lookups: Lookups,
    /// Short-lived texts of other hosts.
    pub ttl_cache: TtlCache,
    /// Uses of credentials that are not written yet.
    pub usage: Usage,
    /// Keys of signed tokens.
    pub jwt: Jwt,
    /// Counters of requests.
    pub limiter: RateLimiter,
    /// Counts of usage.
    pub meter: Meter,
    /// Uses that are refused because of budgets.
    pub stops: Stops,
    /// Start of the process.
    pub started: Instant,
    components: Components,
}

impl State {
    /// Opens the parts that the configuration names. Databases and Redis are connected on demand: their
    /// absence fails requests, not the start. From here on only the access layer opens `databases`.
    ///
    /// # Errors
    /// An internal error when a key, a URL or the storage folder is unusable.
    pub fn new(config: Config, clock: Clock, databases: Databases) -> shared::Result<Self> {
        let redis = Redis::new(&config.redis)?;
        let metrics = Metrics::new("lumio-api", config.environment)?;
        let keyring = Keyring::new(config.secrets.encryption_keys.clone())?;
        Ok(Self(Arc::new(Parts {
            databases: GuardedDatabases::new(databases, &metrics)?,
            storage: Storage::open(&config.storage_url)?,
            keyring,
            http: foundation::http::client()?,
            events: EventLog::new(redis.clone()),
            jobs: Producers::counted(&config.redis, &metrics)?,
            caches: Caches::default(),
            lookups: Lookups::new(clock.clone()),
            ttl_cache: TtlCache::new(clock.clone()),
            usage: Usage::new(clock.clone()),
            jwt: Jwt::new(&config.secrets)?,
            components: Components::default(),
            limiter: RateLimiter::new(redis.clone(), clock.clone(), &metrics)?,
            meter: Meter::new(redis.clone(), clock.clone(), &metrics)?,
            stops: Stops::new(clock.clone(), &metrics)?,
            started: Instant::now(),
            metrics,
            readiness: Readiness::default(),
            redis,
            clock,
            config,
        })))
    }
}

/// Parts that only some domains know, by type.
type Components = FrozenMap<TypeId, Box<dyn Any + Send + Sync>>;

impl State {
    /// Returns a part that only some domains know, by its type. It is opened at its first use and shared from
    /// then on.
    pub fn component<T: Send + Sync + 'static>(&self, open: impl FnOnce(&Self) -> T) -> &T {
        let key = TypeId::of::<T>();
        let found = self.0.components.get(&key).and_then(|part| part.downcast_ref());
        found.unwrap_or_else(|| {
            let opened = self.0.components.insert(key, Box::new(open(self)));
            match opened.downcast_ref() {
                Some(part) => part,
                None => unreachable!("a component is stored under its own type"),
            }
        })
    }
}

impl Deref for State {
    type Target = Parts;

    fn deref(&self) -> &Parts {
        &self.0
    }
}
