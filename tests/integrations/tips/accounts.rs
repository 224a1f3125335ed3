//! Accounts with several tokens: one socket carries the subscriptions of all of them.

use diesel::sql_query;
use diesel_async::RunQueryDsl;
use lumio_tests::world::{count, eventually, stored_events, workers};
use lumio_worker::Daemon;
use platforms_stand_in::stream_elements::{Channel, Gateway, MODERATION, NewToken, TIPS, tip};
use serde_json::{Value, json};

use super::{PATH, QUIET, Stage, store};

impl Stage {
    /// Stores the token of another platform, for a channel of its own.
    async fn with_platform(&self, platform: &str, token: &NewToken) -> (Channel, String) {
        let channel = self.app.platforms.stream_elements_channel(platform);
        let token = self.app.platforms.stream_elements_token(&channel, token);
        let id = store(&self.owner, platform, &token).await;
        (channel, id)
    }

    /// Replaces the token of a platform by another one of the channel.
    async fn replace(&self, platform: &str, channel: &Channel) {
        let token = self.app.platforms.stream_elements_token(channel, &NewToken::jwt());
        self.app.clock.advance(chrono::Duration::seconds(1));
        store(&self.owner, platform, &token).await;
    }

    /// Waits until the tips of these channels, and of no others, are subscribed to over one connection.
    async fn receives_all(&self, channels: &[&Channel]) {
        let mut expected: Vec<&str> = channels.iter().map(|channel| channel.id.as_str()).collect();
        expected.sort_unstable();
        eventually("the tips of all channels are subscribed to", async || {
            let subscriptions = self.app.platforms.stream_elements_subscriptions();
            let tips = subscriptions.iter().filter(|(topic, _)| topic == TIPS);
            let mut rooms: Vec<&str> = tips.map(|(_, room)| room.as_str()).collect();
            rooms.sort_unstable();
            rooms == expected && self.connections() == 1
        })
        .await;
    }

    /// Publishes a tip of each channel, each to one connection; returns when all of them are stored.
    async fn gets_tips(&self, channels: &[&Channel], message: &str) {
        for channel in channels {
            let tip = tip(channel, "Styler", &json!(5), "EUR", message);
            assert_eq!(self.app.platforms.send_stream_elements(channel, TIPS, &tip, 1), 1, "{message}");
        }
        eventually("a tip of each channel is stored", async || {
            let stored = stored_events(&self.app, self.owner.account_id).await;
            stored.iter().filter(|event| event["message"] == message).count() == channels.len()
        })
        .await;
    }

    fn welcomed(&self) -> usize {
        self.app.platforms.change_stream_elements(|gateway| gateway.welcomed)
    }

    /// Waits until so many subscriptions, and ends of subscriptions, are accepted.
    async fn has_requested(&self, subscribed: usize, unsubscribed: usize) {
        eventually("as many requests are accepted", async || {
            let accepted = |gateway: &mut Gateway| (gateway.subscribed, gateway.unsubscribed);
            self.app.platforms.change_stream_elements(accepted) == (subscribed, unsubscribed)
        })
        .await;
    }

    async fn refused_at(&self, platform: &str) -> Value {
        let answer = self.owner.get(PATH).await;
        let mut tokens = answer.data().as_array().expect("a list").iter();
        tokens.find(|token| token["platform"] == platform).expect("a token")["refused_at"].clone()
    }
}

#[tokio::test]
async fn tips_of_four_platforms_arrive_over_one_socket_among_all_copies() {
    let stage = Stage::start().await;
    let (youtube, _) = stage.with_platform("youtube", &NewToken::jwt()).await;
    let (kick, _) = stage.with_platform("kick", &NewToken::api_key(&["tips:read", "tips:moderation"])).await;
    let (trovo, _) = stage.with_platform("trovo", &NewToken::jwt()).await;
    let channels = [&stage.channel, &youtube, &kick, &trovo];
    let (first, second) = (stage.workers().await, workers(&stage.app, &[Daemon::Tips]).await);
    stage.receives_all(&channels).await;
    tokio::time::sleep(QUIET).await;
    assert_eq!((stage.connections(), stage.welcomed()), (1, 1));
    stage.has_requested(8, 0).await;
    stage.gets_tips(&channels, "first").await;

    stage.app.platforms.move_stream_elements();
    eventually("another connection", async || stage.welcomed() == 2 && stage.connections() == 1).await;
    stage.receives_all(&channels).await;
    stage.gets_tips(&channels, "moved").await;
    // All subscriptions have moved along.
    stage.has_requested(8, 0).await;

    // Whichever copy has the socket: the other one opens it with all subscriptions.
    first.stop().await.unwrap();
    stage.receives_all(&channels).await;
    stage.stop(second).await;
    let third = stage.workers().await;
    stage.receives_all(&channels).await;
    stage.gets_tips(&channels, "last").await;
    stage.end(third).await;
}

