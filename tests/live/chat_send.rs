//! Sending chat messages (reference/chat.md#sending).

use chrono::Duration;
use live_model::{Line, OwnMessages};
use lumio_tests::{Answer, Caller, Person, TestApp, both_refused};
use platforms_stand_in::{Failure, Platform, SentMessage, User, youtube};
use serde_json::{Value, json};

use super::{
    chat_world::{assign_login, change, connect_bot},
    world::{connect, connect_to, install},
};

const PATH: &str = "/v1/chat/send";
const SELECTION: &str = "{ sent messageId error errorCode platform }";

struct Scene {
    app: TestApp,
    owner: Person,
    channel: User,
}

impl Scene {
    async fn start() -> Self {
        Self::of(TestApp::start().await).await
    }

    async fn of(app: TestApp) -> Self {
        let owner = app.owner().await;
        let channel = connect(&app, owner.account_id, Platform::Twitch, "streamer").await;
        Self { app, owner, channel }
    }

    fn sent(&self, platform: Platform) -> Vec<SentMessage> {
        self.app.platforms.sent_messages(platform)
    }

    fn senders(&self) -> Vec<String> {
        self.sent(Platform::Twitch).into_iter().map(|message| message.sender_id.unwrap_or_default()).collect()
    }
}

fn message(platform: &str, text: &str) -> Value {
    json!({ "platform": platform, "message": text })
}

fn as_bot(platform: &str, text: &str) -> Value {
    json!({ "platform": platform, "message": text, "send_as": "bot" })
}

async fn over_rest(caller: &Caller, input: &Value) -> Answer {
    caller.post(PATH, input.clone()).await
}

/// GraphQL writes enum values in capitals.
async fn over_graphql(caller: &Caller, input: &Value) -> Answer {
    let mut input = input.clone();
    if let Some(sender) = input["send_as"].as_str() {
        input["send_as"] = json!(sender.to_uppercase());
    }
    caller.mutate("sendChatToPlatform", &input, SELECTION).await
}

/// Error and code that both protocols return for a message that is not sent.
async fn not_sent(caller: &Caller, input: &Value) -> (String, String) {
    let (rest, graphql) = (over_rest(caller, input).await, over_graphql(caller, input).await);
    let (rest, graphql) = (rest.data().clone(), graphql.field("sendChatToPlatform"));
    assert_eq!(rest, graphql);
    assert_eq!((&rest["sent"], &rest["message_id"]), (&json!(false), &Value::Null));
    assert_eq!(rest["platform"], input["platform"]);
    let text = |field: &str| rest[field].as_str().expect(field).to_owned();
    (text("error"), text("error_code"))
}

#[tokio::test]
async fn send_chat_to_platform_uses_the_assigned_sign_in_else_the_channel() {
    let scene = Scene::start().await;
    let account = scene.owner.account_id;
    let input = json!({ "platform": "twitch", "message": " hello ", "reply_to_message_id": "m0" });
    let answer = over_rest(&scene.owner, &input).await;
    let first = scene.sent(Platform::Twitch).remove(0);
    assert_eq!(
        answer.data(),
        &json!({ "sent": true, "message_id": first.message_id, "error": null, "platform": "twitch" })
    );
    assert_eq!((first.text.as_str(), first.reply_to.as_deref()), ("hello", Some("m0")));
    assert_eq!((first.channel_id.as_str(), first.is_bot), (scene.channel.id.as_str(), false));

    let (person, token) = scene.app.platforms.create_user(Platform::Twitch, "helper");
    let helper = scene.app.member_with(account, &["chat:write"]).await;
    assign_login(&scene.app, account, helper.user_id, &person, &token).await;
    let answer = over_graphql(&helper, &message("twitch", "from me")).await.field("sendChatToPlatform");
    assert_eq!((&answer["sent"], &answer["error_code"]), (&json!(true), &Value::Null));
    over_rest(&scene.app.popout(&helper, &["chat:write"]).await, &message("twitch", "from my popout"))
        .await
        .data();
    over_rest(&scene.app.personal_key(&helper, &["chat:write"]).await, &message("twitch", "by key"))
        .await
        .data();
    over_rest(&scene.app.service_key(account, &["chat:write"]).await, &message("twitch", "nobody"))
        .await
        .data();
    let (channel, helper) = (scene.channel.id.clone(), person.id);
    assert_eq!(scene.senders(), [channel.clone(), helper.clone(), helper.clone(), helper, channel.clone()]);
    assert!(scene.sent(Platform::Twitch).iter().all(|message| message.channel_id == channel));
    scene.app.stop().await;
}

