//! Made-up outcomes of the steps of a dry run.

use std::{
    collections::HashMap,
    time::{Duration, Instant},
};

use account_model::features::of_event;
use api_core::{ApiError, Result, access::AccountFeatures, graphql::Json};
use automation_model::{
    machine::{Effect, Ending, Machine, Outcome, Step, Work},
    node_types::{self, domain_features},
};
use live_model::EventType;
use serde_json::{Value, json};
use shared::platform::Platform;
use uuid::Uuid;

use super::{AutomationDryRun, AutomationDryRunStatus, AutomationDryRunStep, AutomationEffect};
use crate::runs::AutomationStepStatus;

/// Maximum number of steps of a dry run (reference/automations.md#dry-run).
const MAX_DRY_RUN_STEPS: usize = 1000;
/// Maximum size of the values that a dry run returns together, in bytes of JSON
/// (reference/automations.md#dry-run).
const MAX_DRY_RUN_BYTES: usize = 4 * 1024 * 1024;
/// Maximum time of a dry run (reference/automations.md#dry-run).
const MAX_DRY_RUN_TIME: Duration = Duration::from_secs(2);
/// Maximum size of a value of a step, in bytes of JSON (reference/automations.md#dry-run).
const MAX_EXCERPT_BYTES: usize = 16 * 1024;

/// Plays a run to its end.
///
/// # Errors
/// 400 for a run that is too long.
pub(super) fn play(mut machine: Machine, features: &AccountFeatures) -> Result<AutomationDryRun> {
    let (begin, mut steps, mut bytes) = (Instant::now(), Vec::new(), 0);
    let mut cooldowns = Cooldowns::default();
    while let Some(step) = machine.next() {
        let outcome = outcome(&step, features, &mut cooldowns);
        let reported = report(step, &outcome, &mut bytes)?;
        steps.push(reported);
        if steps.len() > MAX_DRY_RUN_STEPS || bytes > MAX_DRY_RUN_BYTES || begin.elapsed() > MAX_DRY_RUN_TIME
        {
            return Err(ApiError::bad_request("The dry run is too long"));
        }
        machine.conclude(outcome);
    }
    let status = match machine.ending() {
        Ending::Succeeded => AutomationDryRunStatus::Succeeded,
        Ending::Failed { .. } => AutomationDryRunStatus::Failed,
    };
    Ok(AutomationDryRun { status, steps })
}

fn outcome(step: &Step, features: &AccountFeatures, cooldowns: &mut Cooldowns) -> Outcome {
    match &step.work {
        Work::Decided(outcome) => outcome.clone(),
        Work::Random { branches } => heaviest(branches),
        Work::Cooldown { global_secs, user_secs, user } => {
            let user_secs = user.as_ref().map_or(0, |_| *user_secs);
            cooldowns.claim(step.node_id, [*global_secs, user_secs])
        }
        Work::Delay { seconds } => {
            cooldowns.now += u64::from(*seconds);
            Outcome::succeeded(json!({ "seconds": seconds }))
        }
        Work::Effect(effect) => of_effect(effect, features),
    }
}

/// Cooldowns that the steps of a dry run have claimed. None runs at its begin.
#[derive(Default)]
struct Cooldowns {
    /// Seconds of the delays so far.
    now: u64,
    /// Ends of the cooldowns of a node, for everybody and for the person of the run.
    ends: HashMap<Uuid, [u64; 2]>,
}

impl Cooldowns {
    /// Claims the cooldowns of a node, as a run does; the branch is `false` while one of them runs.
    fn claim(&mut self, node: Uuid, seconds: [u32; 2]) -> Outcome {
        let now = self.now;
        let ends = self.ends.entry(node).or_default();
        if seconds.iter().zip(ends.iter()).any(|(seconds, end)| *seconds > 0 && *end > now) {
            return Outcome::branched(json!({ "passed": false }), "false");
        }
        for (seconds, end) in seconds.into_iter().zip(ends.iter_mut()).filter(|(seconds, _)| *seconds > 0) {
            *end = now + u64::from(seconds);
        }
        Outcome::succeeded(json!({ "passed": true }))
    }
}

