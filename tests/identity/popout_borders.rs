//! A popout never carries more than whoever hands it on may do (specification A §4.2, C §2.2).

use lumio_tests::{Person, TestApp};
use serde_json::{Value, json};

async fn made(person: &Person, asked: Value) -> String {
    let answer = person.post("/v1/tokens", asked).await;
    let id = answer.expect(201)["data"]["popout_token"]["id"].as_str().expect("an id");
    format!("/v1/tokens/{id}")
}

#[tokio::test]
async fn nobody_makes_a_popout_of_a_member_who_may_do_more() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let maker = app.member_with(owner.account_id, &["tokens:create", "tokens:edit", "chat:read"]).await;
    let peer = app.member_with(owner.account_id, &["chat:read"]).await;

    let of_owner = json!({ "permissions": ["chat:read"], "user_id": owner.user_id });
    let rest = maker.post("/v1/tokens", of_owner.clone()).await;
    let graphql = maker.mutate("createPopoutToken", &of_owner, "{ token }").await;
    assert_eq!((rest.status, rest.error().0.as_str()), (403, "FORBIDDEN"), "{}", rest.text);
    assert_eq!(rest.error(), graphql.error());

    let path = made(&maker, json!({ "permissions": ["chat:read"], "user_id": peer.user_id })).await;
    maker.patch(&path, json!({ "user_id": owner.user_id })).await.refused_with("FORBIDDEN");
    maker.patch(&path, json!({ "user_id": maker.user_id })).await.expect(200);
    assert_eq!(owner.get(&path).await.data()["user_id"], json!(maker.user_id));
}

#[tokio::test]
async fn an_ended_popout_comes_back_only_by_who_holds_what_it_carries() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let editor = app.member_with(owner.account_id, &["tokens:edit", "tokens:read"]).await;
    let path = made(&owner, json!({ "permissions": ["chat:ban"] })).await;
    let ended = json!({ "expires_at": "2020-01-01T00:00:00.000Z" });
    owner.patch(&path, ended).await.expect(200);
    for later in [json!(null), json!("2090-01-01T00:00:00.000Z")] {
        let refused = editor.patch(&path, json!({ "expires_at": later })).await;
        refused.refused("FORBIDDEN", "Missing permission: chat:ban");
    }
    assert_eq!(owner.get(&path).await.data()["expires_at"], "2020-01-01T00:00:00.000Z");
    editor.patch(&path, json!({ "expires_at": "2019-01-01T00:00:00.000Z" })).await.expect(200);
    owner.patch(&path, json!({ "expires_at": null })).await.expect(200);
}

#[tokio::test]
async fn a_popout_never_changes_itself() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let popout = app.popout(&owner, &["tokens:edit"]).await;
    let list = owner.get("/v1/tokens").await;
    let id = list.data()[0]["id"].as_str().expect("an id");
    let refused = popout.patch(&format!("/v1/tokens/{id}"), json!({ "expires_at": null })).await;
    assert_eq!(refused.status, 403);
    refused.refused("FORBIDDEN", "A popout token cannot change itself");
}
