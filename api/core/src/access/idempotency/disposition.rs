//! Meaning of a status for the protocols, and the end of a claim that follows from it
//! (reference/conventions.md#answers-that-are-not-kept).

use actix_web::http::StatusCode;

/// Meaning of a status for the protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Disposition {
    /// The answer is stored with the effects.
    Success,
    /// The answer is stored.
    Refusal,
    /// Rights, limits or input may be others at a retry.
    Unstored,
    /// A failure of the server.
    Failure,
}

/// Facts about the effect of an execution under a claim.
#[derive(Debug, Clone, Copy)]
pub(super) struct Effect {
    /// True when an effect was begun that may have happened.
    pub is_begun: bool,
    /// True when a second execution has no second effect.
    pub is_repeatable: bool,
    /// True for a successful answer that reports a failure.
    pub is_withheld: bool,
}

/// End of a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ClaimEnd {
    /// The answer is stored.
    Store,
    /// There was no effect: a retry executes.
    Release,
    /// The effect may be incomplete, and a retry completes it.
    Reopen,
}

impl Disposition {
    /// Meaning of a status.
    pub fn of(status: StatusCode) -> Self {
        if status.is_server_error() {
            Self::Failure
        } else if matches!(status.as_u16(), 400 | 401 | 403 | 408 | 415 | 422 | 429) {
            Self::Unstored
        } else if status.is_client_error() {
            Self::Refusal
        } else {
            Self::Success
        }
    }

    /// End of the claim of an execution that ended so. Once an effect may have happened, every answer is final, whatever
    /// its status: only an operation whose repetition has no second effect is executed again.
    pub const fn claim_end(self, effect: Effect) -> ClaimEnd {
        let Effect { is_begun, is_repeatable, is_withheld } = effect;
        match self {
            Self::Success if is_withheld && !is_begun => ClaimEnd::Release,
            Self::Unstored | Self::Failure if !is_begun => ClaimEnd::Release,
            // The corrected request may have another body, so that it cannot take the claim over.
            Self::Unstored if is_repeatable => ClaimEnd::Release,
            // The refusal may report an unknown outcome.
            Self::Refusal | Self::Failure if is_begun && is_repeatable => ClaimEnd::Reopen,
            Self::Success | Self::Refusal | Self::Unstored | Self::Failure => ClaimEnd::Store,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn disposition_of_rights_limits_and_input_stores_nothing() {
        let of = |status| Disposition::of(StatusCode::from_u16(status).unwrap());
        for status in [400, 401, 403, 408, 415, 422, 429] {
            assert_eq!(of(status), Disposition::Unstored, "{status}");
        }
        for (status, disposition) in [
            (200, Disposition::Success),
            (201, Disposition::Success),
            (204, Disposition::Success),
            (404, Disposition::Refusal),
            (409, Disposition::Refusal),
            (410, Disposition::Refusal),
            (500, Disposition::Failure),
            (503, Disposition::Failure),
        ] {
            assert_eq!(of(status), disposition, "{status}");
        }
    }

    #[test]
    fn claim_end_is_final_once_an_effect_was_begun() {
        use ClaimEnd::{Release, Reopen, Store};
        use Disposition::{Failure, Refusal, Success, Unstored};

        for (disposition, without, final_one, repeatable) in [
            (Success, Store, Store, Store),
            (Refusal, Store, Store, Reopen),
            (Unstored, Release, Store, Release),
            (Failure, Release, Store, Reopen),
        ] {
            let end = |is_begun, is_repeatable| {
                disposition.claim_end(Effect { is_begun, is_repeatable, is_withheld: false })
            };
            for is_repeatable in [false, true] {
                assert_eq!(end(false, is_repeatable), without, "{disposition:?}");
            }
            assert_eq!((end(true, false), end(true, true)), (final_one, repeatable), "{disposition:?}");
        }
        let withheld = |is_begun| Effect { is_begun, is_repeatable: false, is_withheld: true };
        assert_eq!(Success.claim_end(withheld(false)), Release);
        assert_eq!(Success.claim_end(withheld(true)), Store);
    }
}
