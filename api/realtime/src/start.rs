//! Start of a hub with its background tasks.

use api_core::State;

use crate::{hub::Hub, places, watch};

impl Hub {
    /// Starts a hub and its background tasks, on the current tokio runtime, until [`Hub::shutdown`].
    ///
    /// # Errors
    /// An error when a metric's name is taken.
    pub fn start(state: State) -> shared::Result<Self> {
        let hub = Self::new(state)?;
        hub.spawn(watch::changes(hub.clone()));
        hub.spawn(watch::shares(hub.clone()));
        hub.spawn(watch::credentials(hub.clone()));
        hub.spawn(places::renew(hub.clone()));
        Ok(hub)
    }
}
