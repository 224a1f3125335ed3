//! Channels that an operator connects at the console (reference/connections.md#connecting-at-the-console).
//! The effects are those of a connection over the platform's page.

use api_core::{ApiError, Result, State, access::SystemReason, validate};
use connection_model::Update;
use diesel_async::AsyncConnection;
use foundation::{
    audit::{self, Actor, Entry, Scope},
    invalidation::{self, Invalidation},
};
use platforms::{TokenGrant, TokenOwner};
use serde_json::json;
use shared::{
    connection::{AppKind, CredentialSource},
    platform::Platform,
    secret::Secret,
};
use uuid::Uuid;

use super::{
    exchange,
    store::{self, Granted, Maker},
};

const MAX_NAME: usize = 200;

/// Channel to connect.
#[derive(Debug)]
pub struct NewChannel {
    /// Account of the channel.
    pub account: Uuid,
    /// Platform.
    pub platform: Platform,
    /// Id of the channel at the platform, 1 to 200 characters.
    pub channel_id: String,
    /// Name of the channel, 1 to 200 characters.
    pub channel_name: String,
    /// Access token; `None`: the connection has no tokens.
    pub access_token: Option<Secret>,
}

/// Connects a channel and replaces the account's former channel on the platform. Deliveries are requested,
/// clients and bots are notified, and the replaced grant is revoked.
///
/// # Errors
/// 400 for an invalid id or name; 404 when there is no such account.
pub async fn connect_manually(state: &State, channel: NewChannel) -> Result<Uuid> {
    let NewChannel { account, platform, channel_id, channel_name, access_token } = channel;
    let channel_id = validate::text("channel-id", &channel_id, 1, MAX_NAME)?;
    let channel_name = validate::text("channel-name", &channel_name, 1, MAX_NAME)?;
    let granted = granted(channel_id, channel_name, access_token);
    let maker = Maker { platform, user_id: None };
    let made = state
        .system(SystemReason::Console)
        .db()
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
    let announced = invalidation::announce(&state.redis, &Invalidation::PublicStats).await;
    if let Err(error) = announced {
        tracing::warn!(%platform, %error, "public answers about a channel stay until they expire");
    }
    exchange::notify_bots(state, account, platform).await;
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
