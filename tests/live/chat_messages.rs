//! Chat history (reference/chat.md#messages).

use chrono::Duration;
use lumio_tests::{Caller, Person, Statements, TestApp, both_refused};
use serde_json::{Value, json};
use shared::clock::rfc3339;
use uuid::Uuid;

use super::{
    chat_world::{ChatLine, store_line},
    world::connect,
};

const PATH: &str = "/v1/chat/messages";

struct Scene {
    app: TestApp,
    owner: Person,
    /// Oldest first.
    lines: Vec<Uuid>,
}

const LINES: [ChatLine<'static>; 6] = [
    ChatLine { platform: "twitch", user_id: "ann", text: "first", ago: 60 * 60 * 24 * 20 },
    ChatLine { platform: "twitch", user_id: "bob", text: "50% off_now \\o/", ago: 60 * 60 * 24 },
    ChatLine { platform: "youtube", user_id: "ann", text: "Hello THERE", ago: 500 },
    ChatLine { platform: "twitch", user_id: "ann", text: "hello again", ago: 400 },
    ChatLine { platform: "kick", user_id: "cat", text: "500 offXnow", ago: 300 },
    ChatLine { platform: "twitch", user_id: "bob", text: "last", ago: 5 },
];

impl Scene {
    async fn start() -> Self {
        Self::of(TestApp::start().await).await
    }

    async fn of(app: TestApp) -> Self {
        let owner = app.owner().await;
        let mut lines = Vec::new();
        for line in &LINES {
            lines.push(store_line(&app, owner.account_id, line).await);
        }
        Self { app, owner, lines }
    }

    /// Numbers of the lines that both protocols return, newest first.
    async fn found(&self, filter: &[(&str, Value)]) -> Vec<usize> {
        let (rest, graphql) = both(&self.owner, filter).await;
        let ids = |rows: &Value| -> Vec<usize> {
            let number = |row: &Value| {
                let id: Uuid = row["id"].as_str().unwrap().parse().unwrap();
                self.lines.iter().position(|line| *line == id).expect("one of ours")
            };
            rows.as_array().expect("a list").iter().map(number).collect()
        };
        let found = ids(rest.data());
        assert_eq!(ids(&graphql.field("chatMessages")), found);
        found
    }
}

async fn both(caller: &Caller, filter: &[(&str, Value)]) -> (lumio_tests::Answer, lumio_tests::Answer) {
    let query: Vec<(String, String)> = filter
        .iter()
        .map(|(name, value)| {
            let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            ((*name).to_owned(), text)
        })
        .collect();
    let rest = caller.send(caller.request(reqwest::Method::GET, PATH).query(&query)).await;
    let mut input = serde_json::Map::new();
    for (name, value) in filter {
        let name = if *name == "user_id" { "userId" } else { name };
        input.insert(name.to_owned(), value.clone());
    }
    let document =
        "query($filter: ChatMessagesFilter) { chatMessages(filter: $filter) { id isDeleted text } }";
    let graphql = caller.graphql(document, json!({ "filter": input })).await;
    (rest, graphql)
}

#[tokio::test]
async fn chat_messages_have_the_same_fields_on_both_protocols() {
    let scene = Scene::start().await;
    let answer = scene.owner.get(&format!("{PATH}?limit=1")).await;
    let row = answer.data()[0].clone();
    let at = row["sent_at"].as_str().unwrap();
    assert!(at.ends_with('Z') && at.len() == 24, "{at}");
    assert_eq!(
        row,
        json!({
            "id": scene.lines[5], "account_id": scene.owner.account_id, "platform": "twitch",
            "platform_message_id": "bob-5-last", "platform_user_id": "bob", "username": "bob",
            "display_name": "bob", "color": null, "badges": [{ "id": "vip", "version": "1", "info": null }],
            "text": "last",
            "fragments": [{ "type": "text", "text": "last", "emote_id": null, "user_id": null, "bits": null }],
            "emotes": [], "reply_to": null, "is_deleted": false, "is_action": false, "sent_at": at,
        })
    );
    let document =
        "{ chatMessages(filter: { limit: 1 }) { id accountId platform platformMessageId platformUserId
        username displayName color badges { id version info } text fragments { type text emoteId userId bits }
        emotes { id name } replyTo isDeleted isAction sentAt } }";
    let mut graphql = scene.owner.graphql(document, json!({})).await.field("chatMessages")[0].clone();
    graphql["fragments"][0]["type"] = json!("text");
    assert_eq!(graphql, row);
    scene.app.stop().await;
}

