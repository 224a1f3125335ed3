//! Handlers in the sandbox of the machine: `lumio-ext test`, `dev` and `replay`.

use std::path::Path;

use lumio_ext::{
    Outcome,
    dev::{DevOptions, dev},
    replay::replay,
    test::test,
};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::write;

const CODE: &str = r#"
import { query, mutation, action, v } from '@lumio/sdk/server';

export async function quote(ctx) {
  const response = await ctx.fetch('https://api.example.com/quote', { headers: { 'x-key': ctx.secrets.get('key') } });
  const { text } = await response.json();
  return { action: 'send_message', message: `${ctx.config.mark}${text}` };
}

export async function elsewhere(ctx) {
  try { await ctx.fetch('https://other.example.com/'); } catch (error) { ctx.log.warn(error.name, error.message); }
}

export async function unlisted(ctx) {
  await ctx.fetch('https://api.example.com/other').catch(() => {});
}

export function broken(ctx) {
  ctx.log.info('about to fail');
  throw new RangeError('too far');
}

export function spin() { for (;;) {} }

export async function act(ctx) {
  const sent = await ctx.actions.run('chat:send', { message: 'one' });
  ctx.log.info(sent.platform);
  const refused = [];
  for (const [action, payload] of [['chat:ban', { userId: '7' }], ['chat:send', {}], ['chat:nuke', {}]]) {
    try { await ctx.actions.run(action, payload); } catch (error) { refused.push(`${error.name}: ${error.message}`); }
  }
  ctx.log.error(refused.join('; '));
  return [{ action: 'delete' }, { action: 'send_message', message: 'two' }, { action: 'ban', user_id: '7' }];
}

export const top = query({ args: { limit: v.number() }, handler: (ctx, { limit }) =>
  ctx.db.query('scores', { orderBy: 'points', orderDir: 'desc', limit }) });

export const add = mutation(async (ctx, { player, points, fails }) => {
  await ctx.db.insert('scores', { player, points });
  await ctx.push('scores', { player });
  if (fails) throw new Error('undone');
  return 'kept';
});

export const later = action(async (ctx) => {
  ctx.defer(async () => { await ctx.cache.set('done', true); ctx.log.info('deferred'); });
  return await ctx.cache.incr('calls');
});

export async function moderate(ctx, input) {
  return input.message.text.includes('spam') ? { action: 'timeout', duration_secs: 60 } : null;
}

export async function welcome(ctx, input) {
  await ctx.db.set('user', 'name', ctx.user.displayName);
  return { action: 'send_message', message: `${input.event.event_type} ${input.event.amount}` };
}

export async function tick(ctx, input) { return { action: 'send_message', message: `${input.name} ${input.run}` }; }

export async function poll(ctx, input) {
  const state = (input.state ?? 0) + input.config.step;
  return { fired: true, output: { state, at: new Date().toISOString() }, state };
}
"#;

fn manifest() -> Value {
    let command = |name: &str| json!({ "name": name, "handler": name });
    let commands: Vec<_> =
        ["quote", "elsewhere", "unlisted", "broken", "spin", "act"].into_iter().map(command).collect();
    json!({
        "name": "Everything", "description": "Uses every member of ctx.", "category": "bot_module", "version": "1.0.0",
        "server": true, "permissions": ["chat:read", "chat:send", "chat:delete", "events:read"],
        "egress": { "allowHosts": ["api.example.com"] },
        "config_schema": { "mark": { "type": "string", "label": "Mark", "default": "> " } },
        "tables": { "scores": { "columns": { "player": "string", "points": "number" } } },
        "functions": {
            "top": { "kind": "query" }, "add": { "kind": "mutation" }, "later": { "kind": "action" },
            "best": { "kind": "query", "declarative": { "operation": "queryRows", "table": "scores", "filter": { "player": { "arg": "player" } } } },
        },
        "bot_module": {
            "commands": commands, "moderate": "moderate",
            "events": [{ "event_type": "twitch:cheer", "handler": "welcome" }],
            "timers": [{ "name": "tip", "interval_secs": 60, "handler": "tick" }],
        },
        "automation_node": { "node_type": "trigger", "name": "Poll", "trigger_mode": "polling",
                             "poll_interval_seconds": 30, "handler": "poll" },
    })
}

fn made() -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    write(dir.path(), &[("lumio.config.json", &format!("{:#}", manifest())), ("server.js", CODE)]);
    dir
}

/// Runs one fixture; returns the outcome and what was printed.
async fn ran(dir: &Path, fixture: Value) -> (Outcome, String) {
    std::fs::remove_dir_all(dir.join("fixtures")).ok();
    write(dir, &[("fixtures/one.json", &fixture.to_string())]);
    let mut out = Vec::new();
    let outcome = test(dir, Some(&dir.join(".recordings")), &mut out).await.unwrap();
    (outcome, String::from_utf8(out).unwrap())
}