/// First branch of the highest weight.
fn heaviest(branches: &[(String, u32)]) -> Outcome {
    let highest = branches.iter().map(|(_, weight)| *weight).max();
    let first = branches.iter().find(|(_, weight)| Some(*weight) == highest);
    first.map_or_else(
        || Outcome::failed("The node has no branches"),
        |(name, _)| Outcome::branched(json!({ "branch": name }), name.clone()),
    )
}

/// Success with a sample of the output. An action without one of its features fails, as in a run.
fn of_effect(effect: &Effect, features: &AccountFeatures) -> Outcome {
    match needed(effect).into_iter().find(|key| !features.is_on(key)) {
        Some(key) => Outcome::failed(format!("FEATURE_DISABLED: {key}")),
        None => Outcome::succeeded(sample(effect)),
    }
}

/// Keys of the features that an action needs, in the order in which a run checks them.
fn needed(effect: &Effect) -> Vec<String> {
    let own = node_types::find(effect.r#type).and_then(|node_type| node_type.feature);
    let of_domain = domain_features(effect.r#type).iter().map(|feature| feature.key());
    let emitted = effect.arguments.get("event_type").filter(|_| effect.r#type == "emit_event");
    let emitted = emitted.and_then(Value::as_str).and_then(EventType::find);
    let of_emitted = emitted.map(|event_type| of_event(event_type.name));
    own.into_iter().chain(of_domain).map(str::to_owned).chain(of_emitted).collect()
}

/// Output of a success, where it follows from the arguments; null where only the effect knows it.
fn sample(effect: &Effect) -> Value {
    let argument = |name: &str| effect.arguments.get(name).cloned().unwrap_or_default();
    match effect.r#type {
        "http_request" => json!({ "status": 200, "body": null }),
        "delete_message" | "timeout_user" | "ban_user" => json!({ "platform": argument("platform") }),
        "play_sound" => json!({ "sound_id": argument("sound_id") }),
        "toggle_layer" if argument("visible").is_boolean() => json!({ "visible": argument("visible") }),
        "set_stream_title" => changed_on(&argument("platforms")),
        "stop_sound" | "spotify_play" | "spotify_pause" | "spotify_skip" | "spotify_queue" => json!({}),
        _ => Value::Null,
    }
}

/// Output of a title that every named platform takes. Without names it depends on the account's connections, and other
/// platforms take none.
fn changed_on(platforms: &Value) -> Value {
    let platforms = platforms.as_array().map(Vec::as_slice).unwrap_or_default();
    let take_titles =
        platforms.iter().all(|platform| Platform::WITH_TITLE.iter().any(|known| *platform == known.slug()));
    if platforms.is_empty() || !take_titles {
        return Value::Null;
    }
    let changed: Vec<Value> = platforms.iter().map(|platform| json!({ "platform": platform })).collect();
    json!({ "changed": changed, "failed": [] })
}

fn report(step: Step, outcome: &Outcome, bytes: &mut usize) -> Result<AutomationDryRunStep> {
    let effect = match step.work {
        Work::Effect(effect) => Some(AutomationEffect {
            effect_type: effect.r#type.to_owned(),
            arguments: excerpt(effect.arguments, bytes),
        }),
        _ => None,
    };
    let output = Some(outcome.output.clone()).filter(|output| !output.is_null());
    let status = AutomationStepStatus::parse(outcome.status.as_str())
        .ok_or_else(|| ApiError::internal("the status of a step is unknown"))?;
    Ok(AutomationDryRunStep {
        node_id: step.node_id,
        status,
        input: excerpt(step.input, bytes),
        output: output.map(|output| excerpt(output, bytes)),
        branch: outcome.branch.clone(),
        effect,
        error: outcome.error.clone(),
    })
}

/// Value as it is, or `{ truncated, text }` with the beginning of its JSON. Counts its bytes.
fn excerpt(value: Value, bytes: &mut usize) -> Json {
    let text = value.to_string();
    *bytes += text.len().min(MAX_EXCERPT_BYTES);
    if text.len() <= MAX_EXCERPT_BYTES {
        return Json(value);
    }
    let end = text.floor_char_boundary(MAX_EXCERPT_BYTES / 2);
    Json(json!({ "truncated": true, "text": &text[..end] }))
}

#[cfg(test)]
mod tests {
    use automation_model::node_types::{Kind, NODE_TYPES};

    use super::*;

    #[test]
    fn sample_of_an_output_is_null_where_only_the_effect_knows_it() {
        let id = Uuid::nil();
        let arguments = json!({
            "platform": "kick", "sound_id": id, "visible": false, "platforms": ["kick", "twitch"],
        });
        let of =
            |r#type: &'static str, arguments: Value| sample(&Effect { r#type, install_id: None, arguments });
        for (name, output) in [
            ("http_request", json!({ "status": 200, "body": null })),
            ("ban_user", json!({ "platform": "kick" })),
            ("play_sound", json!({ "sound_id": id })),
            ("toggle_layer", json!({ "visible": false })),
            (
                "set_stream_title",
                json!({ "changed": [{ "platform": "kick" }, { "platform": "twitch" }], "failed": [] }),
            ),
            ("spotify_skip", json!({})),
        ] {
            assert_eq!(of(name, arguments.clone()), output, "{name}");
        }
        assert_eq!(of("toggle_layer", json!({ "visible": "toggle" })), Value::Null);
        for unknown in [json!({ "title": "a" }), json!({ "title": "a", "platforms": ["twitch", "youtube"] })]
        {
            assert_eq!(of("set_stream_title", unknown), Value::Null);
        }
        let actions = NODE_TYPES.iter().filter(|known| known.kind == Kind::Action);
        let unknown = actions.filter(|action| of(action.name, arguments.clone()).is_null());
        let unknown: Vec<&str> = unknown.map(|action| action.name).collect();
        let expected = [
            "send_chat",
            "show_alert",
            "emit_event",
            "obs_set_scene",
            "obs_set_source",
            "create_clip",
            "discord_message",
            "notify_members",
            "run_automation",
            "extension",
        ];
        assert_eq!(unknown, expected);
    }

    #[test]
    fn needed_features_are_those_of_the_action_its_domain_and_its_event() {
        let of = |r#type: &'static str, event_type: &str| {
            needed(&Effect { r#type, install_id: None, arguments: json!({ "event_type": event_type }) })
        };
        assert_eq!(
            of("obs_set_scene", "twitch:raid"),
            ["automation:obs_set_scene", "integration:obs_websocket", "feature:obs_remote"]
        );
        let emit = ["automation:emit_event", "feature:events", "event:twitch:raid"];
        assert_eq!(of("emit_event", "twitch:raid"), emit);
        for without_flag in ["custom:raid", "unknown"] {
            assert_eq!(of("emit_event", without_flag), emit[..2], "{without_flag}");
        }
        assert_eq!(of("http_request", ""), ["automation:http_request"]);
    }

    #[test]
    fn cooldowns_run_until_the_delays_have_passed_them() {
        let (mut cooldowns, node) = (Cooldowns::default(), Uuid::from_u128(1));
        let mut passes = |now: u64, node: Uuid, seconds: [u32; 2]| {
            cooldowns.now = now;
            cooldowns.claim(node, seconds).branch.is_none()
        };
        assert!(passes(0, node, [60, 0]));
        assert!(!passes(59, node, [60, 0]));
        assert!(passes(59, Uuid::from_u128(2), [0, 60]), "nodes have cooldowns of their own");
        assert!(passes(60, node, [60, 0]));
        assert!(passes(60, node, [0, 0]), "without seconds nothing runs");
    }
}
