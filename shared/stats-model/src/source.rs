//! Sources of samples and streams.

use serde::{Deserialize, Serialize};

/// Origin of a sample, a day or a stream (reference/public-stats.md#samples).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// An account that has connected the channel.
    FirstParty,
    /// The crawler.
    ExternalCrawler,
}

impl Source {
    /// Name in columns and JSON.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::FirstParty => "first_party",
            Self::ExternalCrawler => "external_crawler",
        }
    }
}
