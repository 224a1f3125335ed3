//! Codes of error frames and of closings (specification C §11.3).

use actix_http::ws::Parser;
use actix_ws::{CloseCode, CloseReason};
use bytes::{Bytes, BytesMut};
use serde::{Serialize, Serializer};
use utoipa::{
    PartialSchema, ToSchema,
    openapi::{
        RefOr,
        schema::{ObjectBuilder, Schema, Type},
    },
};

/// The `code` of an error frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ErrorCode {
    /// The gate of a channel failed.
    Unauthorized,
    FeatureDisabled,
    /// Bad JSON, unknown type, missing or wrong field.
    InvalidMessage,
    /// Unknown prefix or malformed id.
    InvalidChannel,
    /// Publishing is not allowed.
    Forbidden,
    TooManySubscriptions,
    RateLimitExceeded,
    PayloadTooLarge,
    TokenExpired,
    TokenRevoked,
    InternalServerError,
}

impl ErrorCode {
    /// Every code.
    pub const ALL: [Self; 11] = [
        Self::Unauthorized,
        Self::FeatureDisabled,
        Self::InvalidMessage,
        Self::InvalidChannel,
        Self::Forbidden,
        Self::TooManySubscriptions,
        Self::RateLimitExceeded,
        Self::PayloadTooLarge,
        Self::TokenExpired,
        Self::TokenRevoked,
        Self::InternalServerError,
    ];

    /// What it says.
    #[must_use]
    pub const fn summary(self) -> &'static str {
        match self {
            Self::Unauthorized => "The gate of the channel failed.",
            Self::FeatureDisabled => "The feature of the channel is off for the account.",
            Self::InvalidMessage => "Bad JSON, an unknown type, a missing or wrong field.",
            Self::InvalidChannel => "An unknown prefix or a malformed id.",
            Self::Forbidden => "Publishing or calling is not allowed there.",
            Self::TooManySubscriptions => "At most 100 channels for a socket.",
            Self::RateLimitExceeded => "At most 60 frames in 10 seconds.",
            Self::PayloadTooLarge => "At most 65,536 bytes for a message.",
            Self::TokenExpired => "The credential has expired; the socket is closed.",
            Self::TokenRevoked => "The credential was revoked; the socket is closed.",
            Self::InternalServerError => "A failure of the server; try again.",
        }
    }

    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Unauthorized => "UNAUTHORIZED",
            Self::FeatureDisabled => "FEATURE_DISABLED",
            Self::InvalidMessage => "INVALID_MESSAGE",
            Self::InvalidChannel => "INVALID_CHANNEL",
            Self::Forbidden => "FORBIDDEN",
            Self::TooManySubscriptions => "TOO_MANY_SUBSCRIPTIONS",
            Self::RateLimitExceeded => "RATE_LIMIT_EXCEEDED",
            Self::PayloadTooLarge => "PAYLOAD_TOO_LARGE",
            Self::TokenExpired => "TOKEN_EXPIRED",
            Self::TokenRevoked => "TOKEN_REVOKED",
            Self::InternalServerError => "INTERNAL_SERVER_ERROR",
        }
    }
}

impl PartialSchema for ErrorCode {
    fn schema() -> RefOr<Schema> {
        let codes = Self::ALL.map(Self::as_str);
        ObjectBuilder::new().schema_type(Type::String).enum_values(Some(codes)).into()
    }
}

impl ToSchema for ErrorCode {}

impl Serialize for ErrorCode {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

/// Why the server closes a socket.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Closing {
    /// The client said goodbye.
    Answered,
    Shutdown,
    /// No sign of life from the client.
    Silence,
    /// Events of a channel were lost, so that what was sent is not whole. The client comes back and resumes; it is
    /// then told whether what it missed is still there.
    EventsLost,
    /// The frames are not those of RFC 6455.
    ProtocolError,
    BinaryFrame,
    /// Text that is not UTF-8 (RFC 6455 §8.1).
    InvalidText,
    TooLarge,
    TokenExpired,
    TokenRevoked,
    SlowConsumer,
    RateLimit,
    /// The socket listens to nothing, and has not for a while (specification E, 5).
    NoSubscription,
}