#[tokio::test]
async fn chat_messages_filters_by_platform_user_and_time_newest_first() {
    let scene = Scene::start().await;
    assert_eq!(scene.found(&[]).await, [5, 4, 3, 2, 1, 0]);
    assert_eq!(scene.found(&[("platform", json!("twitch"))]).await, [5, 3, 1, 0]);
    assert_eq!(scene.found(&[("user_id", json!("ann"))]).await, [3, 2, 0]);
    assert_eq!(scene.found(&[("user_id", json!("ann")), ("platform", json!("youtube"))]).await, [2]);
    let ago = |secs| json!(rfc3339(scene.app.clock.now() - Duration::seconds(secs)));
    assert_eq!(scene.found(&[("from", ago(450)), ("to", ago(100))]).await, [4, 3]);
    assert_eq!(scene.found(&[("from", ago(450)), ("platform", json!("twitch"))]).await, [5, 3]);
    scene.app.stop().await;
}

#[tokio::test]
async fn chat_messages_pages_without_gap_or_repetition() {
    let scene = Scene::start().await;
    let mut seen = Vec::new();
    let mut before = None;
    loop {
        let mut filter = vec![("limit", json!(2))];
        filter.extend(before.map(|id: Uuid| ("before", json!(id))));
        let page = scene.found(&filter).await;
        let Some(last) = page.last() else { break };
        before = Some(scene.lines[*last]);
        seen.extend(page);
    }
    assert_eq!(seen, [5, 4, 3, 2, 1, 0]);
    let (mut path, mut followed) = (Some(format!("{PATH}?limit=2")), 0);
    while let Some(next) = path {
        let page = scene.owner.get(&next).await;
        followed += page.data().as_array().unwrap().len();
        path = page.body["_links"]["next"].as_str().map(str::to_owned);
    }
    assert_eq!(followed, 6, "links lead through all of it");
    // Another account's message counts only as a time.
    let other = scene.app.owner().await;
    let foreign = store_line(&scene.app, other.account_id, &LINES[3]).await;
    let rest = scene.found(&[("before", json!(foreign))]).await;
    assert!(rest == [2, 1, 0] || rest == [3, 2, 1, 0], "{rest:?}");
    scene.app.stop().await;
}

#[tokio::test]
async fn chat_messages_searches_literally_ignoring_case_within_bounded_time() {
    let scene = Scene::start().await;
    assert_eq!(scene.found(&[("search", json!("HELLO"))]).await, [3, 2]);
    assert_eq!(scene.found(&[("search", json!("50% off_now"))]).await, [1]);
    assert_eq!(scene.found(&[("search", json!("\\o"))]).await, [1]);
    // Seven days by default.
    assert!(scene.found(&[("search", json!("first"))]).await.is_empty());
    let ago = |days| json!(rfc3339(scene.app.clock.now() - Duration::days(days)));
    assert_eq!(scene.found(&[("search", json!("first")), ("from", ago(30))]).await, [0]);
    assert_eq!(scene.found(&[("search", json!("first")), ("to", ago(15))]).await, [0]);
    let (rest, graphql) = both(&scene.owner, &[("search", json!("x")), ("from", ago(32))]).await;
    both_refused(
        &rest,
        &graphql,
        400,
        "VALIDATION_ERROR",
        "A search must not span more than 31 days: give from and to",
    );
    scene.app.stop().await;
}

