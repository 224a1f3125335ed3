//! Malicious handlers, all at once: each gets the error of the reference, and another account is not affected
//! (reference/handlers.md#failures).

use serde_json::json;

use super::stage::{Module, Stage};

/// Code of event handlers, and the type of the error that is recorded for it.
const HOSTILE: [(&str, &str); 7] = [
    (
        "export const run = () => ({ action: 'send_message', message: { toString: () => 'hi' } })",
        "InvalidResult",
    ),
    ("export const run = () => ({ action: 'own_the_channel', message: 'hi' })", "InvalidResult"),
    ("export const run = () => 'x'.repeat(3_000_000)", "RESPONSE_TOO_LARGE"),
    ("export const run = () => new Promise(() => {})", "Error"),
    ("export const run = () => { const f = (n) => f(n + 1) + 1; return f(0) }", "RangeError"),
    ("export const run = () => { const a = []; for (;;) a.push('x'.repeat(1 << 20)) }", "MEMORY_LIMIT"),
    ("export const run = async (ctx) => { await ctx.fetch('https://[::ffff:7f00:1]/') }", "EGRESS_DENIED"),
];

/// Commands, which have a short deadline.
const ENDLESS: [&str; 2] = [
    "export const run = () => { for (;;) {} }",
    "export const run = () => /^(a+)+$/.test('a'.repeat(64) + '!')",
];

/// Logs more than the limit, and then returns a result.
const FLOOD: &str = "export const run = (ctx) => {
    for (let n = 0; n < 100_000; n += 1) ctx.log.info('x'.repeat(10_000));
    return { action: 'send_message', message: 'flooded' };
}";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn hostile_handlers_get_their_errors_and_do_not_affect_others() {
    let stage = Stage::start().await;
    let (eve, ada) = (stage.streamer().await, stage.streamer().await);
    let on_cheer = |code: &str| {
        Module::of(json!({ "events": [{ "event_type": "twitch:cheer", "handler": "run" }] }), code)
    };
    let mut installs = Vec::new();
    for (code, expected) in HOSTILE {
        installs.push((stage.install(&eve, on_cheer(code)).await, code, expected));
    }
    for (number, code) in ENDLESS.into_iter().enumerate() {
        let module = Module::command(&format!("endless{number}"), code);
        installs.push((stage.install(&eve, module).await, code, "TIMEOUT"));
    }
    let flood = stage.install(&eve, on_cheer(FLOOD)).await;
    stage.install(&ada, Module::answering("hello", "still here")).await;

    stage.happen(&eve, "twitch:cheer", json!({})).await;
    for number in 0..ENDLESS.len() {
        stage.say(&eve, &format!("!endless{number}")).await;
        stage.say(&ada, "!hello").await;
    }
    assert_eq!(stage.sent(&ada, ENDLESS.len()).await, ["still here"; ENDLESS.len()]);
    let mut wrong = Vec::new();
    for (install, code, expected) in &installs {
        let (error_type, message) = stage.errors(install, 1).await.remove(0);
        if error_type != *expected {
            wrong.push(format!("{code}: {error_type}: {message}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    let lines = stage.logs(&flood, 1).await;
    let flooded = lines.iter().filter(|(_, line)| line.starts_with("xxx")).count();
    assert_eq!(flooded, 100, "of the handler's own lines, beside what is said of them");
    assert!(lines.len() < 110, "{} lines were kept", lines.len());
    assert!(lines.iter().all(|(_, line)| line.len() <= 5 * 1024), "long lines are cut");
    let sent: Vec<String> = stage.sent_now(&eve).into_iter().map(|message| message.text).collect();
    assert!(sent.iter().all(|text| text == "flooded"), "{sent:?}");
}
