//! Channels that an operator connects at the console, with what follows a connection over the platform's page
//! (specification E, 29).

use api_core::{ApiError, Result, State, validate};
use diesel_async::AsyncConnection;
use serde_json::json;
use shared::{
    audit::{self, Actor, Entry, Scope},
    connections::{AppKind, CredentialSource, Update},
    platforms::{Platform, TokenGrant, TokenOwner},
    secret::Secret,
};
use uuid::Uuid;

use super::{
    exchange::{self, Granted},
    store::{self, Maker},
};

const MAX_NAME: usize = 200;

/// A channel to connect.
#[derive(Debug)]
pub struct NewChannel {
    pub account: Uuid,
    pub platform: Platform,
    pub channel_id: String,
    pub channel_name: String,
    pub access_token: Option<Secret>,
}

/// Connects a channel, in place of the account's channel on that platform (A §2.8, rule 5). Its platform is asked for
/// deliveries, clients and bots are told, and the grant that it replaces is ended.
///
/// # Errors
/// 400 for a wrong id or name, 404 when there is no such account.
pub async fn connect_by_hand(state: &State, channel: NewChannel) -> Result<Uuid> {
    let NewChannel { account, platform, channel_id, channel_name, access_token } = channel;
    let channel_id = validate::text("channel-id", &channel_id, 1, MAX_NAME)?;
    let channel_name = validate::text("channel-name", &channel_name, 1, MAX_NAME)?;
    let granted = granted(channel_id, channel_name, access_token);
    let maker = Maker { platform, user_id: None };
    let made = state
        .databases
        .postgres
        .get()
        .await?
        .transaction(async |connection| {
            let missing = || ApiError::not_found(format!("there is no account {account}"));
            store::lock_account(connection, account).await?.ok_or_else(missing)?;
            let stored = exchange::channel(state, connection, account, maker, &granted).await?;
            let action = match stored.update {
                Update::Reconnected => "connection:reconnected",
                _ => "connection:connected",
            };
            audit::record(connection, entry(action, account, &stored, &granted)).await?;
            exchange::announce(state, connection, account, platform, &stored).await?;
            Ok::<_, ApiError>(stored.id)
        })
        .await?;
    exchange::tell_bots(state, account, platform).await;
    Ok(made)
}

fn granted(channel_id: String, channel_name: String, access_token: Option<Secret>) -> Granted {
    let owner = TokenOwner {
        id: channel_id.clone(),
        channel_id,
        username: channel_name.clone(),
        display_name: channel_name,
        avatar_url: None,
    };
    let tokens = access_token.map(|access_token| TokenGrant {
        access_token,
        refresh_token: None,
        expires_in: None,
        scopes: Vec::new(),
        guild: None,
    });
    Granted { tokens, owner, source: CredentialSource::System, app: AppKind::Channel, client_id: None }
}

fn entry(action: &'static str, account: Uuid, stored: &store::Stored, granted: &Granted) -> Entry<'static> {
    Entry {
        scope: Scope::Account(account),
        actor: Actor::System,
        action,
        resource_type: "channel_connection",
        resource_id: Some(stored.id.to_string()),
        metadata: json!({
            "by": "console",
            "kind": "channel",
            "credential_source": granted.source,
            "platform_id": stored.platform_id,
        }),
        ip: None,
    }
}
