//! Steps of an automation: its graph, a dry run, and a raid that starts a run.

use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use reqwest::Method;
use serde_json::{Value, json};

use crate::{
    api::{fields, text},
    steps::{count_sent, result, wait_for},
    surfaces::Scene,
};

/// Labels of the nodes. The place in the list is the end of a node's id.
const LABELS: [&str; 5] = ["raid", "delay", "a crowd?", "greet a crowd", "greet friends"];
/// Edges between the nodes: source, handle and target.
const EDGES: [(usize, &str, usize); 4] = [(0, "out", 1), (1, "out", 2), (2, "true", 3), (2, "false", 4)];
const DELAY: Duration = Duration::from_secs(1);
/// Viewers from which a raid is a crowd.
const CROWD: u32 = 100;
const RAIDERS: u32 = 120;
const FRIENDS: u32 = 4;

/// Creates an automation, tries it without an effect, and lets a raid start it.
///
/// # Errors
/// A failure of a call, or a run with other steps than those of the graph.
pub async fn show(scene: &Scene<'_>) -> Result<()> {
    let path = scene.create_automation().await?;
    scene.try_automation(&path).await?;
    scene.enable_automation(&path).await?;
    scene.raid_with_automation().await?;
    scene.review_automation(&path).await
}

impl Scene<'_> {
    /// Creates an automation and saves its graph; returns its path.
    async fn create_automation(&self) -> Result<String> {
        let owner = &self.creator.api;
        let made = owner.post("/v1/automations", json!({ "name": format!("Raids {}", self.run) })).await?;
        let made = &made["data"];
        result("POST /v1/automations", &fields(made, &["name", "enabled", "version"]));
        let path = format!("/v1/automations/{}", text(made, "/id")?);
        let saved = owner.call(Method::PUT, &format!("{path}/graph"), Some(graph(&made["version"]))).await?;
        let labels = saved["data"]["nodes"].as_array().context("a list of nodes")?;
        let labels: Vec<_> = labels.iter().map(|node| &node["label"]).collect();
        result(
            "PUT /v1/automations/{id}/graph",
            &json!({ "nodes": labels, "version": saved["data"]["version"] }),
        );
        Ok(path)
    }

    /// Runs the disabled automation with a small raid that did not happen.
    async fn try_automation(&self, path: &str) -> Result<()> {
        let event = json!({ "event_type": "twitch:raid", "platform": "twitch",
                            "data": { "from_broadcaster_name": "a_friend", "viewer_count": FRIENDS } });
        let run = self.creator.api.post(&format!("{path}/dry-run"), json!({ "event": event })).await?;
        let run = &run["data"];
        result("POST /v1/automations/{id}/dry-run", &run["status"]);
        show_steps(run, &["status", "branch", "effect"], &[1, 2, 4])?;
        let greeting = format!("a_friend and {FRIENDS} friends are here");
        ensure!(
            run["steps"][2]["effect"]["arguments"]["message"] == greeting,
            "the dry run would not send `{greeting}`"
        );
        let sent = count_sent(self.stand_in, "twitch", &greeting).await?;
        ensure!(sent == 0, "the dry run sent `{greeting}`");
        Ok(())
    }

    async fn enable_automation(&self, path: &str) -> Result<()> {
        let enabled = self.creator.api.call(Method::PATCH, path, Some(json!({ "enabled": true }))).await?;
        result(
            "PATCH /v1/automations/{id}",
            &fields(&enabled["data"], &["enabled", "trigger_types", "version"]),
        );
        Ok(())
    }

    /// Delivers a large raid twice, and waits until the automation greets it once.
    async fn raid_with_automation(&self) -> Result<()> {
        let raider = self.stand_in.create_user("twitch", &format!("admiral_{}", self.run)).await?;
        let raid =
            json!({ "kind": "raid", "from": raider.id, "to": self.creator.twitch.id, "viewers": RAIDERS });
        let delivered = Instant::now();
        let statuses = self.stand_in.twitch(self.receiver, raid, json!({ "copies": 2 })).await?;
        ensure!(statuses.iter().all(|status| *status == 200), "the raid was answered {statuses:?}");
        result("raid, delivered twice", &json!(statuses));

        let greeting = format!("{} brings a crowd of {RAIDERS}", raider.login);
        wait_for(&format!("the greeting `{greeting}`"), async || {
            Ok(count_sent(self.stand_in, "twitch", &greeting).await? > 0)
        })
        .await?;
        let passed = delivered.elapsed();
        ensure!(passed >= DELAY, "the greeting came after {passed:?}, before the end of the delay");
        result("sent to twitch", &json!(greeting));
        let sent = count_sent(self.stand_in, "twitch", &greeting).await?;
        ensure!(sent == 1, "the greeting was sent {sent} times");
        Ok(())
    }

    /// Shows the run that the raid started.
    async fn review_automation(&self, path: &str) -> Result<()> {
        let owner = &self.creator.api;
        let runs = format!("{path}/runs");
        wait_for("the end of the run", async || {
            Ok(owner.get(&runs).await?["data"][0]["status"] == "succeeded")
        })
        .await?;
        let listed = owner.get(&runs).await?;
        ensure!(listed["_meta"]["total"] == 1, "the raid started {} runs", listed["_meta"]["total"]);
        let run = owner.get(&format!("/v1/automation/runs/{}", text(&listed, "/data/0/id")?)).await?;
        let run = &run["data"];
        result(
            "GET /v1/automation/runs/{run_id}",
            &json!({ "status": run["status"], "trigger": run["trigger"]["type"], "steps": run["step_count"] }),
        );
        show_steps(run, &["status", "branch", "output"], &[1, 2, 3])
    }
}

