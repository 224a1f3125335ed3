//! First-party operations (reference/credentials.md#first-party-callers).

use api_core::access::Who;
use lumio_tests::{Answer, Caller, TestApp, both_refused};
use reqwest::Method;
use serde_json::json;

use super::surfaces;
use crate::text;

/// Names of the first-party operations.
const FIRST_PARTY: [&str; 45] = [
    "me",
    "updateMe",
    "mySessions",
    "revokeOtherSessions",
    "revokeSession",
    "loginConnections",
    "disconnectLoginConnection",
    "setLoginReconnectFlag",
    "accountLoginAssignments",
    "assignLoginConnection",
    "removeLoginAssignment",
    "linkLoginProvider",
    "setPrimaryLoginConnection",
    "notifications",
    "unreadNotificationCount",
    "markNotificationRead",
    "markAllNotificationsRead",
    "runNotificationAction",
    "deleteNotification",
    "notificationPreferences",
    "updateNotificationPreference",
    "developerApplication",
    "submitDeveloperApplication",
    "developerVerification",
    "submitDeveloperVerification",
    "createAccount",
    "dissolveAccount",
    "leaveAccount",
    "issueWsToken",
    "createPopoutToken",
    "apiKeyAssignablePermissions",
    "userApiKeys",
    "createUserApiKey",
    "updateUserApiKey",
    "deleteUserApiKey",
    "flaggedConnections",
    "developerLimits",
    "developerProfile",
    "updateDeveloperProfile",
    "developerPayoutSettings",
    "updateDeveloperPayoutSettings",
    "requestDeveloperPayout",
    "developerPayouts",
    "developerRevenue",
    "logout",
];

/// First-party operations that do not exist yet: the list may only shrink.
const NOT_BUILT: [&str; 12] = [
    "developerApplication",
    "submitDeveloperApplication",
    "developerVerification",
    "submitDeveloperVerification",
    "developerLimits",
    "developerProfile",
    "updateDeveloperProfile",
    "developerPayoutSettings",
    "updateDeveloperPayoutSettings",
    "requestDeveloperPayout",
    "developerPayouts",
    "developerRevenue",
];

#[tokio::test]
async fn first_party_operations_accept_sessions_and_own_keys_only() {
    let app = TestApp::start().await;
    let rules: Vec<_> = lumio_api::operations::rules().collect();
    for name in FIRST_PARTY {
        match rules.iter().find(|rule| rule.name == name) {
            Some(rule) => {
                assert!(matches!(rule.who, Who::FirstParty | Who::Session), "{name}: {:?}", rule.who)
            }
            None => assert!(NOT_BUILT.contains(&name), "{name} is not there"),
        }
    }
    let owner = app.owner().await;
    let popout = app.popout(&owner, &["account:read", "apikeys:read", "tokens:read"]).await;
    let exchanged =
        app.anonymous().post("/v1/auth/popout/exchange", json!({ "token": popout.token() })).await;
    let mut refused = surfaces(&app, owner.account_id).await;
    refused.push(("popout", popout));
    refused.push(("popout session", app.bearer(text(exchanged.data(), "/token"))));
    refused.push(("service key", app.service_key(owner.account_id, &["apikeys:read"]).await));
    let key = app.personal_key(&owner, &["apikeys:read"]).await;
    let token = json!({ "permissions": ["chat:read"] });
    for (method, path, body, query) in [
        (Method::GET, "/v1/users/me", json!({}), "{ me { id } }"),
        (Method::GET, "/v1/api-keys", json!({}), "{ userApiKeys { id } }"),
        (Method::POST, "/v1/auth/ws-token", json!({}), "mutation { issueWsToken { wsToken } }"),
        (
            Method::POST,
            "/v1/tokens",
            token,
            "mutation { createPopoutToken(input: { permissions: [\"chat:read\"] }) { token } }",
        ),
    ] {
        let ask = async |caller: &Caller| -> (Answer, Answer) {
            let request = caller.request(method.clone(), path);
            let request = if method == Method::GET { request } else { request.json(&body) };
            (caller.send(request).await, caller.graphql(query, json!({})).await)
        };
        for (name, caller) in &refused {
            let (rest, graphql) = ask(caller).await;
            assert_eq!(rest.status, 403, "{name} {path}: {}", rest.text);
            both_refused(&rest, &graphql, 403, "FORBIDDEN", "First-party session required");
        }
        for caller in [&owner.caller, &key] {
            let (rest, graphql) = ask(caller).await;
            for answer in [rest, graphql] {
                assert_ne!(answer.error().1, "First-party session required", "{path}: {}", answer.text);
            }
        }
    }
}
