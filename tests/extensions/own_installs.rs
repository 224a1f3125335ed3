//! List of the extensions that an account installed (reference/extensions.md#installs).

use lumio_tests::{Caller, TestApp, both_refused};
use serde_json::json;

use super::{ASKED, greeter, id_of, install, reviewer};

#[tokio::test]
async fn extension_installs_lists_the_installs_of_the_account() {
    let app = TestApp::start().await;
    let (studio, reviewer) = (app.studio().await, reviewer(&app).await);
    let (owner, other) = (app.owner().await, app.owner().await);
    let (first, second) =
        (greeter(&studio, &reviewer, &json!({})).await, greeter(&studio, &reviewer, &json!({})).await);
    let list = async |caller: &Caller| {
        let document = "{ extensionInstalls { id accountId extensionId version enabled } }";
        (caller.get("/v1/extension-installs").await, caller.graphql(document, json!({})).await)
    };
    assert_eq!(list(&owner).await.0.data(), &json!([]));
    let one = install(&owner, first, &ASKED, &json!({})).await;
    let two = install(&owner, second, &ASKED, &json!({})).await;
    install(&other, first, &ASKED, &json!({})).await.expect(201);

    let (rest, graphql) = list(&owner).await;
    assert_eq!(rest.data(), &json!([one.data(), two.data()]));
    let row = |id, extension| {
        json!({
            "id": id, "account_id": owner.account_id, "extension_id": extension, "version": "1.0.0",
            "enabled": true,
        })
    };
    let rows = json!([row(id_of(&one), first), row(id_of(&two), second)]);
    assert_eq!(graphql.field("extensionInstalls"), rows);
    let member = app.member_with(owner.account_id, &["chat:read"]).await;
    let (rest, graphql) = list(&member).await;
    both_refused(&rest, &graphql, 403, "FORBIDDEN", "Missing permission: extension-store:read");
    app.override_feature(owner.account_id, "feature:extensions", false).await;
    let (rest, graphql) = list(&owner).await;
    both_refused(&rest, &graphql, 403, "FEATURE_DISABLED", "Feature is disabled: feature:extensions");
}
