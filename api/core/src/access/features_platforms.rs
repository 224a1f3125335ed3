//! The switches of platforms: `platform:{x}` and below it one for each use (specification A §4.8 rule 8, C §7.1).

use super::{AccountFeatures, Cx, account_features, global_features};
use crate::{ApiError, Code, Result};

/// What a platform may be switched off for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PlatformUse {
    /// Signing in with it.
    Login,
    /// Connecting a channel of it.
    Channel,
    /// Running a bot on it.
    Bot,
}

impl PlatformUse {
    /// Every use.
    pub const ALL: [Self; 3] = [Self::Login, Self::Channel, Self::Bot];

    /// The last part of the flag's key.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Login => "login",
            Self::Channel => "channel",
            Self::Bot => "bot",
        }
    }
}

impl AccountFeatures {
    /// Whether people may sign in with, connect a channel of, or run a bot on a platform: its own switch and the one
    /// of the use (`login`, `channel`, `bot`) are both on. One that there is no flag for is off.
    #[must_use]
    pub fn platform_allows(&self, platform: &str, kind: &str) -> bool {
        self.is_on(&format!("platform:{platform}:{kind}"))
    }
}

/// Refuses a use of a platform that is switched off: for the account acted in, or for everybody where there is none.
///
/// # Errors
/// 403 `FEATURE_DISABLED`.
pub async fn require_platform(cx: &Cx, platform: &str, purpose: PlatformUse) -> Result<()> {
    let features = match (purpose, cx.active_account().await?) {
        // Signing in comes before any account.
        (PlatformUse::Login, _) | (_, None) => global_features(cx.state()).await?,
        (PlatformUse::Channel | PlatformUse::Bot, Some(account)) => {
            account_features(cx.state(), account).await?
        }
    };
    let kind = purpose.as_str();
    if features.platform_allows(platform, kind) {
        return Ok(());
    }
    Err(ApiError::new(Code::FeatureDisabled, format!("Feature is disabled: platform:{platform}:{kind}")))
}
