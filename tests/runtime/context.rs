//! Other parts of `ctx`: cache, pushes, host actions, deferred functions (reference/handlers.md#ctx).

use platforms_stand_in::{Failure, Platform};
use serde_json::{Value, json};

use super::{
    functions::call,
    stage::{Module, Stage},
};

fn actions(code: &str) -> Module {
    Module::with_functions(json!({ "run": { "kind": "action", "handler": "run" } }), code)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn context_cache_keeps_counts_and_expires() {
    let stage = Stage::start().await;
    let (ada, bob) = (stage.streamer().await, stage.streamer().await);
    let code = "
        export const run = async ({ cache }) => {
            const first = await cache.get('k');
            await cache.set('k', { n: 1 }, 60);
            await cache.set('short', 1, 1);
            const counts = [await cache.incr('c'), await cache.incr('c', 5), await cache.incr('c', -2, 60)];
            const gone = [await cache.delete('k'), await cache.delete('k')];
            await new Promise((resolve) => setTimeout(resolve, 1300));
            return { first, counts, gone, k: await cache.get('k'), short: await cache.get('short') };
        }
        export const refused = async ({ cache }) => {
            const said = [];
            const tried = async (work) => { try { await work() } catch (error) { said.push(`${error.name}: ${error.message}`) } };
            await tried(() => cache.set('k', 'x'.repeat(65536)));
            await tried(() => cache.set('k', 1, 86401));
            await tried(() => cache.set('', 1));
            await tried(() => cache.set('k', undefined));
            await cache.set('text', 'a');
            await tried(() => cache.incr('text'));
            for (let i = 0; i < 300; i++) await tried(() => cache.set(`large${i}`, 'y'.repeat(60000)));
            return [...new Set(said)];
        }";
    let functions = json!({
        "run": { "kind": "action", "handler": "run" }, "refused": { "kind": "action", "handler": "refused" },
    });
    let module = Module::with_functions(functions, code);
    let extension = stage.publish(&module).await;
    let of_ada = stage.install_published(&ada, extension, &[]).await;
    let of_bob = stage.install_published(&bob, extension, &[]).await;
    let expected =
        json!({ "first": null, "counts": [1, 6, 4], "gone": [true, false], "k": null, "short": null });
    assert_eq!(call(&ada.person, &of_ada, "run", json!({})).await.data(), &expected);
    assert_eq!(
        call(&bob.person, &of_bob, "run", json!({})).await.data(),
        &expected,
        "a namespace of its own"
    );
    let refused = call(&ada.person, &of_ada, "refused", json!({})).await.data().clone();
    assert_eq!(
        refused,
        json!([
            "LimitError: ctx.cache.set: the value is 65538 bytes of JSON; the limit is 65536",
            "TypeError: ctx.cache.set: ttlSecs must be a whole number between 1 and 86400",
            "TypeError: ctx.cache.set: the key must have 1 to 255 bytes",
            "TypeError: ctx.cache.set: the value must be JSON, not undefined",
            "TypeError: ctx.cache.incr: the value is no whole number that can be counted on",
            "LimitError: ctx.cache.set: the cache holds as much as it may: 1000 keys, 8 MB",
        ])
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn context_push_publishes_on_the_channel_within_its_limits() {
    let stage = Stage::start().await;
    let ada = stage.streamer().await;
    let code = "
        import { mutation } from '@lumio/sdk/server';
        export const run = async (ctx) => {
            await ctx.push('score', { n: 1 });
            const said = [];
            for (const work of [() => ctx.push('t', 'x'.repeat(65536)), () => ctx.push('', 1)]) {
                try { await work() } catch (error) { said.push(error.message) }
            }
            let told = 0;
            try { for (; told < 250; told++) await ctx.push('many', told) } catch (error) { said.push(error.message) }
            return { said, told };
        }
        export const held = mutation(async (ctx) => { await ctx.push('kept', 7) });";
    let functions = json!({
        "run": { "kind": "action", "handler": "run" }, "held": { "kind": "mutation", "handler": "held" },
    });
    let install = stage.install(&ada, Module::with_functions(functions, code)).await;
    let (mut pubsub, mut messages) = stage.app.state.redis.subscription().await.unwrap();
    pubsub.subscribe(&[stage.app.state.events.topic(&format!("ext-storage:{}", install.id))]).await.unwrap();
    let mut next = async || -> Value {
        let message = tokio::time::timeout(lumio_tests::DEADLINE, messages.next()).await.unwrap().unwrap();
        serde_json::from_slice(message.get_payload_bytes()).unwrap()
    };
    call(&ada.person, &install, "held", json!({})).await.data();
    let event = next().await;
    assert_eq!(
        (&event["event_type"], &event["data"]),
        (&json!("ext:push"), &json!({ "topic": "kept", "payload": 7 }))
    );
    // As if 98 had been pushed in each second already, so that a slow machine meets the limit too.
    let now = stage.app.clock.now().timestamp();
    let mut pushed = redis::pipe();
    for second in now..now + 300 {
        let counter = stage.app.state.redis.key(format!("ext_push:{}:{second}", install.id));
        pushed.cmd("SET").arg(counter).arg(98).arg("EX").arg(300).ignore();
    }
    pushed.query_async::<()>(&mut *stage.app.state.redis.get().await.unwrap()).await.unwrap();
    let answer = call(&ada.person, &install, "run", json!({})).await.data().clone();
    assert_eq!(next().await["data"], json!({ "topic": "score", "payload": { "n": 1 } }));
    assert!((1..250).contains(&answer["told"].as_i64().unwrap()), "{answer}");
    assert_eq!(
        answer["said"],
        json!([
            "ctx.push: the payload is 65538 bytes of JSON; the limit is 65536",
            "ctx.push: the topic must have 1 to 128 bytes",
            "ctx.push: at most 100 messages of an install in a second",
        ])
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn context_actions_need_their_permissions_at_call_time() {
    let stage = Stage::start().await;
    let ada = stage.streamer().await;
    let code = "
        export const run = async (ctx, { action, payload }) => {
            try { return await ctx.actions.run(action, payload) }
            catch (error) { return `${error.name}: ${error.message}` }
        }";
    let run = |permissions: &[&'static str]| Module { permissions: permissions.to_vec(), ..actions(code) };
    let all = [
        "chat:read",
        "chat:send",
        "chat:delete",
        "chat:ban",
        "events:read",
        "events:emit",
        "obs:set_scene",
        "obs:set_source_visible",
        "obs:start_stream",
        "obs:stop_stream",
        "overlay:update_layer",
    ];
    let rich = stage.install(&ada, run(&all)).await;
    let poor = stage.install(&ada, run(&[])).await;
    let half = stage.install(&ada, run(&["chat:send", "chat:delete", "events:emit"])).await;
    let ask = async |install, action: &str, payload: Value| {
        call(&ada.person, install, "run", json!({ "action": action, "payload": payload }))
            .await
            .data()
            .clone()
    };
    let sent = ask(&rich, "chat:send", json!({ "message": "hi" })).await;
    assert_eq!(sent["platform"], "twitch", "{sent}");
    assert_eq!(stage.sent(&ada, 1).await, ["hi"]);
    let emitted = ask(&rich, "events:emit", json!({ "eventType": "custom:win", "data": { "n": 1 } })).await;
    assert!(emitted["event_id"].is_string(), "{emitted}");

    let payloads = [
        ("chat:send", json!({ "message": "no" })),
        ("chat:delete", json!({ "messageId": "1" })),
        ("chat:ban", json!({ "userId": "1" })),
        ("chat:unban", json!({ "userId": "1" })),
        ("chat:timeout", json!({ "userId": "1" })),
        ("events:emit", json!({ "eventType": "custom:x", "data": {} })),
        ("obs:set_scene", json!({ "scene": "s" })),
        ("obs:set_source_visible", json!({ "source": "s", "visible": true })),
        ("obs:start_stream", json!({})),
        ("obs:stop_stream", json!({})),
        ("overlay:update_layer", json!({ "layerId": "l", "visible": true })),
    ];
    for (action, payload) in &payloads {
        let refused = ask(&poor, action, payload.clone()).await;
        assert!(
            refused.as_str().is_some_and(|text| text.starts_with("PermissionError: ")),
            "{action}: {refused}"
        );
    }
    // Missing one of two permissions, and permissions that no manifest can declare.
    for (install, action, lacking) in [
        (&half, "chat:send", "chat:read"),
        (&half, "chat:delete", "chat:read"),
        (&half, "events:emit", "events:read"),
        (&rich, "obs:set_scene", "obs:control"),
        (&rich, "obs:set_source_visible", "obs:control"),
        (&rich, "obs:start_stream", "obs:control"),
        (&rich, "obs:stop_stream", "obs:control"),
        (&rich, "overlay:update_layer", "overlays:edit"),
    ] {
        let payload = payloads.iter().find(|(name, _)| *name == action).unwrap().1.clone();
        let refused = ask(install, action, payload).await;
        let message = format!("{action} needs the permission {lacking}, which the install does not have");
        assert_eq!(refused, format!("PermissionError: ctx.actions.run: {message}"));
    }
    let unknown = ask(&rich, "chat:nuke", json!({})).await;
    assert!(
        unknown.as_str().unwrap().starts_with("TypeError: ctx.actions.run: action must be one of"),
        "{unknown}"
    );
    assert_eq!(stage.app.platforms.sent_messages(Platform::Twitch).len(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn context_defer_runs_after_the_reply_with_limits_of_its_own() {
    let stage = Stage::start().await;
    let ada = stage.streamer().await;
    let code = "
        export const run = async (ctx) => {
            // Longer than a command may take.
            ctx.defer(async () => {
                await new Promise((resolve) => setTimeout(resolve, 900));
                await ctx.actions.run('chat:send', { message: 'later' });
            });
            ctx.defer(() => { throw new RangeError('deferred') });
            return { action: 'send_message', message: 'now' };
        }";
    let install = stage.install(&ada, Module::command("defer", code)).await;
    stage.say(&ada, "!defer").await;
    assert_eq!(stage.sent(&ada, 2).await, ["now", "later"]);
    let errors = stage.errors(&install, 1).await;
    assert_eq!(errors, [("RangeError".to_owned(), "deferred".to_owned())]);
    assert_eq!(stage.invocations(&install).await, 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn context_defer_waits_until_the_reply_is_delivered() {
    let stage = Stage::start().await;
    let ada = stage.streamer().await;
    let code = "export const run = (ctx) => {
        ctx.defer(() => ctx.actions.run('chat:send', { message: 'deferred' }));
        return { action: 'send_message', message: 'first' };
    }";
    stage.install(&ada, Module::command("defer", code)).await;
    // The platform is slow for the first message only.
    let slow = Failure::Slow(std::time::Duration::from_secs(1));
    stage.app.platforms.fail_next_at(Platform::Twitch, "chat/messages", slow);
    stage.say(&ada, "!defer").await;
    assert_eq!(stage.sent(&ada, 2).await, ["first", "deferred"]);

    // A message that cannot be delivered is dropped, and the deferred function runs.
    stage.app.platforms.drop_next_message(Platform::Twitch, "held by the filter");
    stage.say(&ada, "!defer").await;
    assert_eq!(stage.sent(&ada, 3).await[2], "deferred");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn context_defer_without_end_is_stopped_and_keeps_the_result() {
    let stage = Stage::start().await;
    let ada = stage.streamer().await;
    let code = "export const run = (ctx) => { ctx.defer(() => { for (;;) {} }); return 'given' }";
    let install = stage.install(&ada, actions(code)).await;
    assert_eq!(call(&ada.person, &install, "run", json!({})).await.data(), "given");
    let errors = stage.errors(&install, 1).await;
    assert_eq!(errors[0].0, "TIMEOUT", "{errors:?}");
    let code = "export const run = (ctx) => { for (let i = 0; i < 17; i++) ctx.defer(() => {}) }";
    let install = stage.install(&ada, actions(code)).await;
    call(&ada.person, &install, "run", json!({}))
        .await
        .refused("BAD_REQUEST", "ctx.defer: the limit of 16 functions is used up");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn context_log_writes_to_the_log_of_the_install() {
    let stage = Stage::start().await;
    let ada = stage.streamer().await;
    let code = "export const run = (ctx) => { ctx.log.warn('careful', { n: 1 }); for (let i = 0; i < 150; i++) console.log(i) }";
    let install = stage.install(&ada, actions(code)).await;
    call(&ada.person, &install, "run", json!({})).await.data();
    let lines = stage.logs(&install, 101).await;
    assert_eq!(lines.len(), 101, "100 lines and one about the rest");
    assert!(lines.contains(&("warn".to_owned(), "careful {\"n\":1}".to_owned())), "{lines:?}");
    assert!(lines.iter().any(|(_, text)| text.starts_with("51 more lines were dropped")), "{lines:?}");
}