/// The graph: a raid, a pause, and a greeting by the number of viewers.
fn graph(version: &Value) -> Value {
    let greet = |message: &str| json!({ "message": message, "platforms": ["twitch"] });
    let configs = [
        ("event", json!({ "event_types": ["twitch:raid"] })),
        ("delay", json!({ "seconds": DELAY.as_secs() })),
        ("condition", json!({ "left": "{{event.viewer_count}}", "op": "gte", "right": CROWD })),
        ("send_chat", greet("{{event.from_broadcaster_name}} brings a crowd of {{event.viewer_count}}")),
        ("send_chat", greet("{{event.from_broadcaster_name}} and {{event.viewer_count}} friends are here")),
    ];
    let nodes: Vec<_> = (0..)
        .zip(configs)
        .zip(LABELS)
        .map(|((at, (kind, config)), label)| json!({ "id": node_id(at), "type": kind, "label": label, "config": config }))
        .collect();
    let edges: Vec<_> = (100..)
        .zip(EDGES)
        .map(|(id, (source, handle, target))| {
            json!({ "id": node_id(id), "source_node_id": node_id(source), "source_handle": handle,
                    "target_node_id": node_id(target) })
        })
        .collect();
    json!({ "version": version, "nodes": nodes, "edges": edges })
}

/// An id that the client chooses; it has to differ within the graph only.
fn node_id(number: usize) -> String {
    format!("00000000-0000-7000-8000-{number:012}")
}

/// Shows the steps of a run, which have to be those of the given nodes in their order.
fn show_steps(run: &Value, names: &[&str], nodes: &[usize]) -> Result<()> {
    let steps = run["steps"].as_array().with_context(|| format!("no steps in {run}"))?;
    let took: Vec<_> = steps.iter().map(|step| &step["node_id"]).collect();
    let expected: Vec<_> = nodes.iter().map(|node| node_id(*node)).collect();
    ensure!(json!(took) == json!(expected), "the steps are {run}");
    for (step, node) in steps.iter().zip(nodes) {
        ensure!(step["status"] == "succeeded", "the step failed: {step}");
        result(&format!("step `{}`", LABELS[*node]), &fields(step, names));
    }
    Ok(())
}