#[tokio::test]
async fn chat_messages_refuses_wrong_filters_on_both_protocols() {
    let scene = Scene::start().await;
    let cases = [
        ("platform", json!("discord"), "platform must be one of twitch, youtube, kick, trovo"),
        ("limit", json!(0), "limit must be between 1 and 200"),
        ("limit", json!(201), "limit must be between 1 and 200"),
        ("from", json!("yesterday"), "from must be a time in RFC 3339, for example 2030-01-31T12:00:00Z"),
        ("before", json!(Uuid::nil()), "before must be the id of a message"),
        ("search", json!(" "), "search must not be empty"),
        ("user_id", json!(""), "user_id must not be empty"),
    ];
    for (name, value, expected) in cases {
        let (rest, graphql) = both(&scene.owner, &[(name, value)]).await;
        both_refused(&rest, &graphql, 400, "VALIDATION_ERROR", expected);
    }
    let now = json!(rfc3339(scene.app.clock.now()));
    let (rest, graphql) = both(&scene.owner, &[("from", now.clone()), ("to", now)]).await;
    both_refused(&rest, &graphql, 400, "VALIDATION_ERROR", "from must be before to");
    scene.owner.get(&format!("{PATH}?before=x")).await.refused("VALIDATION_ERROR", "Invalid UUID: before");
    assert_eq!(scene.owner.get(&format!("{PATH}?limit=200")).await.data().as_array().unwrap().len(), 6);
    scene.app.stop().await;
}

#[tokio::test]
async fn chat_messages_keeps_and_marks_removed_messages() {
    let scene = Scene::start().await;
    let streamer =
        connect(&scene.app, scene.owner.account_id, platforms_stand_in::Platform::Twitch, "streamer").await;
    let input = json!({ "action": "TIMEOUT", "platform": "twitch", "user_id": "bob", "duration_secs": 5 });
    let answer = scene.owner.post("/v1/chat/moderate", input).await;
    assert_eq!(answer.expect(200)["success"], true, "{} {}", answer.text, streamer.id);
    let (rest, graphql) = both(&scene.owner, &[("platform", json!("twitch"))]).await;
    let marks = |rows: &Value, name: &str| -> Vec<bool> {
        rows.as_array().unwrap().iter().map(|row| row[name].as_bool().unwrap()).collect()
    };
    assert_eq!(marks(rest.data(), "is_deleted"), [true, false, true, false]);
    assert_eq!(marks(&graphql.field("chatMessages"), "is_deleted"), [true, false, true, false]);
    assert_eq!(rest.data()[0]["text"], "last");
    scene.app.stop().await;
}

#[tokio::test]
async fn chat_messages_returns_own_messages_to_readers_in_one_statement() {
    let statements = Statements::watch();
    let scene = Scene::start().await;
    let blind = scene.app.member_with(scene.owner.account_id, &["chat:write"]).await;
    let (rest, graphql) = both(&blind, &[]).await;
    both_refused(&rest, &graphql, 403, "FORBIDDEN", "Missing permission: chat:read");
    let stranger = scene.app.owner().await;
    let (rest, graphql) = both(&stranger, &[]).await;
    assert_eq!((rest.data(), graphql.field("chatMessages")), (&json!([]), json!([])));
    let popout = scene.app.popout(&scene.owner, &["chat:read"]).await;
    popout.get(PATH).await.data();
    statements.to(&scene.app);
    statements.take();
    assert_eq!(popout.get(PATH).await.data().as_array().unwrap().len(), 6);
    assert_eq!(statements.take_of("chat_messages").len(), 1);
    scene.app.override_feature(scene.owner.account_id, "feature:multichat", false).await;
    let (rest, graphql) = both(&scene.owner, &[]).await;
    both_refused(&rest, &graphql, 403, "FEATURE_DISABLED", "Feature is disabled: feature:multichat");
    scene.app.stop().await;
}
