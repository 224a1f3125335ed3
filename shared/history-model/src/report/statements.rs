//! Statements of a report, for tests of their plans.

pub use super::{
    chatters::CHATTERS,
    events::{EVENTS, MOMENTS},
    head::{BROADCASTS, CHANGES, CLIPS},
    lines::LINES,
    moderation::REMOVALS,
    uses::USES,
    viewers::VIEWERS,
};