#[tokio::test]
async fn local_fixtures_see_the_effects_results_logs_and_storage_of_handlers() {
    let dir = made();
    let answer =
        json!([{ "url": "https://api.example.com/quote", "response": { "body": { "text": "Stay" } } }]);
    let rows = json!([{ "player": "ada", "points": 2 }, { "player": "bob", "points": 5 }]);
    let sends = |message: &str| json!([{ "action": "chat:send", "payload": { "message": message } }]);
    for (name, fixture) in [
        (
            "fetch, settings and secrets",
            json!({
                "command": "quote", "config": { "mark": "~ " }, "secrets": { "key": "k" }, "fetch": answer,
                "expect": { "effects": sends("~ Stay") },
            }),
        ),
        (
            "the gate",
            json!({ "command": "elsewhere", "expect": { "logs": [{ "level": "warn", "message":
            "EgressError ctx.fetch: https://other.example.com is not in egress.allowHosts and allowPorts of the manifest" }] } }),
        ),
        (
            "a failure",
            json!({ "command": "broken", "expect": {
            "logs": ["about to fail"], "failure": { "code": "HANDLER_ERROR", "name": "RangeError", "message": "too far" } } }),
        ),
        (
            "the time of a command",
            json!({ "command": "spin", "expect": { "failure": { "code": "TIMEOUT" } } }),
        ),
        (
            "actions",
            json!({ "command": { "text": "act", "platform": "kick" }, "expect": {
            "effects": [
                { "action": "chat:send", "payload": { "message": "one", "platform": "kick" } },
                { "action": "chat:delete", "payload": { "messageId": "message-1" } },
                { "action": "chat:send", "payload": { "message": "two" } },
            ],
            "refused": [{ "code": "PERMISSION_ERROR",
                "message": "chat:ban: chat:ban needs the permission chat:ban, which the install does not have" }],
            "logs": ["kick", "PermissionError: ctx.actions.run: chat:ban needs the permission chat:ban, which the install does \
not have; TypeError: ctx.actions.run: Missing field: message; TypeError: ctx.actions.run: action must be one of chat:send, \
chat:delete, chat:ban, chat:unban, chat:timeout, events:emit, obs:set_scene, obs:set_source_visible, obs:start_stream, \
obs:stop_stream, overlay:update_layer"],
        } }),
        ),
        (
            "moderation before commands",
            json!({ "message": "!quote spam", "expect": {
            "effects": [], "refused": [{ "code": "PERMISSION_ERROR" }], "result": { "action": "timeout" } } }),
        ),
        (
            "a query with arguments",
            json!({ "function": { "name": "top", "args": { "limit": 1 } }, "store": { "tables": { "scores": rows } },
            "expect": { "result": [{ "player": "bob", "points": 5 }] } }),
        ),
        (
            "wrong arguments",
            json!({ "function": { "name": "top", "args": { "limit": "one" } },
            "expect": { "failure": { "code": "INVALID_ARGUMENTS" } } }),
        ),
        (
            "a declarative function",
            json!({ "function": { "name": "best", "args": { "player": "ada" } }, "store": { "tables": { "scores": rows } },
            "expect": { "result": [{ "points": 2 }] } }),
        ),
        (
            "a mutation",
            json!({ "function": { "name": "add", "args": { "player": "cyd", "points": 1 } },
            "expect": { "effects": [{ "push": "scores", "payload": { "player": "cyd" } }], "result": "kept",
                        "store": { "tables": { "scores": [{ "player": "cyd" }] } } } }),
        ),
        (
            "a mutation that fails",
            json!({ "function": { "name": "add", "args": { "player": "cyd", "points": 1, "fails": true } },
            "store": { "tables": { "scores": rows } },
            "expect": { "failure": { "message": "undone" }, "store": { "tables": { "scores": rows } } } }),
        ),
        (
            "deferred functions",
            json!({ "function": { "name": "later" }, "expect": { "result": 1, "logs": ["deferred"] } }),
        ),
        (
            "an event",
            json!({ "event": { "type": "twitch:cheer", "data": { "user_id": "7", "user_name": "Ada", "bits": 100 } },
            "expect": { "effects": sends("twitch:cheer 100"), "store": { "values": { "user": { "name": "Ada" } } } } }),
        ),
        ("a timer", json!({ "timer": { "name": "tip", "run": 4 }, "expect": { "effects": sends("tip 4") } })),
        (
            "a trigger node",
            json!({ "node": { "source": "poll", "state": 3, "config": { "step": 2 } }, "now": "2031-02-03T04:05:06Z",
            "expect": { "result": { "fired": true, "output": { "state": 5, "at": "2031-02-03T04:05:06.000Z" } } } }),
        ),
    ] {
        let (outcome, text) = ran(dir.path(), fixture).await;
        assert_eq!(outcome, Outcome::Good, "{name}: {text}");
    }
}

