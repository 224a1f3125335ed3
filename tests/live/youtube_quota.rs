//! YouTube's daily quota, and its shares for each account (reference/platforms.md#quota).

use chrono::Duration;
use connection_model::quota::{QuotaRequest, Reserved, Share, reserve};
use diesel::{QueryableByName, sql_query, sql_types::BigInt};
use diesel_async::RunQueryDsl;
use lumio_tests::{Caller, Person, TestApp};
use platforms_stand_in::{Platform, User, youtube};
use serde_json::{Value, json};
use uuid::Uuid;

use super::{
    chat_world::change,
    world::{connect, install},
};

const STREAMS: &str = "/v1/youtube/active-streams";
const SHARE_SPENT: &str = "The account's share of YouTube's quota of the day is spent";

#[derive(QueryableByName)]
struct Used {
    #[diesel(sql_type = BigInt)]
    used: i64,
}

async fn figure(app: &TestApp, sql: &str) -> i64 {
    let mut db = app.databases.postgres.get().await.unwrap();
    sql_query(sql).get_result::<Used>(&mut *db).await.unwrap().used
}

async fn total(app: &TestApp) -> i64 {
    figure(app, "SELECT coalesce(sum(used), 0)::bigint AS used FROM platform_quotas").await
}

async fn share_of(app: &TestApp, account: Uuid) -> i64 {
    let sql = "SELECT coalesce(sum(used), 0)::bigint AS used FROM platform_quota_shares WHERE account_id";
    figure(app, &format!("{sql} = '{account}'")).await
}

async fn reserve_units(app: &TestApp, account: Option<Uuid>, units: i64) -> Reserved {
    let spend = QuotaRequest {
        platform: shared::platform::Platform::Youtube,
        client_id: "app",
        units,
        budget: 1000,
        share: account.map(|account| Share { account, percent: 25 }),
    };
    let now = app.clock.now();
    reserve(&mut app.databases.postgres.get().await.unwrap(), &spend, now).await.unwrap()
}

#[tokio::test]
async fn youtube_quota_limits_an_account_to_its_share_of_the_rest() {
    let app = TestApp::start().await;
    let (one, other) = (app.owner().await.account_id, app.owner().await.account_id);
    // A quarter of everything.
    assert_eq!(reserve_units(&app, Some(one), 200).await, Reserved::Granted { gone: 80 });
    assert!(matches!(reserve_units(&app, Some(one), 51).await, Reserved::ShareExhausted { .. }));
    assert_eq!(reserve_units(&app, Some(one), 50).await, Reserved::Granted { gone: 100 });
    assert!(matches!(reserve_units(&app, Some(one), 1).await, Reserved::ShareExhausted { .. }));
    assert_eq!((total(&app).await, share_of(&app, one).await), (250, 250), "what was refused is not counted");
    // A quarter of the rest.
    assert!(matches!(reserve_units(&app, Some(other), 188).await, Reserved::ShareExhausted { .. }));
    assert!(matches!(reserve_units(&app, Some(other), 187).await, Reserved::Granted { .. }));
    // A call for many accounts is in no account's share, but in the budget.
    assert!(matches!(reserve_units(&app, None, 500).await, Reserved::Granted { .. }));
    assert!(matches!(reserve_units(&app, None, 64).await, Reserved::Exhausted { .. }));
    assert!(matches!(reserve_units(&app, Some(other), 64).await, Reserved::Exhausted { .. }));
    assert_eq!(total(&app).await, 937);
    // The next day has a new quota.
    app.clock.advance(Duration::days(1));
    assert!(matches!(reserve_units(&app, Some(one), 250).await, Reserved::Granted { gone: 100 }));
    app.stop().await;
}

#[tokio::test]
async fn youtube_quota_share_holds_for_concurrent_reservations() {
    let app = TestApp::start().await;
    let account = app.owner().await.account_id;
    let answers = futures::future::join_all((0..12).map(|_| reserve_units(&app, Some(account), 50))).await;
    let granted = answers.iter().filter(|answer| matches!(answer, Reserved::Granted { .. })).count();
    assert_eq!((granted, total(&app).await, share_of(&app, account).await), (5, 250, 250));
    app.stop().await;
}

