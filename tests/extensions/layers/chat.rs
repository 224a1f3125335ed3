//! Chat box.

use lumio_tests::TestApp;
use serde_json::{Value, json};

use super::{MANUAL_PICTURES, MANUAL_TIMERS, errors, mount, mount_with, page};

const LINES: &str = "[...document.querySelectorAll('.line')].map((line) => line.querySelector('.text').textContent).join('|')";

fn line(id: &str, user: &str, text: &str) -> Value {
    json!({
        "platform": "twitch", "platform_message_id": id, "platform_user_id": user, "username": user,
        "display_name": user, "color": "red;background:url(x)", "badges": [{ "id": "vip", "version": "1" }],
        "text": text, "fragments": [{ "type": "text", "text": text }], "is_action": false, "is_deleted": false,
    })
}

fn publish(message: &Value) -> String {
    format!("publish('chat:message', {message})")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn layers_chat_box_shows_lines_as_text_and_removes_deleted_ones() {
    let app = TestApp::start().await;
    let Some(mut browser) = page(&app).await else { return };
    let settings = json!({ "max_messages": 3, "hidden_users": ["ABot"] });
    mount(&app, &mut browser, "chat_box", settings).await;
    for (id, user, text) in [
        ("1", "ada", "first"),
        ("2", "ada", "<script>window.hit = 1</script>"),
        ("3", "abot", "from a bot"),
        ("4", "bob", "!command"),
        ("5", "bob", "third"),
        ("6", "ada", "fourth"),
    ] {
        assert_eq!(browser.value(&publish(&line(id, user, text))).await, true);
    }
    assert_eq!(browser.value(LINES).await, "<script>window.hit = 1</script>|third|fourth");
    assert_eq!(
        browser.value("document.querySelectorAll('script, a, iframe').length + (window.hit ?? 0)").await,
        0
    );
    assert_eq!(browser.value("document.querySelector('.name').getAttribute('style')").await, Value::Null);
    let delete = "publish('chat:delete_message', { platform: 'twitch', message_id: '5' })";
    assert_eq!(browser.value(delete).await, true);
    assert_eq!(browser.value(LINES).await, "<script>window.hit = 1</script>|fourth");
    let clear = "publish('chat:clear_user', { platform: 'kick', platform_user_id: 'ada' });
        publish('chat:clear', { platform: 'kick' });
        publish('chat:delete_message', { platform: 'kick', message_id: '6' })";
    assert_eq!(browser.value(clear).await, true);
    assert_eq!(browser.value("document.querySelectorAll('.line').length").await, 2);
    let clear = "publish('chat:clear_user', { platform: 'twitch', platform_user_id: 'ada' })";
    assert_eq!(browser.value(clear).await, true);
    assert_eq!(browser.value(LINES).await, "");
    assert_eq!(browser.value(&publish(&line("7", "bob", "last"))).await, true);
    assert_eq!(browser.value(LINES).await, "last");
    assert_eq!(browser.value("publish('chat:clear', { platform: 'twitch' })").await, true);
    assert_eq!(browser.value(LINES).await, "");
    assert_eq!(browser.value("unmount(); heard()").await, 0);
    assert!(errors(&browser).is_empty(), "{:#?}", errors(&browser));
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn layers_chat_box_draws_emotes_of_known_hosts_only() {
    let app = TestApp::start().await;
    let Some(mut browser) = page(&app).await else { return };
    assert_eq!(browser.value(MANUAL_PICTURES).await, true);
    let members = "{ emotes: {
        good: 'https://cdn.7tv.app/emote/1/2x.webp', bttv: 'https://cdn.betterttv.net/emote/1/2x',
        ffz: 'https://cdn.frankerfacez.com/emote/1/2', evil: 'https://evil.example/x.png',
        near: 'https://7tv.app.evil.example/x', plain: 'http://cdn.7tv.app/x', script: 'javascript:alert(1)',
        other: 'https://cdn.7tv.app:444/x', person: 'https://a:b@cdn.7tv.app/x', none: null,
    } }";
    mount_with(&app, &mut browser, "chat_box", json!({}), members).await;
    let words = "good evil  near plain bttv script other person none toString ffz goodness";
    let mut message = line("1", "ada", words);
    message["fragments"] = json!([
        { "type": "emote", "text": "Kappa", "emote_id": "25" },
        { "type": "text", "text": words },
        { "type": "emote", "text": "Bad", "emote_id": "../../x" },
    ]);
    assert_eq!(browser.value(&publish(&message)).await, true);
    assert_eq!(
        browser.value("pictures").await,
        json!([
            "https://static-cdn.jtvnw.net/emoticons/v2/25/default/dark/2.0",
            "https://cdn.7tv.app/emote/1/2x.webp",
            "https://cdn.betterttv.net/emote/1/2x",
            "https://cdn.frankerfacez.com/emote/1/2",
        ])
    );
    let texts = "[...document.querySelectorAll('.line .text')].map((text) => text.textContent).join('|')";
    assert_eq!(
        browser.value(texts).await,
        "| evil  near plain  script other person none toString  goodness|Bad"
    );
    let names = "[...document.querySelectorAll('.emote')].map((emote) => emote.alt).join()";
    assert_eq!(browser.value(names).await, "Kappa,good,bttv,ffz");
    assert_eq!(browser.value("document.querySelector('.line').matches('.emotes-only')").await, false);

    let mut kick = line("2", "bob", "[emote:37226:KEKW]");
    kick["platform"] = json!("kick");
    kick["fragments"] = json!([{ "type": "emote", "text": "[emote:37226:KEKW]", "emote_id": "37226" }]);
    assert_eq!(browser.value(&publish(&kick)).await, true);
    assert_eq!(browser.value("pictures.at(-1)").await, "https://files.kick.com/emotes/37226/fullsize");
    assert_eq!(browser.value("place.lastElementChild.matches('.emotes-only')").await, true);
    // A picture that does not load is its word again.
    let failed = "document.querySelectorAll('.emote').forEach((emote) => emote.onerror()); place.lastElementChild.querySelector('.text .text').textContent";
    assert_eq!(browser.value(failed).await, "KEKW");
    // One line requests a bounded number of pictures.
    let flood = line("3", "eve", &"good ".repeat(500));
    assert_eq!(browser.value("pictures.length = 0; true").await, true);
    assert_eq!(browser.value(&publish(&flood)).await, true);
    assert_eq!(browser.value("pictures.length").await, 60);
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn layers_chat_box_shows_roles_platforms_replies_and_tests() {
    let app = TestApp::start().await;
    let Some(mut browser) = page(&app).await else { return };
    mount(&app, &mut browser, "chat_box", json!({ "platforms": ["twitch"] })).await;
    let mut first = line("1", "ada", "first");
    first["badges"] =
        json!([{ "id": "broadcaster" }, { "id": "founder" }, { "id": "some-new-badge-of-a-platform" }]);
    first["is_test"] = json!(true);
    let mut second = line("2", "bob", "second");
    second["reply_to"] = json!("1");
    second["is_action"] = json!(true);
    let mut elsewhere = line("3", "eve", "not shown");
    elsewhere["platform"] = json!("kick");
    for message in [&first, &second, &elsewhere] {
        assert_eq!(browser.value(&publish(message)).await, true);
    }
    assert_eq!(browser.value(LINES).await, "first|second");
    let badges = "[...document.querySelectorAll('[data-message=\"1\"] .badge')].map((badge) => badge.dataset.badge + badge.tagName).join()";
    assert_eq!(browser.value(badges).await, "broadcastersvg,foundersvg,some-new-badge-of-a-platformSPAN");
    assert_eq!(browser.value("document.querySelector('.platform').textContent").await, "T");
    assert_eq!(browser.value("document.querySelectorAll('[data-test]').length").await, 1);
    assert_eq!(browser.value("document.querySelector('.reply').textContent").await, "↩ ada: first");
    assert_eq!(browser.value("document.querySelectorAll('.action').length").await, 1);
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn layers_chat_box_lets_lines_leave_after_their_time() {
    let app = TestApp::start().await;
    let Some(mut browser) = page(&app).await else { return };
    assert_eq!(browser.value(MANUAL_TIMERS).await, true);
    mount(&app, &mut browser, "chat_box", json!({ "hide_after_secs": 10, "max_messages": 50 })).await;
    assert_eq!(browser.value(&publish(&line("1", "ada", "one"))).await, true);
    assert_eq!(browser.value("time = 5000; true").await, true);
    for id in 2..200 {
        assert_eq!(browser.value(&publish(&line(&id.to_string(), "ada", "more"))).await, true);
    }
    let state = "[document.querySelectorAll('.line').length, document.querySelectorAll('.leaving').length, waiting()].join()";
    // One timer for all lines.
    assert_eq!(browser.value(state).await, "50,0,1");
    assert_eq!(browser.value("step(); time = 15000; step();").await, Value::Null);
    assert_eq!(browser.value(state).await, "50,50,1");
    assert_eq!(browser.value("time = 15400; step();").await, Value::Null);
    assert_eq!(browser.value(state).await, "0,0,0");
    app.stop().await;
}
