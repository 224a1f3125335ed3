//! Access of the API to the platforms: their clients, and the tokens of connections.

pub mod emotes;
pub mod spotify;

use api_core::{State, access::SystemReason};
use platform_credentials::tokens::Tokens;
use platforms::Platforms;

/// Platforms as reached from the state of the API.
pub trait PlatformAccess {
    /// Clients of all platforms.
    fn platforms(&self) -> &Platforms;

    /// Access tokens of connections, kept fresh.
    fn tokens(&self) -> &Tokens;
}

impl PlatformAccess for State {
    fn platforms(&self) -> &Platforms {
        self.component(|state| Platforms::new(&state.config.platforms, &state.http))
    }

    fn tokens(&self) -> &Tokens {
        self.component(|state| {
            let (database, keyring) =
                (state.system(SystemReason::PlatformTokens).pool(), state.keyring.clone());
            Tokens::new(&state.config, database, keyring, state.platforms().clone(), state.clock.clone())
        })
    }
}