#[tokio::test]
async fn local_fixtures_fail_for_everything_that_is_not_expected() {
    let dir = made();
    for (fixture, problem) in [
        (json!({ "timer": { "name": "tip" }, "expect": {} }), "effects: expected [], found [{"),
        (json!({ "command": "broken", "expect": {} }), "broken failed: HANDLER_ERROR RangeError: too far"),
        (
            json!({ "command": "unlisted", "expect": {} }),
            "fetch: no answer is given for GET https://api.example.com/other",
        ),
        (
            json!({ "command": "elsewhere", "expect": { "failure": {} } }),
            "failure: expected {}, found nothing",
        ),
        (json!({ "timer": { "name": "tap" }, "expect": {} }), "lumio.config.json declares no timer `tap`"),
        (
            json!({ "function": { "name": "tap" }, "expect": {} }),
            "lumio.config.json declares no function `tap`",
        ),
        (
            json!({ "command": "quote", "config": { "marks": 1 }, "expect": {} }),
            "config.marks is not a setting of this extension",
        ),
        (
            json!({ "command": "quote", "store": { "tables": { "score": [{}] } }, "expect": {} }),
            "there is no table score",
        ),
        (json!({ "event": "twitch:folower", "expect": {} }), "Unknown event type: twitch:folower"),
    ] {
        let (outcome, text) = ran(dir.path(), fixture).await;
        assert_eq!(outcome, Outcome::Bad, "{text}");
        assert!(text.contains(problem) && text.contains("0 passed, 1 failed"), "{problem}: {text}");
    }
    // The failed run was recorded; it ends the same until the code changes.
    let recording = dir.path().join(".recordings/one-broken.json");
    let mut out = Vec::new();
    assert_eq!(replay(&recording, dir.path(), &mut out).await.unwrap(), Outcome::Good);
    let text = String::from_utf8(out).unwrap();
    assert!(
        text.contains("now       HANDLER_ERROR RangeError: too far") && text.contains("about to fail"),
        "{text}"
    );
    write(dir.path(), &[("server.js", &CODE.replace("throw new RangeError('too far');", "return null;"))]);
    assert_eq!(replay(&recording, dir.path(), &mut Vec::new()).await.unwrap(), Outcome::Bad);
}

#[tokio::test]
async fn local_dev_runs_the_events_of_a_file_and_keeps_the_storage_between_them() {
    let dir = made();
    let events = [
        r#"{ "function": { "name": "add", "args": { "player": "ada", "points": 3 } } }"#,
        r#"{ "function": { "name": "top", "args": { "limit": 5 } } }"#,
        "hello, plain text",
        r#"{ "type": "event", "channel": "events:a", "event_type": "event:test", "id": "00000000-0000-0000-0000-000000000001",
            "timestamp": "2030-01-01T00:00:00Z", "data": "#,
    ];
    let event = json!({
        "id": "00000000-0000-0000-0000-000000000001", "account_id": "00000000-0000-0000-0000-00000000000a",
        "event_type": "twitch:cheer", "platform": "twitch", "platform_user_id": "7", "username": "ada", "display_name": "Ada",
        "avatar_url": null, "amount": 5, "currency": "bits", "message": null, "data": {}, "is_test": true,
        "occurred_at": "2030-01-01T00:00:00Z",
    });
    let recorded = format!("{}{event} }}", events[3].replace('\n', " "));
    let file = dir.path().join(".events");
    std::fs::write(
        &file,
        [events[0], events[1], events[2], &recorded, "{ \"timer\": { \"name\": \"tap\" } }"].join("\n"),
    )
    .unwrap();
    let options = DevOptions { events: Some(file), once: true, seed: 1, ..DevOptions::default() };
    let mut out = Vec::new();
    let outcome = dev(dir.path(), &options, &mut out).await.unwrap();
    let text = String::from_utf8(out).unwrap();
    for part in [
        "loaded Everything 1.0.0",
        "effect  {\"push\":\"scores\"",
        "\"player\":\"ada\"",
        "moderate (moderate)",
        "\"message\":\"twitch:cheer 5\"",
        "lumio.config.json declares no timer `tap`",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert_eq!(outcome, Outcome::Bad, "an event that nothing is declared for");
    write(dir.path(), &[("server.js", "export const quote = 1")]);
    let mut out = Vec::new();
    assert_eq!(dev(dir.path(), &options, &mut out).await.unwrap(), Outcome::Bad);
    assert!(String::from_utf8(out).unwrap().contains("is not exported by server.js"));
}
