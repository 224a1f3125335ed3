//! Context of a daemon that calls platforms.

use std::ops::Deref;

use platform_credentials::tokens::Tokens;
use platforms::Platforms;
use worker_core::Context;

/// Context of a process with the clients of the platforms. Cheap to clone.
#[derive(Clone)]
pub struct PlatformContext {
    context: Context,
    /// Clients of the platforms.
    pub platforms: Platforms,
    /// Access tokens of connections, refreshed when needed.
    pub tokens: Tokens,
}

impl PlatformContext {
    /// Adds the clients to the context of a process.
    #[must_use]
    pub fn new(context: Context) -> Self {
        let platforms = Platforms::new(&context.config.platforms, &context.http);
        let (database, keyring) = (context.databases.postgres.clone(), context.keyring.clone());
        let clock = context.clock.clone();
        let tokens = Tokens::new(&context.config, database, keyring, platforms.clone(), clock);
        Self { context, platforms, tokens }
    }
}

impl Deref for PlatformContext {
    type Target = Context;

    fn deref(&self) -> &Context {
        &self.context
    }
}
