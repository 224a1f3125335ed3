//! What a process of the API is made of.

use std::{ops::Deref, sync::Arc, time::Instant};

use shared::{
    clock::Clock, config::Config, crypto::Keyring, db::Databases, events::EventLog, jobs::Producers,
    platforms::Platforms, readiness::Readiness, redis::Redis, storage::Storage, telemetry::Metrics,
    tokens::Tokens,
};

use crate::{
    access::{Jwt, Lookups},
    briefly::Briefly,
    cache::Caches,
    extension_data::FunctionCalls,
    http::RateLimiter,
    usage::Usage,
};

/// Everything that operations reach for. Cheap to clone.
#[derive(Clone)]
pub struct State(Arc<Parts>);

/// The parts of a [`State`].
pub struct Parts {
    pub config: Config,
    pub clock: Clock,
    pub databases: Databases,
    pub redis: Redis,
    pub storage: Storage,
    pub keyring: Keyring,
    pub platforms: Platforms,
    /// Access tokens of connections, kept fresh.
    pub tokens: Tokens,
    pub events: EventLog,
    pub jobs: Producers,
    pub metrics: Metrics,
    /// Whether this process can serve.
    pub readiness: Readiness,
    pub caches: Caches,
    /// Lookups of credentials that the caches do not hold.
    pub lookups: Lookups,
    /// What is public elsewhere and was asked for a moment ago.
    pub briefly: Briefly,
    pub usage: Usage,
    pub jwt: Jwt,
    pub limiter: RateLimiter,
    /// Calls of extensions' server functions.
    pub function_calls: FunctionCalls,
    pub started: Instant,
}

impl State {
    /// Opens what the configuration names. Databases and Redis are connected on demand: their absence fails
    /// requests, not the start.
    ///
    /// # Errors
    /// When a key, a URL or the storage folder is unusable.
    pub fn new(config: Config, clock: Clock) -> shared::Result<Self> {
        let redis = Redis::new(&config.redis)?;
        let metrics = Metrics::new("lumio-api", config.environment)?;
        let databases = Databases::new(&config.databases);
        let keyring = Keyring::new(config.secrets.encryption_keys.clone())?;
        let platforms = Platforms::new(&config.platforms, &shared::http::client()?);
        let database = databases.postgres.clone();
        Ok(Self(Arc::new(Parts {
            tokens: Tokens::new(&config, database, keyring.clone(), platforms.clone(), clock.clone()),
            databases,
            storage: Storage::open(&config.storage_url)?,
            keyring,
            platforms,
            events: EventLog::new(redis.clone()),
            jobs: Producers::counted(&config.redis, &metrics)?,
            caches: Caches::default(),
            lookups: Lookups::new(clock.clone()),
            briefly: Briefly::new(clock.clone()),
            usage: Usage::new(clock.clone()),
            jwt: Jwt::new(&config.secrets)?,
            function_calls: FunctionCalls::new(redis.clone()),
            limiter: RateLimiter::new(redis.clone(), clock.clone(), &metrics)?,
            started: Instant::now(),
            metrics,
            readiness: Readiness::default(),
            redis,
            clock,
            config,
        })))
    }
}

impl Deref for State {
    type Target = Parts;

    fn deref(&self) -> &Parts {
        &self.0
    }
}
