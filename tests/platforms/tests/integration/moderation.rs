//! Bans, time-outs, deleted messages and users, over HTTP.

use platforms_stand_in::{Platform, StandIn, User};
use reqwest::{Client, Method, StatusCode};
use serde_json::{Value, json};

struct Moderator {
    stand_in: StandIn,
    client: Client,
    channel: User,
    viewer: User,
    token: String,
}

impl Moderator {
    async fn start(platform: Platform) -> Self {
        let stand_in = StandIn::start().await;
        let (channel, token) = stand_in.create_user(platform, "channel");
        let (viewer, _) = stand_in.create_user(platform, "viewer");
        Self { stand_in, client: Client::builder().build().unwrap(), channel, viewer, token }
    }

    async fn call(
        &self,
        method: Method,
        path: &str,
        query: &[(&str, &str)],
        body: Value,
    ) -> (StatusCode, Value) {
        let app = self.stand_in.app(self.channel.platform);
        let url = format!("{}{path}", self.stand_in.url());
        let request = self.client.request(method, url).query(query).json(&body);
        let answer =
            request.bearer_auth(&self.token).header("Client-Id", app.client_id).send().await.unwrap();
        (answer.status(), answer.json().await.unwrap_or(Value::Null))
    }

    fn actions(&self) -> Vec<(&'static str, String, Option<u64>)> {
        let actions = self.stand_in.moderation_actions(self.channel.platform).into_iter();
        actions.map(|action| (action.action, action.target_id, action.duration_secs)).collect()
    }
}

#[tokio::test]
async fn moderation_on_twitch_bans_once_and_unbans() {
    let it = Moderator::start(Platform::Twitch).await;
    let channel = [("broadcaster_id", it.channel.id.as_str()), ("moderator_id", &it.channel.id)];
    let bans = "/twitch/api/helix/moderation/bans";
    let body = |duration: Option<u64>| json!({ "data": { "user_id": it.viewer.id, "duration": duration } });

    let (status, timeout) = it.call(Method::POST, bans, &channel, body(Some(60))).await;
    assert_eq!((status, timeout["data"][0]["end_time"].is_string()), (StatusCode::OK, true));
    let (status, ban) = it.call(Method::POST, bans, &channel, body(None)).await;
    assert_eq!((status, &ban["data"][0]["end_time"]), (StatusCode::OK, &Value::Null));
    let (status, again) = it.call(Method::POST, bans, &channel, body(None)).await;
    assert_eq!(status, StatusCode::BAD_REQUEST);
    assert_eq!(again["message"], "The user specified in the user_id field is already banned");
    let (status, _) = it.call(Method::POST, bans, &channel, body(Some(1_209_601))).await;
    assert_eq!(status, StatusCode::BAD_REQUEST);

    let target = [channel[0], channel[1], ("user_id", &it.viewer.id)];
    assert_eq!(it.call(Method::DELETE, bans, &target, Value::Null).await.0, StatusCode::NO_CONTENT);
    assert_eq!(it.call(Method::DELETE, bans, &target, Value::Null).await.0, StatusCode::BAD_REQUEST);
    let message = [channel[0], channel[1], ("message_id", "m1")];
    let (status, _) =
        it.call(Method::DELETE, "/twitch/api/helix/moderation/chat", &message, Value::Null).await;
    assert_eq!(status, StatusCode::NO_CONTENT);
    let viewer = it.viewer.id.clone();
    let expected = [
        ("timeout", viewer.clone(), Some(60)),
        ("ban", viewer.clone(), None),
        ("unban", viewer, None),
        ("delete", "m1".into(), None),
    ];
    assert_eq!(it.actions(), expected);
}

#[tokio::test]
async fn moderation_on_twitch_needs_the_moderators_own_token() {
    let it = Moderator::start(Platform::Twitch).await;
    let query = [("broadcaster_id", it.channel.id.as_str()), ("moderator_id", &it.viewer.id)];
    let body = json!({ "data": { "user_id": it.viewer.id } });
    let (status, _) = it.call(Method::POST, "/twitch/api/helix/moderation/bans", &query, body).await;
    assert_eq!(status, StatusCode::UNAUTHORIZED);
    assert!(it.actions().is_empty());
}

#[tokio::test]
async fn moderation_on_kick_counts_timeouts_in_minutes() {
    let it = Moderator::start(Platform::Kick).await;
    let bans = "/kick/api/public/v1/moderation/bans";
    let id = |user: &User| user.id.parse::<u64>().unwrap();
    let body = |duration: Option<u64>| json!({ "broadcaster_user_id": id(&it.channel), "user_id": id(&it.viewer), "duration": duration });
    assert_eq!(it.call(Method::POST, bans, &[], body(Some(5))).await.0, StatusCode::OK);
    assert_eq!(it.call(Method::POST, bans, &[], body(Some(10_081))).await.0, StatusCode::BAD_REQUEST);
    assert_eq!(it.call(Method::DELETE, bans, &[], body(None)).await.0, StatusCode::OK);
    let (status, _) = it.call(Method::DELETE, "/kick/api/public/v1/chat/m1", &[], Value::Null).await;
    assert_eq!(status, StatusCode::NO_CONTENT);
    let viewer = it.viewer.id.clone();
    let expected =
        [("timeout", viewer.clone(), Some(300)), ("unban", viewer, None), ("delete", "m1".into(), None)];
    assert_eq!(it.actions(), expected);
}

#[tokio::test]
async fn moderation_finds_twitch_users_and_shows_addresses_to_their_owner() {
    let it = Moderator::start(Platform::Twitch).await;
    let users = "/twitch/api/helix/users";
    let query = [("id", it.channel.id.as_str()), ("login", "viewer"), ("login", "nobody")];
    let (status, found) = it.call(Method::GET, users, &query, Value::Null).await;
    assert_eq!((status, found["data"].as_array().map(Vec::len)), (StatusCode::OK, Some(2)));
    assert_eq!(found["data"][0]["email"], "channel@example.com");
    assert!(found["data"][1].get("email").is_none());
    let (_, own) = it.call(Method::GET, users, &[], Value::Null).await;
    assert_eq!(own["data"][0]["id"], it.channel.id.as_str());
}
