//! Features without which an account gets no deliveries (reference/webhooks.md#reading).

use std::collections::HashSet;

use account_model::features::switched_off;
use diesel_async::AsyncPgConnection;
use shared::{Result, catalogue::Feature};
use uuid::Uuid;

use crate::event_types::{CHAT_MESSAGE, TEST};

/// Every feature that deliveries need.
const FEATURES: [Feature; 2] = [Feature::Events, Feature::Multichat];

/// Features of accounts that are off.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct FeaturesOff(HashSet<(Uuid, Feature)>);

/// Feature that deliveries of a type need: that of the operations that list such events. `None` for a test.
#[must_use]
pub fn feature_of(event_type: &str) -> Option<Feature> {
    match event_type {
        TEST => None,
        CHAT_MESSAGE => Some(Feature::Multichat),
        _ => Some(Feature::Events),
    }
}

impl FeaturesOff {
    /// Reads the features of accounts.
    ///
    /// # Errors
    /// A failure of the database.
    pub async fn read(connection: &mut AsyncPgConnection, accounts: &[Uuid]) -> Result<Self> {
        let off = switched_off(connection, accounts, &FEATURES.map(Feature::key)).await?;
        let feature = |key: &str| FEATURES.into_iter().find(|feature| feature.key() == key);
        Ok(Self(off.into_iter().filter_map(|(account, key)| Some((account, feature(&key)?))).collect()))
    }

    /// True when an account gets no deliveries of a type, because its feature is off.
    #[must_use]
    pub fn concern(&self, account: Uuid, event_type: &str) -> bool {
        feature_of(event_type).is_some_and(|feature| self.0.contains(&(account, feature)))
    }
}
