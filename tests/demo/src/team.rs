//! Permissions in a creator's account: a role, a member with it, keys and a popout, each tested at its limit.

use anyhow::{Context, Result, ensure};
use reqwest::Method;
use serde_json::{Value, json};

use crate::{
    api::{Api, text},
    stand_in::StandIn,
    steps::{Creator, exchange, result},
};

/// Shows roles, members, keys and popouts of the creator's account.
///
/// # Errors
/// A failure when a caller may do more or less than intended.
pub async fn show(api: &Api, stand_in: &StandIn, creator: &Creator, run: &str) -> Result<()> {
    let owner = &creator.api;
    let role = json!({ "name": format!("Clip editor {run}"), "permissions": ["chat:read", "events:read", "tokens:read"] });
    let role = owner.post("/v1/roles", role).await?;
    result("POST /v1/roles", &role["data"]);
    refused(owner, "/v1/roles", json!({ "name": "Everything", "permissions": ["chat:*"] }), 400).await?;

    let invite = json!({ "role_id": role["data"]["id"], "method": "link" });
    let invite = owner.post("/v1/invites", invite).await?;
    let code = text(&invite, "/data/code")?;
    let editor = stand_in.create_user("twitch", &format!("editor_{run}")).await?;
    let (editor, _id) = exchange(api, &editor).await?;
    result("GET /v1/invites/{code}, not signed in", &api.get(&format!("/v1/invites/{code}")).await?["data"]);
    editor.post(&format!("/v1/invites/{code}/accept"), json!({})).await?;
    let switched = json!({ "active_account_id": creator.account_id });
    let switched = editor.call(Method::PATCH, "/v1/users/me", Some(switched)).await?;
    let editor = editor.with(text(&switched, "/data/token")?);
    result("GET /v1/tokens/me, as the new member", &editor.get("/v1/tokens/me").await?["data"]);
    refused(&editor, "/v1/roles", json!({ "name": "Mine", "permissions": [] }), 403).await?;
    let members = owner.get(&format!("/v1/accounts/{}/members", creator.account_id)).await?;
    let names = members["data"].as_array().context("a list of members")?;
    let names: Vec<_> =
        names.iter().map(|member| json!([member["display_name"], member["role"]["name"]])).collect();
    result("GET /v1/accounts/{id}/members", &json!(names));

    let service = json!({ "label": "overlay server", "permissions": ["connections:read"] });
    let service = owner.post("/v1/service-keys", service).await?;
    result("POST /v1/service-keys", &service["data"]["key_prefix"]);
    let by_service = owner.with(text(&service, "/data/key")?);
    result("GET /v1/tokens/me with the service key", &by_service.get("/v1/tokens/me").await?["data"]);
    refused(&by_service, "/v1/api-keys", json!({ "label": "more", "permissions": [] }), 403).await?;

    let popout = json!({ "label": "chat window", "permissions": ["chat:read"] });
    let popout = owner.post("/v1/tokens", popout).await?;
    let exchanged = json!({ "token": popout["data"]["token"] });
    let exchanged = api.post("/v1/auth/popout/exchange", exchanged).await?;
    let window = api.with(text(&exchanged, "/data/token")?);
    result("POST /v1/auth/popout/exchange: may", &window.get("/v1/tokens/me").await?["data"]);
    refused(&window, "/v1/auth/ws-token", json!({}), 403).await
}

/// Asserts that a call is refused, and shows the message.
async fn refused(caller: &Api, path: &str, body: Value, status: u16) -> Result<()> {
    let (answered, answer) = caller.send(Method::POST, path, Some(body)).await?;
    ensure!(answered == status, "POST {path} answered {answered} instead of {status}: {answer}");
    result(&format!("POST {path}, refused"), &serde_json::from_str(&answer)?);
    Ok(())
}