#[tokio::test]
async fn tips_arrive_beside_tokens_that_are_refused_unreadable_or_slow() {
    let stage = Stage::start().await;
    let (youtube, refused) =
        stage.with_platform("youtube", &NewToken::jwt().with_scopes(&["session:read"])).await;
    let (kick, _) = stage.with_platform("kick", &NewToken::api_key(&["tips:read"])).await;
    let (trovo, _) = stage.with_platform("trovo", &NewToken::jwt()).await;
    sql_query("UPDATE se_tokens SET token = decode('00', 'hex') WHERE platform = 'trovo'")
        .execute(&mut *stage.app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    stage.app.platforms.change_stream_elements(|gateway| gateway.is_api_silent = true);
    let running = stage.workers().await;
    stage.receives_all(&[&stage.channel]).await;
    stage.gets_tips(&[&stage.channel], "first").await;
    stage.app.platforms.change_stream_elements(|gateway| gateway.is_api_silent = false);
    stage.receives_all(&[&stage.channel, &kick]).await;
    eventually("the refusal is known", async || !stage.refused_at("youtube").await.is_null()).await;
    tokio::time::sleep(QUIET).await;
    stage.gets_tips(&[&stage.channel, &kick], "second").await;
    for platform in ["twitch", "kick", "trovo"] {
        assert_eq!(stage.refused_at(platform).await, Value::Null, "{platform}");
    }
    let entry = stage.app.audited_once("se_token:refused").await;
    assert_eq!(entry.resource_id, Some(refused));
    let notified = "notifications WHERE notification_type = 'connection_reconnect_required'";
    assert_eq!(count(&stage.app, notified).await, 1);

    stage.replace("youtube", &youtube).await;
    stage.replace("trovo", &trovo).await;
    let all = [&stage.channel, &youtube, &kick, &trovo];
    stage.receives_all(&all).await;
    stage.gets_tips(&all, "third").await;
    assert_eq!(stage.refused_at("youtube").await, Value::Null);
    assert_eq!(stage.welcomed(), 1, "the socket of the first token stays");
    stage.end(running).await;
}

#[tokio::test]
async fn tips_continue_while_other_tokens_are_stored_replaced_and_deleted() {
    let stage = Stage::start().await;
    let running = stage.workers().await;
    stage.receives_all(&[&stage.channel]).await;
    let (kick, kick_id) = stage.with_platform("kick", &NewToken::jwt()).await;
    stage.receives_all(&[&stage.channel, &kick]).await;
    stage.gets_tips(&[&stage.channel, &kick], "stored").await;

    let other = stage.app.platforms.stream_elements_channel("other");
    stage.replace("twitch", &other).await;
    stage.receives_all(&[&other, &kick]).await;
    stage.gets_tips(&[&other, &kick], "replaced").await;
    stage.has_requested(6, 2).await;

    // Another token of the same channel: its tips continue, even if the gateway refuses a repeated subscription.
    for (error, subscribed) in [(None, 8), (Some("err_bad_request"), 9), (Some("err_internal_error"), 12)] {
        stage.app.platforms.change_stream_elements(|gateway| gateway.errors = error.into_iter().collect());
        stage.replace("kick", &kick).await;
        stage.has_requested(subscribed, 2).await;
        stage.gets_tips(&[&other, &kick], &format!("again {error:?}")).await;
        stage.has_requested(subscribed, 2).await;
        assert_eq!(stage.refused_at("kick").await, Value::Null, "{error:?}");
    }

    stage.owner.delete(&format!("{PATH}/{kick_id}")).await.expect(204);
    let left = [TIPS, MODERATION].map(|topic| (topic.to_owned(), other.id.clone()));
    eventually("the other channel is left", async || {
        stage.app.platforms.stream_elements_subscriptions() == left
    })
    .await;
    stage.gets_tips(&[&other], "left").await;
    assert_eq!((stage.welcomed(), stage.connections()), (1, 1), "the socket is the same");
    stage.owner.delete(&format!("{PATH}/{}", stage.token_id)).await.expect(204);
    eventually("the socket is closed", async || stage.connections() == 0).await;
    stage.end(running).await;
}
