//! Codes of error frames and of closings (reference/realtime.md#error-codes).

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
    /// The feature of the channel is off for the account.
    FeatureDisabled,
    /// Bad JSON, unknown type, missing or wrong field.
    InvalidMessage,
    /// Unknown prefix or malformed id.
    InvalidChannel,
    /// Publishing or calling is not allowed there.
    Forbidden,
    /// The socket has the largest number of subscriptions.
    TooManySubscriptions,
    /// Too many frames or calls.
    RateLimitExceeded,
    /// A message is larger than 64 KiB.
    PayloadTooLarge,
    /// The credential has expired; the socket is closed.
    TokenExpired,
    /// The credential was revoked; the socket is closed.
    TokenRevoked,
    /// A failure of the server.
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

    /// Description of the code.
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

    /// Value on the wire.
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

/// Reason why the server closes a socket (reference/realtime.md#close-codes).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Closing {
    /// The client closed the socket.
    Answered,
    /// The process stops.
    Shutdown,
    /// No frame from the client for 75 seconds.
    Silence,
    /// Events of a channel were lost. The client reconnects and resumes, and learns from `recovered` if the
    /// missed events still exist.
    EventsLost,
    /// The frames are not those of RFC 6455.
    ProtocolError,
    /// A binary frame.
    BinaryFrame,
    /// Text that is not UTF-8 (RFC 6455, section 8.1).
    InvalidText,
    /// A message is larger than 64 KiB.
    TooLarge,
    /// The credential has expired.
    TokenExpired,
    /// The credential was revoked.
    TokenRevoked,
    /// The queue of the socket is full, or the client takes a resume too slowly.
    SlowConsumer,
    /// The client goes on sending after many refused frames.
    RateLimit,
    /// The socket has been without a subscription for too long (reference/realtime.md#limits).
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

    /// True when the client is to reconnect by itself with the same credential.
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

    /// Advice for the client.
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