/// 1,000 units a day, a tenth of them reserved from the daemons for people, and at most a quarter for an account.
async fn small() -> TestApp {
    let app = TestApp::builder()
        .with("LUMIO_YOUTUBE_QUOTA_PER_DAY", 900)
        .with("LUMIO_YOUTUBE_SHARE_PERCENT", 25)
        .start()
        .await;
    // YouTube's day begins at midnight in Los Angeles, hours after this.
    app.begin_a_window(24 * 60 * 60);
    app
}

/// A channel that was connected with the deployment's application.
async fn channel(app: &TestApp, owner: &Person, login: &str) -> User {
    let channel = connect(app, owner.account_id, Platform::Youtube, login).await;
    let sql = "UPDATE channel_connections SET client_id = 'deployment' WHERE account_id = $1";
    change(app, sql, owner.account_id).await;
    channel
}

async fn send(caller: &Caller) -> Value {
    let input = json!({ "platform": "youtube", "message": "hi" });
    caller.post("/v1/chat/send", input).await.data().clone()
}

#[tokio::test]
async fn youtube_quota_share_covers_sending_moderating_and_listing() {
    let app = small().await;
    let (owner, other) = (app.owner().await, app.owner().await);
    let streamer = channel(&app, &owner, "streamer").await;
    channel(&app, &other, "other").await;
    // Fifty units each, and one to find the chat.
    for _ in 0..4 {
        assert_eq!(send(&owner).await["sent"], true);
    }
    assert_eq!(share_of(&app, owner.account_id).await, 204);
    let refused = send(&owner).await;
    assert_eq!((&refused["sent"], &refused["error_code"]), (&json!(false), &json!("send_failed")));
    assert_eq!(refused["error"], SHARE_SPENT);
    let (spammer, _) = app.platforms.create_user(Platform::Youtube, "spammer");
    let ban = json!({ "action": "BAN", "platform": "youtube", "user_id": youtube::channel_id(&spammer) });
    let refused = owner.post("/v1/chat/moderate", ban.clone()).await;
    assert_eq!(refused.expect(200), &json!({ "success": false, "details": SHARE_SPENT }));
    let (install, system) = (install(&app, &owner, &["chat:read", "chat:ban"]).await, app.system_key().await);
    let call = json!({ "install_id": install, "invocation_id": "i:0", "action": "chat:ban",
        "payload": { "userId": youtube::channel_id(&spammer), "platform": "youtube" } });
    let refused = system.post("/v1/internal/actions", call).await.expect(200).clone();
    assert_eq!((&refused["error_code"], &refused["error"]), (&json!("RATE_LIMITED"), &json!(SHARE_SPENT)));
    assert_eq!(app.platforms.sent_messages(Platform::Youtube).len(), 4);
    assert!(app.platforms.moderation_actions(Platform::Youtube).is_empty());
    // A list is cheap: a unit for the broadcasts, one for their viewers.
    let before = share_of(&app, owner.account_id).await;
    owner.get(STREAMS).await.expect(200);
    assert_eq!(share_of(&app, owner.account_id).await, before + 2);
    while share_of(&app, owner.account_id).await < 249 {
        app.clock.advance(Duration::seconds(31));
        owner.get(STREAMS).await.expect(200);
    }
    app.clock.advance(Duration::seconds(31));
    let refused = owner.get(STREAMS).await;
    refused.refused("RATE_LIMIT_EXCEEDED", "Rate limit exceeded");
    assert!(refused.header("retry-after").parse::<u64>().unwrap() > 0);
    // The other account has its own share, and so has an account's own application.
    assert_eq!(send(&other).await["sent"], true);
    let own = "UPDATE channel_connections SET client_id = 'own', credential_source = 'account' WHERE account_id = $1";
    change(&app, own, owner.account_id).await;
    for _ in 0..25 {
        assert_eq!(send(&owner).await["sent"], true);
    }
    let mut ban = ban;
    ban["live_chat_id"] = json!(youtube::live_chat_id(&streamer));
    assert_eq!(owner.post("/v1/chat/moderate", ban).await.expect(200)["success"], true);
    assert!(share_of(&app, owner.account_id).await <= 250);
    app.stop().await;
}
