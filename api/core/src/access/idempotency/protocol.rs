//! Protocols by which a repeated request has one effect (reference/conventions.md#idempotency).

use chrono::TimeDelta;

/// Time after which a claim without an answer counts as lost, in seconds.
pub(crate) const MAX_RUN_SECS: i64 = 120;

/// Protocol for requests of an operation with an `Idempotency-Key`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Idempotency {
    /// Every effect is in the primary database: it is committed with the stored answer.
    Transaction,
    /// Effects are elsewhere: the key is claimed before them, and the answer is stored after them.
    Claim {
        /// True when a second execution has no second effect: a retry takes over a lost claim.
        repeatable: bool,
        /// Time after which a claim without an answer counts as lost, in seconds.
        max_seconds: i64,
    },
    /// As a claim that is not repeatable, of an operation that claims with [`Cx::claim`](super::super::Cx::claim) once
    /// it has read a form.
    LateClaim,
    /// The key is ignored, for a published reason.
    Exempt(&'static str),
}

/// Form in which the answer of an operation is stored for its repetition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answer {
    /// The answer is stored.
    Kept,
    /// The answer may hold a credential: only its status is stored.
    Secret,
    /// The answer holds what its table keeps sealed: it is stored sealed.
    Sealed,
}

impl Idempotency {
    /// Name in the published rule.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Transaction => "transaction",
            Self::Claim { .. } | Self::LateClaim => "claim",
            Self::Exempt(_) => "exempt",
        }
    }

    /// Reason of an exempt operation.
    #[must_use]
    pub const fn reason(self) -> Option<&'static str> {
        match self {
            Self::Exempt(reason) => Some(reason),
            Self::Transaction | Self::Claim { .. } | Self::LateClaim => None,
        }
    }

    /// True when a retry executes a lost request again.
    #[must_use]
    pub const fn is_repeatable(self) -> bool {
        matches!(self, Self::Claim { repeatable: true, .. })
    }

    /// Time after which a claim without an answer counts as lost.
    pub(super) const fn max_run(self) -> TimeDelta {
        match self {
            Self::Claim { max_seconds, .. } => TimeDelta::seconds(max_seconds),
            Self::Transaction | Self::LateClaim | Self::Exempt(_) => TimeDelta::seconds(MAX_RUN_SECS),
        }
    }
}

impl Answer {
    /// Name in the published rule.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Kept => "kept",
            Self::Secret => "secret",
            Self::Sealed => "sealed",
        }
    }
}
