//! Identity of popouts in chat (reference/credentials.md#popout-identity).

use lumio_tests::{TestApp, both_refused};
use platforms_stand_in::Platform;
use serde_json::{Value, json};

use super::{chat_world::assign_login, world::connect};

const PATH: &str = "/v1/chat/send";

#[tokio::test]
async fn send_chat_to_platform_refuses_a_popout_of_another_member_as_its_user() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let account = owner.account_id;
    let channel = connect(&app, account, Platform::Twitch, "streamer").await;
    let (person, token) = app.platforms.create_user(Platform::Twitch, "helper");
    let helper = app.member_with(account, &["chat:write"]).await;
    assign_login(&app, account, helper.user_id, &person, &token).await;
    let maker = app.member_with(account, &["chat:write", "tokens:create"]).await;
    let foreign = app.popout_by(&maker, &helper, &["chat:write"]).await;

    let over_rest = json!({ "platform": "twitch", "message": "hello" });
    let named = json!({ "platform": "twitch", "message": "hello", "send_as": "user" });
    let over_graphql = json!({ "platform": "twitch", "message": "hello", "send_as": "USER" });
    for (rest, graphql) in [(&over_rest, &over_rest), (&named, &over_graphql)] {
        both_refused(
            &foreign.post(PATH, rest.clone()).await,
            &foreign.mutate("sendChatToPlatform", graphql, "{ sent }").await,
            403,
            "FORBIDDEN",
            "A popout of another member cannot act as its user",
        );
    }
    assert!(app.platforms.sent_messages(Platform::Twitch).is_empty());

    let as_bot = json!({ "platform": "twitch", "message": "beep", "send_as": "bot" });
    foreign.post(PATH, as_bot).await.expect(200);
    let own = app.popout(&helper, &["chat:write"]).await;
    own.post(PATH, over_rest.clone()).await.expect(200);
    let graphql = own.mutate("sendChatToPlatform", &over_rest, "{ sent }").await;
    assert_eq!(graphql.field("sendChatToPlatform")["sent"], true);
    let senders: Vec<_> = app.platforms.sent_messages(Platform::Twitch);
    let senders: Vec<_> = senders.into_iter().map(|message| message.sender_id.unwrap_or_default()).collect();
    assert_eq!(senders, [channel.id.clone(), person.id.clone(), person.id.clone()]);

    // The state of the person's own sign-in is shown to the person only.
    let status = async |caller: &lumio_tests::Caller| -> Value {
        let statuses = caller.get("/v1/connections/status").await;
        let statuses = statuses.data().as_array().unwrap().clone();
        statuses.into_iter().find(|status| status["platform"] == "twitch").unwrap()["login_connected"].clone()
    };
    let reader = app.member_with(account, &["connections:read"]).await;
    assign_login(
        &app,
        account,
        reader.user_id,
        &app.platforms.create_user(Platform::Twitch, "reader").0,
        "t",
    )
    .await;
    let maker = app.member_with(account, &["connections:read"]).await;
    assert_eq!(status(&app.popout(&reader, &["connections:read"]).await).await, json!(true));
    assert_eq!(status(&app.popout_by(&maker, &reader, &["connections:read"]).await).await, json!(false));
    app.stop().await;
}
