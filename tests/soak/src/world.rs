//! Accounts with a connected Twitch channel, installs of extensions, an automation and an overlay, created through the
//! API.

use anyhow::{Context, Result};
use demo::{Api, StandIn, archive, connect, exchange, text};
use futures::{StreamExt, TryStreamExt, stream};
use reqwest::{
    Method,
    multipart::{Form, Part},
};
use serde_json::{Value, json};
use stack::Stack;

use crate::{
    Arguments, automations,
    listener::{Client, Subscription},
    overlays::{self, Overlay},
};

/// All participants.
pub struct World {
    pub accounts: Vec<Account>,
    pub stand_in: StandIn,
}

/// One streamer's account.
#[derive(Debug, Clone)]
pub struct Account {
    pub id: String,
    /// The channel's id at Twitch.
    pub channel: String,
    /// A personal key that reads chat.
    pub key: String,
    pub overlay: Overlay,
}

/// Number of accounts that are created concurrently.
const MAX_CONCURRENT: usize = 4;

impl World {
    /// # Errors
    /// An error when a step of the set-up is refused.
    pub async fn make(stack: &Stack, arguments: &Arguments) -> Result<Self> {
        let (api, stand_in) = (Api::new(&stack.origin)?, StandIn::new(&stack.environment["STAND_IN"])?);
        let extensions = publish(stack, &api, &stand_in, arguments.installs).await?;
        let accounts = stream::iter(0..arguments.accounts)
            .map(|number| account(&api, &stand_in, number, &extensions))
            .buffered(MAX_CONCURRENT)
            .try_collect()
            .await?;
        Ok(Self { accounts, stand_in })
    }

    /// The chat of each account.
    pub fn chats(&self) -> Vec<Subscription> {
        let of_account = |account: &Account| Subscription {
            channel: format!("chat:{}", account.id),
            account: account.id.clone(),
            token: account.key.clone(),
            client: Client::Dashboard,
        };
        self.accounts.iter().map(of_account).collect()
    }
}

async fn account(api: &Api, stand_in: &StandIn, number: usize, extensions: &[String]) -> Result<Account> {
    let user = stand_in.create_user("twitch", &format!("soak_{number}")).await?;
    let (owner, _) = exchange(api, &user).await?;
    let me = owner.get("/v1/users/me").await?;
    connect(&owner, "twitch", &user).await?;
    let key = json!({ "label": "soak", "permissions": ["chat:read"] });
    let key = owner.post("/v1/api-keys", key).await?;
    for extension in extensions {
        let consent = json!({ "extension_id": extension, "granted_permissions": ["chat:read", "chat:send"] });
        owner.post("/v1/extension-installs", consent).await?;
    }
    automations::make(&owner).await.context("the automation")?;
    let overlay = overlays::make(&owner).await.context("the overlay")?;
    Ok(Account {
        id: text(&me, "/data/active_account_id")?.to_owned(),
        channel: user.id,
        key: text(&key, "/data/key")?.to_owned(),
        overlay,
    })
}

/// Extensions that a developer may create in an hour (reference/developers.md#limits-of-developers).
const OF_A_DEVELOPER: usize = 10;

/// Published extensions: number n replies to `!c{n}`.
async fn publish(stack: &Stack, api: &Api, stand_in: &StandIn, count: usize) -> Result<Vec<String>> {
    let reviewer = stand_in.create_user("twitch", "soak_operator").await?;
    let (reviewer, id) = exchange(api, &reviewer).await?;
    stack.run("lumio-api", &["admin", "grant-admin", "--user", &id])?;
    let (mut developers, mut extensions) = (Vec::new(), Vec::with_capacity(count));
    for number in 0..count {
        if number % OF_A_DEVELOPER == 0 {
            developers.push(developer(stack, api, stand_in, developers.len()).await?);
        }
        let developer = developers.last().context("a developer")?;
        let made = extension(developer, &reviewer, number).await;
        extensions.push(made.with_context(|| format!("extension {number}"))?);
    }
    Ok(extensions)
}

/// A developer with a key for the developer API.
async fn developer(stack: &Stack, api: &Api, stand_in: &StandIn, number: usize) -> Result<Api> {
    let person = stand_in.create_user("twitch", &format!("soak_developer_{number}")).await?;
    let (developer, id) = exchange(api, &person).await?;
    stack.run("lumio-api", &["admin", "create-developer", "--user", &id])?;
    let scopes =
        ["extension-dev:read", "extension-dev:create", "extension-dev:edit", "extension-dev:publish"];
    let key = developer.post("/v1/api-keys", json!({ "label": "cli", "permissions": scopes })).await?;
    Ok(developer.with(text(&key, "/data/key")?))
}

async fn extension(developer: &Api, reviewer: &Api, number: usize) -> Result<String> {
    let body = json!({ "name": format!("Soak {number}"), "short_description": "Answers one command.",
                       "description": "Answers one command.", "pricing": { "type": "free" } });
    let made = developer.post("/developer/v1/extensions", body).await?;
    let id = text(&made, "/extension/id")?.to_owned();
    let bundle = archive(&manifest(&id, number), SERVER.as_bytes())?;
    let bundle = Part::bytes(bundle).file_name("soak.tar.gz").mime_str("application/gzip")?;
    let form =
        Form::new().text("version", "1.0.0").text("changelog", "First version.").part("bundle", bundle);
    let uploaded = developer.upload(&format!("/developer/v1/extensions/{id}/versions"), form).await?;
    let visible = json!({ "visibility": "public" });
    developer.call(Method::PATCH, &format!("/developer/v1/extensions/{id}"), Some(visible)).await?;
    let version = text(&uploaded, "/version/id")?;
    reviewer.post(&format!("/v1/admin/extension-versions/{version}/publish"), json!({})).await?;
    Ok(id)
}

const SERVER: &str = r#"
export async function answer(ctx, input) {
  return { action: "send_message", message: `re ${input.argsText}` };
}
"#;

fn manifest(id: &str, number: usize) -> Value {
    let command = json!({ "name": format!("c{number}"), "alias": null, "cooldown_global": 0, "cooldown_user": 0,
                          "min_role": "everyone", "enabled": true, "handler": "answer" });
    json!({
        "extensionId": id, "version": "1.0.0", "name": format!("Soak {number}"),
        "description": "Answers one command.", "category": "bot_module", "server": true,
        "permissions": ["chat:read", "chat:send"], "config_schema": {},
        "bot_module": { "platforms": ["twitch"], "commands": [command], "keywords": [], "patterns": [],
                        "events": [], "timers": [], "moderate": null },
    })
}