#[tokio::test]
async fn send_chat_to_platform_sends_nothing_for_a_flagged_sign_in() {
    let scene = Scene::start().await;
    let account = scene.owner.account_id;
    let (person, token) = scene.app.platforms.create_user(Platform::Twitch, "helper");
    let login = assign_login(&scene.app, account, scene.owner.user_id, &person, &token).await;
    // The platform refuses the token, and there is no refresh token.
    scene.app.platforms.revoke_token(Platform::Twitch, &token);
    let expected = (
        "Your own sign-in at twitch must be connected again".to_owned(),
        "login_reconnect_required".to_owned(),
    );
    assert_eq!(not_sent(&scene.owner, &message("twitch", "x")).await, expected);
    let is_flagged = "UPDATE login_connections SET updated_at = now() WHERE id = $1 AND reconnect_required";
    change(&scene.app, is_flagged, login).await;
    assert_eq!(not_sent(&scene.owner, &message("twitch", "x")).await, expected);
    assert!(scene.sent(Platform::Twitch).is_empty());
    // Bots are not affected.
    over_rest(&scene.owner, &as_bot("twitch", "beep")).await.data();
    assert_eq!(scene.senders(), [scene.channel.id.as_str()]);
    scene.app.stop().await;
}

#[tokio::test]
async fn send_chat_to_platform_uses_the_own_bot_then_the_deployments_then_the_channel() {
    let scene = Scene::start().await;
    let account = scene.owner.account_id;
    let (general, general_token) = scene.app.platforms.create_user(Platform::Twitch, "lumio_bot");
    let (own, own_token) = scene.app.platforms.create_user(Platform::Twitch, "own_bot");
    over_rest(&scene.owner, &as_bot("twitch", "1")).await.data();
    connect_bot(&scene.app, None, &general, &general_token).await;
    over_graphql(&scene.owner, &as_bot("twitch", "2")).await.field("sendChatToPlatform");
    let bot = connect_bot(&scene.app, Some(account), &own, &own_token).await;
    over_rest(&scene.owner, &as_bot("twitch", "3")).await.data();
    change(&scene.app, "UPDATE bot_connections SET reconnect_required = true WHERE id = $1", bot).await;
    over_rest(&scene.owner, &as_bot("twitch", "4")).await.data();
    // Messages of handlers take the same path.
    let (install, system) =
        (install(&scene.app, &scene.owner, &["chat:read", "chat:send"]).await, scene.app.system_key().await);
    let call = json!({ "install_id": install, "invocation_id": "i:0", "action": "chat:send",
        "payload": { "message": "5" } });
    assert_eq!(system.post("/v1/internal/actions", call).await.expect(200)["ok"], true);
    let (general, own) = (general.id, own.id);
    assert_eq!(scene.senders(), [scene.channel.id.clone(), general.clone(), own, general.clone(), general]);
    scene.app.stop().await;
}

#[tokio::test]
async fn send_chat_to_platform_records_only_bot_messages_as_own() {
    let scene = Scene::start().await;
    let own = OwnMessages::new(scene.app.state.redis.clone());
    for (input, is_own) in [(message("twitch", "!roll"), false), (as_bot("twitch", "You rolled 6"), true)] {
        let answer = over_rest(&scene.owner, &input).await;
        let line = Line {
            platform: "twitch",
            channel_id: &scene.channel.id,
            sender_id: Some(&scene.channel.id),
            text: input["message"].as_str().unwrap(),
        };
        let id = answer.data()["message_id"].as_str().unwrap();
        assert_eq!(own.contain(&line, id).await.unwrap(), is_own, "{input}");
    }
    scene.app.stop().await;
}

