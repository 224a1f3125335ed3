//! Rate limits of callers.

use super::Reader;

/// Requests per minute, by tier (reference/limits.md#rate-limits). System keys are not limited.
#[derive(Debug, Clone)]
pub struct RateLimitsConfig {
    /// Requests without a credential, for each address.
    pub anonymous: u32,
    /// Sessions.
    pub session: u32,
    /// Personal API keys.
    pub api_key: u32,
    /// Service keys.
    pub service_key: u32,
    /// Popout tokens.
    pub popout: u32,
    /// Tokens of overlays.
    pub overlay: u32,
    /// Tokens of extension surfaces.
    pub surface: u32,
    /// Sign-in attempts of one address.
    pub auth_exchange: u32,
    /// Opaque credentials of one address that do not exist (reference/limits.md#unknown-credentials).
    pub unknown_credential: u32,
    /// Chat messages of an account on one platform in 30 seconds (reference/chat.md#sending).
    pub chat_send: u32,
    /// Moderation actions of an account on one platform in 30 seconds.
    pub chat_moderate: u32,
    /// Events that an installed extension emits in 30 seconds.
    pub events_emit: u32,
    /// Bytes of JSON that one such event may have.
    pub events_emit_bytes: u32,
}

pub(super) fn read(reader: &mut Reader) -> RateLimitsConfig {
    let mut per_minute = |name: &str, default| reader.within(name, default, 1, 1_000_000_000);
    RateLimitsConfig {
        anonymous: per_minute("LUMIO_RATE_ANONYMOUS", 120),
        session: per_minute("LUMIO_RATE_SESSION", 600),
        api_key: per_minute("LUMIO_RATE_API_KEY", 1200),
        service_key: per_minute("LUMIO_RATE_SERVICE_KEY", 1200),
        popout: per_minute("LUMIO_RATE_POPOUT", 600),
        overlay: per_minute("LUMIO_RATE_OVERLAY", 600),
        surface: per_minute("LUMIO_RATE_SURFACE", 600),
        auth_exchange: per_minute("LUMIO_RATE_AUTH_EXCHANGE", 60),
        unknown_credential: per_minute("LUMIO_RATE_UNKNOWN_CREDENTIAL", 60),
        chat_send: reader.within("LUMIO_RATE_CHAT_SEND", 20, 1, 1_000_000_000),
        chat_moderate: reader.within("LUMIO_RATE_CHAT_MODERATE", 100, 1, 1_000_000_000),
        events_emit: reader.within("LUMIO_RATE_EVENTS_EMIT", 150, 1, 1_000_000_000),
        events_emit_bytes: reader.within("LUMIO_EVENTS_EMIT_BYTES", 16_384, 256, 65_536),
    }
}
