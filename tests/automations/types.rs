//! Types of nodes and the tests that show what each does (reference/automations.md#nodes).

use std::collections::BTreeSet;

use automation_model::node_types::{Kind, NODE_TYPES};

/// Tests of triggers, each of which reads the run that was started, and of logic, each of which reads the steps or the
/// outcome of a run: the type, the test and its file. `effects` lists those of actions.
const TESTS: [(Kind, &str, &str, &str); 18] = [
    (Kind::Trigger, "event", "starts_by_events_match_type_platform_and_filters_once", EVENTS),
    (Kind::Trigger, "chat_command", "starts_by_commands_match_prefix_name_and_platform", CHAT),
    (Kind::Trigger, "chat_keyword", "starts_by_keywords_match_words_or_parts_of_them", CHAT),
    (
        Kind::Trigger,
        "reward_redeemed",
        "starts_by_redemptions_match_the_reward_and_ignore_its_status",
        REWARDS,
    ),
    (
        Kind::Trigger,
        "schedule",
        "schedule_in_the_time_zone_of_the_account_runs_once_at_each_change_of_the_clock",
        SCHEDULES,
    ),
    (Kind::Trigger, "stream_online", "starts_by_broadcasts_follow_begin_and_end_of_their_platforms", EVENTS),
    (Kind::Trigger, "stream_offline", "starts_by_broadcasts_follow_begin_and_end_of_their_platforms", EVENTS),
    (Kind::Trigger, "manual", "execute_automation_queues_a_run_of_the_trigger", RUNS),
    (
        Kind::Trigger,
        "bot_command",
        "internal_reply_to_command_starts_at_the_trigger_of_the_command",
        COMMANDS,
    ),
    (Kind::Trigger, "extension", "automation_triggers_of_both_modes_fire_by_polls_and_webhooks", EXTENSIONS),
    (Kind::Logic, "condition", "order_of_steps_follows_the_edges_and_branches", ORDER),
    (Kind::Logic, "switch", BRANCHES, LOGIC),
    (Kind::Logic, "delay", "delay_survives_a_restart_and_repeats_nothing", DELAYS),
    (Kind::Logic, "random", BRANCHES, LOGIC),
    (Kind::Logic, "cooldown", "limit_of_a_cooldown_holds_for_all_runs_of_the_node", LIMITS),
    (Kind::Logic, "set_variable", "order_of_steps_follows_the_edges_and_branches", ORDER),
    (Kind::Logic, "loop", BRANCHES, LOGIC),
    (Kind::Logic, "extension", "effects_of_extension_nodes_run_in_the_sandbox", NODES),
];

const BRANCHES: &str = "logic_of_switches_random_branches_and_loops_selects_the_effects";
const CHAT: &str = include_str!("starts/chat.rs");
const COMMANDS: &str = include_str!("starts/commands.rs");
const DELAYS: &str = include_str!("engine/delays.rs");
const EVENTS: &str = include_str!("starts/events.rs");
const EXTENSIONS: &str = include_str!("../runtime/automation_triggers/mod.rs");
const LIMITS: &str = include_str!("engine/limits.rs");
const LOGIC: &str = include_str!("engine/logic.rs");
const NODES: &str = include_str!("effects/extensions.rs");
const ORDER: &str = include_str!("engine/order.rs");
const REWARDS: &str = include_str!("starts/rewards.rs");
const RUNS: &str = concat!(include_str!("operations/runs.rs"), include_str!("common.rs"));
const SCHEDULES: &str = include_str!("engine/schedules.rs");

#[test]
fn types_of_triggers_and_logic_have_a_test() {
    let names = |kind: Kind| -> BTreeSet<&str> {
        NODE_TYPES.iter().filter(|known| known.kind == kind).map(|known| known.name).collect()
    };
    for kind in [Kind::Trigger, Kind::Logic] {
        let of_kind = TESTS.iter().filter(|(tested, ..)| *tested == kind);
        let tested: BTreeSet<&str> = of_kind.map(|(_, name, ..)| *name).collect();
        assert_eq!(tested, names(kind), "types with a test (left) and all types (right)");
    }
    for (_, name, test, source) in TESTS {
        assert!(source.contains(&format!("async fn {test}()")), "{test}");
        let mentioned = name == "extension" || source.contains(&format!("\"{name}\""));
        assert!(mentioned, "{test} has no node of the type {name}");
    }
}