#[tokio::test]
async fn send_chat_to_platform_returns_platform_failures() {
    let scene = Scene::start().await;
    let stand_in = &scene.app.platforms;
    let failed = |error: &str| (error.to_owned(), "send_failed".to_owned());
    assert_eq!(
        not_sent(&scene.owner, &message("kick", "x")).await,
        failed("The account is not connected to kick")
    );
    let twice = |plan: &dyn Fn()| (0..2).for_each(|_| plan());
    twice(&|| stand_in.drop_next_message(Platform::Twitch, "held by the filter"));
    assert_eq!(not_sent(&scene.owner, &message("twitch", "x")).await, failed("held by the filter"));
    twice(&|| stand_in.fail_next_at(Platform::Twitch, "chat/messages", Failure::ServerError));
    assert_eq!(
        not_sent(&scene.owner, &message("twitch", "x")).await,
        failed("the platform is not available: status 503")
    );
    twice(&|| stand_in.fail_next_at(Platform::Twitch, "chat/messages", Failure::Malformed));
    assert_eq!(
        not_sent(&scene.owner, &message("twitch", "x")).await,
        ("The message could not be sent".to_owned(), "internal_error".to_owned())
    );
    let flag = "UPDATE channel_connections SET reconnect_required = true WHERE account_id = $1";
    change(&scene.app, flag, scene.owner.account_id).await;
    assert_eq!(
        not_sent(&scene.owner, &message("twitch", "x")).await,
        failed("The twitch channel must be connected again")
    );
    let off = "UPDATE channel_connections SET bot_enabled = false WHERE account_id = $1";
    change(&scene.app, off, scene.owner.account_id).await;
    assert_eq!(
        not_sent(&scene.owner, &as_bot("twitch", "x")).await,
        failed("The bot is switched off on twitch")
    );
    assert!(scene.sent(Platform::Twitch).is_empty());
    scene.app.stop().await;
}

#[tokio::test]
async fn send_chat_to_platform_finds_the_chat_of_the_active_youtube_broadcast() {
    let scene = Scene::start().await;
    let user = connect(&scene.app, scene.owner.account_id, Platform::Youtube, "tuber").await;
    over_rest(&scene.owner, &message("youtube", "hello")).await.data();
    assert_eq!(scene.sent(Platform::Youtube)[0].channel_id, youtube::live_chat_id(&user));
    scene.app.platforms.set_on_air(&user, false);
    assert_eq!(
        not_sent(&scene.owner, &message("youtube", "hello")).await,
        ("There is no active broadcast".to_owned(), "send_failed".to_owned())
    );
    scene.app.stop().await;
}

#[tokio::test]
async fn send_chat_to_platform_uses_the_application_only_for_bots() {
    let scene = Scene::start().await;
    let (kicker, _) = scene.app.platforms.create_user(Platform::Kick, "kicker");
    connect_to(&scene.app, scene.owner.account_id, &kicker, None).await;
    over_rest(&scene.owner, &as_bot("kick", "beep")).await.data();
    assert!(scene.sent(Platform::Kick)[0].is_bot);
    assert_eq!(
        not_sent(&scene.owner, &message("kick", "x")).await,
        ("The account is not connected to kick".to_owned(), "send_failed".to_owned())
    );
    scene.app.stop().await;
}

