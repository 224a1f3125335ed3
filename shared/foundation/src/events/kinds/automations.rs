//! Events of the channel of automations.

use super::{
    ChannelEvent,
    Shape::{Any, Flag, Id, Number, Text, Time},
    lists::{MAYBE_NUMBER, MAYBE_TEXT, keys},
};

pub(super) const AUTOMATIONS: &[ChannelEvent] = &[
    keys(
        "automation:updated",
        "An automation was `created`, `updated` or `deleted`; `version` is that of its graph.",
        &[("action", Text), ("automation_id", Id), ("version", Number)],
    ),
    keys(
        "automation:run_started",
        "A run began.",
        &[
            ("run_id", Id),
            ("automation_id", Id),
            ("status", Text),
            ("trigger", Any),
            ("is_test", Flag),
            ("started_at", Time),
        ],
    ),
    keys(
        "automation:node_finished",
        "A step of a run ended. The run has its input and output.",
        &[
            ("run_id", Id),
            ("automation_id", Id),
            ("position", Number),
            ("node_id", Id),
            ("status", Text),
            ("branch", MAYBE_TEXT),
            ("error", MAYBE_TEXT),
            ("started_at", Time),
            ("duration_ms", MAYBE_NUMBER),
        ],
    ),
    keys(
        "automation:run_finished",
        "A run ended: it `succeeded`, `failed` or was `cancelled`.",
        &[
            ("run_id", Id),
            ("automation_id", Id),
            ("status", Text),
            ("error", MAYBE_TEXT),
            ("finished_at", Time),
        ],
    ),
];