impl Closing {
    /// Every reason.
    pub const ALL: [Self; 13] = [
        Self::Answered,
        Self::Shutdown,
        Self::Silence,
        Self::EventsLost,
        Self::ProtocolError,
        Self::BinaryFrame,
        Self::InvalidText,
        Self::TooLarge,
        Self::TokenExpired,
        Self::TokenRevoked,
        Self::SlowConsumer,
        Self::RateLimit,
        Self::NoSubscription,
    ];

    /// The status code on the wire.
    #[must_use]
    pub const fn code(self) -> u16 {
        match self {
            Self::Answered => 1000,
            Self::Shutdown | Self::Silence | Self::EventsLost => 1001,
            Self::ProtocolError => 1002,
            Self::BinaryFrame => 1003,
            Self::InvalidText => 1007,
            Self::TooLarge => 1009,
            Self::TokenExpired => 4001,
            Self::TokenRevoked => 4002,
            Self::SlowConsumer => 4003,
            Self::RateLimit | Self::NoSubscription => 4008,
        }
    }

    /// The reason in the close frame.
    #[must_use]
    pub const fn reason(self) -> &'static str {
        match self {
            Self::Answered => "",
            Self::Shutdown => "server shutdown",
            Self::Silence => "no sign of life",
            Self::EventsLost => "events were lost, resume",
            Self::ProtocolError => "protocol error",
            Self::BinaryFrame => "binary frames are not accepted",
            Self::InvalidText => "text is not UTF-8",
            Self::TooLarge => "message larger than 64 KiB",
            Self::TokenExpired => "token expired",
            Self::TokenRevoked => "token revoked",
            Self::SlowConsumer => "slow consumer",
            Self::RateLimit => "rate limit",
            Self::NoSubscription => "no subscription",
        }
    }

    /// Whether the client is to connect again by itself, with the credential that it has.
    #[must_use]
    pub const fn reconnects(self) -> bool {
        match self {
            Self::Shutdown | Self::Silence | Self::EventsLost | Self::SlowConsumer => true,
            Self::Answered
            | Self::ProtocolError
            | Self::BinaryFrame
            | Self::InvalidText
            | Self::TooLarge
            | Self::TokenExpired
            | Self::TokenRevoked
            | Self::RateLimit
            | Self::NoSubscription => false,
        }
    }

    /// What the client does next.
    #[must_use]
    pub const fn advice(self) -> &'static str {
        match self {
            Self::Answered => "The client has closed the connection.",
            Self::Shutdown | Self::Silence | Self::SlowConsumer => {
                "Connect again after a jittered pause of 1 to 30 seconds and resume with `after`."
            }
            Self::EventsLost => {
                "Connect again after a jittered pause and resume with `after`: events are missing."
            }
            Self::ProtocolError | Self::BinaryFrame | Self::InvalidText | Self::TooLarge => {
                "A mistake of the client, which would meet it again."
            }
            Self::TokenExpired => "Connect again with a new token.",
            Self::TokenRevoked => "The credential is gone; ask for another one.",
            Self::RateLimit => "A mistake of the client: it sent far more than 60 frames in 10 seconds.",
            Self::NoSubscription => "Connect again when there is a channel to subscribe to.",
        }
    }

    /// The close frame.
    #[must_use]
    pub fn frame(self) -> Bytes {
        let mut frame = BytesMut::new();
        let description = Some(self.reason().to_owned()).filter(|reason| !reason.is_empty());
        let reason = CloseReason { code: CloseCode::from(self.code()), description };
        Parser::write_close(&mut frame, Some(reason), false);
        frame.freeze()
    }
}