#[tokio::test]
async fn send_chat_to_platform_refuses_wrong_messages_on_both_protocols() {
    let scene = Scene::start().await;
    let platforms = "platform must be one of twitch, youtube, kick, trovo";
    let cases = [
        (message("discord", "x"), platforms.to_owned()),
        (message("", "x"), platforms.to_owned()),
        (message("twitch", "  "), "message must not be empty".to_owned()),
        (message("twitch", &"x".repeat(501)), "message must be between 1 and 500 characters".to_owned()),
        (message("kick", &"x".repeat(501)), "message must be between 1 and 500 characters".to_owned()),
        (message("youtube", &"x".repeat(201)), "message must be between 1 and 200 characters".to_owned()),
        (message("trovo", &"x".repeat(301)), "message must be between 1 and 300 characters".to_owned()),
        (message("twitch", "a\u{0}b"), "message must not contain control characters".to_owned()),
        (
            json!({ "platform": "twitch", "message": "x", "reply_to_message_id": "" }),
            "reply_to_message_id must not be empty".to_owned(),
        ),
    ];
    for (input, expected) in cases {
        let (rest, graphql) =
            (over_rest(&scene.owner, &input).await, over_graphql(&scene.owner, &input).await);
        both_refused(&rest, &graphql, 400, "VALIDATION_ERROR", &expected);
    }
    let unknown = json!({ "platform": "twitch", "message": "x", "send_as": "nobody" });
    over_rest(&scene.owner, &unknown).await.refused_with("VALIDATION_ERROR");
    over_rest(&scene.owner, &message("twitch", &"x".repeat(500))).await.data();
    assert_eq!(scene.sent(Platform::Twitch).len(), 1);
    scene.app.stop().await;
}

#[tokio::test]
async fn send_chat_to_platform_needs_the_permission_and_no_feature() {
    let scene = Scene::start().await;
    let reader = scene.app.member_with(scene.owner.account_id, &["chat:read"]).await;
    let input = message("twitch", "x");
    let (rest, graphql) = (over_rest(&reader, &input).await, over_graphql(&reader, &input).await);
    both_refused(&rest, &graphql, 403, "FORBIDDEN", "Missing permission: chat:write");
    // No feature switches it off.
    scene.app.override_feature(scene.owner.account_id, "feature:multichat", false).await;
    over_rest(&scene.owner, &input).await.data();
    // Another account's channel is not accessible.
    let stranger = scene.app.owner().await;
    assert_eq!(not_sent(&stranger, &input).await.1, "send_failed");
    assert_eq!(scene.sent(Platform::Twitch).len(), 1);
    scene.app.stop().await;
}

#[tokio::test]
async fn send_chat_to_platform_limits_an_account_per_platform() {
    let app = TestApp::builder().with("LUMIO_RATE_CHAT_SEND", 20).start().await;
    let scene = Scene::of(app).await;
    connect(&scene.app, scene.owner.account_id, Platform::Kick, "kicker").await;
    for index in 0..20 {
        let input = if index % 2 == 0 { message("twitch", "x") } else { as_bot("twitch", "x") };
        assert_eq!(over_rest(&scene.owner, &input).await.data()["sent"], true);
    }
    let input = message("twitch", "one too many");
    let (rest, graphql) = (over_rest(&scene.owner, &input).await, over_graphql(&scene.owner, &input).await);
    rest.refused("RATE_LIMIT_EXCEEDED", "Rate limit exceeded");
    graphql.refused("RATE_LIMIT_EXCEEDED", "Rate limit exceeded");
    assert_eq!(rest.status, 429);
    let wait: i64 = rest.header("retry-after").parse().expect("seconds");
    assert!((1..=30).contains(&wait), "{wait}");
    assert_eq!(rest.header("x-ratelimit-limit"), "20");
    // Messages of handlers count towards the same limit.
    let (install, system) =
        (install(&scene.app, &scene.owner, &["chat:read", "chat:send"]).await, scene.app.system_key().await);
    let call = json!({ "install_id": install, "invocation_id": "i:0", "action": "chat:send",
        "payload": { "message": "x", "platform": "twitch" } });
    let refused = system.post("/v1/internal/actions", call).await;
    assert_eq!(refused.expect(200)["error_code"], "RATE_LIMITED");
    // Other platforms and accounts have their own limits.
    over_rest(&scene.owner, &message("kick", "x")).await.data();
    let other = scene.app.owner().await;
    connect(&scene.app, other.account_id, Platform::Twitch, "other").await;
    assert_eq!(over_rest(&other, &message("twitch", "x")).await.data()["sent"], true);
    assert_eq!(scene.sent(Platform::Twitch).len(), 21);
    scene.app.clock.advance(Duration::seconds(wait));
    assert_eq!(over_rest(&scene.owner, &input).await.data()["sent"], true);
    scene.app.stop().await;
}
