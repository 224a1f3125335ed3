//! Limits of accounts that have priority over their plan (reference/administration.md#accounts-of-staff).

use lumio_tests::{Caller, TestApp};
use serde_json::{Value, json};
use uuid::Uuid;

use super::{Both, admin_accounts::admin, refused};

const LIMITS: &str = "{ accountId maxOverlays maxStorageBytes maxUploadSizeBytes maxIntegrations chatRetentionDays \
    customBotAllowed obsRemoteAllowed copyrightDetectionAllowed notes updatedBy updatedAt }";

pub(super) async fn limits(caller: &Caller, id: Uuid) -> Both {
    let document = format!("{{ adminAccountLimits(accountId: \"{id}\") {LIMITS} }}");
    (caller.get(&format!("/v1/admin/accounts/{id}/limits")).await, caller.graphql(&document, json!({})).await)
}

pub(super) async fn set_limits(caller: &Caller, id: Uuid, rest: Value, graphql: Value) -> Both {
    let document = format!(
        "mutation($input: AdminUpsertAccountLimitsInput!) {{ \
         adminUpsertAccountLimits(accountId: \"{id}\", input: $input) {LIMITS} }}"
    );
    (
        caller.put(&format!("/v1/admin/accounts/{id}/limits"), rest).await,
        caller.graphql(&document, json!({ "input": graphql })).await,
    )
}

#[tokio::test]
async fn admin_account_limits_shows_null_for_every_limit_of_the_plan() {
    let app = TestApp::start().await;
    let (admin, owner) = (admin(&app).await, app.owner().await);
    let id = owner.account_id;
    let (rest, graphql) = limits(&admin, id).await;
    assert_eq!(graphql.field("adminAccountLimits"), *rest.data());
    let unset = json!({
        "account_id": id, "max_overlays": null, "max_storage_bytes": null, "max_upload_size_bytes": null,
        "max_integrations": null, "chat_retention_days": null, "custom_bot_allowed": null,
        "obs_remote_allowed": null, "copyright_detection_allowed": null, "notes": null, "updated_by": null,
        "updated_at": null,
    });
    assert_eq!(rest.data(), &unset);
    let both = set_limits(&admin, id, json!({ "max_overlays": 7 }), json!({ "maxOverlays": 7 })).await;
    both.0.expect(200);
    let (rest, graphql) = limits(&admin, id).await;
    assert_eq!(graphql.field("adminAccountLimits"), *rest.data());
    assert_eq!((&rest.data()["max_overlays"], &rest.data()["max_integrations"]), (&json!(7), &Value::Null));
    assert_eq!(rest.data()["updated_by"], json!(admin.user_id));
    refused(&limits(&owner, id).await, 403, "FORBIDDEN", "Missing permission: accounts:read");
    refused(&limits(&admin, Uuid::now_v7()).await, 404, "NOT_FOUND", "Account not found");
}

#[tokio::test]
async fn admin_upsert_account_limits_replaces_all_limits() {
    let app = TestApp::start().await;
    let (admin, owner) = (admin(&app).await, app.owner().await);
    let id = owner.account_id;
    let rest = json!({
        "max_overlays": 7, "max_storage_bytes": 10_737_418_240_i64, "obs_remote_allowed": false, "notes": " VIP ",
    });
    let graphql = json!({
        "maxOverlays": 7, "maxStorageBytes": 10_737_418_240_i64, "obsRemoteAllowed": false, "notes": "VIP",
    });
    let (rest, graphql) = set_limits(&admin, id, rest, graphql).await;
    assert_eq!(rest.status, 200, "{}", rest.text);
    let set = rest.data();
    assert_eq!((&set["max_overlays"], &set["max_storage_bytes"]), (&json!(7), &json!(10_737_418_240_i64)));
    assert_eq!((&set["obs_remote_allowed"], &set["notes"]), (&json!(false), &json!("VIP")));
    assert_eq!((&set["updated_by"], &set["max_integrations"]), (&json!(admin.user_id), &Value::Null));
    // GraphQL writes numbers beyond 32 bits as doubles.
    let storage = graphql.field("adminUpsertAccountLimits")["max_storage_bytes"].as_f64();
    assert_eq!(storage, Some(10_737_418_240.0));
    // Two of them affect features.
    let features = owner.get(&format!("/v1/accounts/{id}/enabled-features")).await;
    assert!(!features.data().as_array().unwrap().contains(&json!("feature:obs_remote")));

    // An absent limit is the plan's again.
    let (rest, _) =
        set_limits(&admin, id, json!({ "max_integrations": 1 }), json!({ "maxIntegrations": 1 })).await;
    assert_eq!((&rest.data()["max_overlays"], &rest.data()["notes"]), (&Value::Null, &Value::Null));
    assert_eq!(limits(&admin, id).await.0.data()["max_integrations"], 1);
    let features = owner.get(&format!("/v1/accounts/{id}/enabled-features")).await;
    assert!(features.data().as_array().unwrap().contains(&json!("feature:obs_remote")));
    assert_eq!(app.audited("account:limits_updated").await.len(), 4);

    for (rest, graphql, message) in [
        (json!({ "max_overlays": -1 }), json!({ "maxOverlays": -1 }), "Limit cannot be negative".to_owned()),
        (
            json!({ "chat_retention_days": -1 }),
            json!({ "chatRetentionDays": -1 }),
            "Limit cannot be negative".to_owned(),
        ),
        (
            json!({ "notes": "x".repeat(2001) }),
            json!({ "notes": "x".repeat(2001) }),
            "notes must be between 0 and 2000 characters".to_owned(),
        ),
    ] {
        refused(&set_limits(&admin, id, rest, graphql).await, 400, "VALIDATION_ERROR", &message);
    }
    assert_eq!(app.audited("account:limits_updated").await.len(), 4);
}
