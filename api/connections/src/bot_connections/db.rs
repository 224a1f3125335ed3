//! Queries over the bots of the deployment, which are the rows without an account.

use api_core::{Cx, Result};
use chrono::{DateTime, Utc};
use connection_access::{BotConnection, BotConnectionRow};
use diesel::{insert_into, prelude::*, sql_query, sql_types::Text};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use foundation::crypto::{SecretLocation, row};
use platforms::TokenOwner;
use shared::{
    connection::{AppKind, CredentialSource},
    id::UserId,
    platform::Platform,
    schema::bot_connections::dsl,
    secret::Secret,
};
use uuid::Uuid;

/// Upper bound of the list. There is one bot for each platform.
const MAX_ROWS: i64 = 100;

pub(super) async fn of_deployment(connection: &mut AsyncPgConnection) -> Result<Vec<BotConnection>> {
    let rows: Vec<BotConnectionRow> = dsl::bot_connections
        .filter(dsl::account_id.is_null())
        .order(dsl::platform)
        .limit(MAX_ROWS)
        .select(BotConnectionRow::as_select())
        .load(connection)
        .await?;
    Ok(rows.into_iter().map(BotConnection::from).collect())
}

/// Stores the deployment's bot in Discord and replaces the former one.
pub(super) async fn put_discord_bot(
    cx: &Cx,
    connection: &mut AsyncPgConnection,
    user: UserId,
    application_id: &str,
    token: &Secret,
    bot: &TokenOwner,
) -> Result<BotConnection> {
    let slug = Platform::Discord.slug();
    // The token is sealed for the id of the row, so that no other transaction may insert the row meanwhile.
    sql_query("SELECT pg_advisory_xact_lock(hashtextextended($1, 0))")
        .bind::<Text, _>(format!("bot_connections:{}:{slug}", Uuid::nil()))
        .execute(connection)
        .await?;
    let old: Option<(Uuid, i64)> = dsl::bot_connections
        .filter(dsl::account_id.is_null().and(dsl::platform.eq(slug)))
        .select((dsl::id, dsl::token_version))
        .first(connection)
        .await
        .optional()?;
    let (id, token_version) = old.map_or_else(|| (shared::id::new(), 0), |(id, version)| (id, version + 1));
    let text = row(id);
    let place = SecretLocation { table: "bot_connections", column: "access_token", row: &text };
    let sealed = cx.state().keyring.seal(place, token)?;
    let now = cx.state().clock.now();
    let values = (
        dsl::bot_user_id.eq(&bot.id),
        dsl::bot_username.eq(&bot.username),
        dsl::display_name.eq(&bot.display_name),
        dsl::avatar_url.eq(&bot.avatar_url),
        dsl::credential_source.eq(CredentialSource::System.as_str()),
        dsl::credential_app.eq(AppKind::Bot.as_str()),
        dsl::client_id.eq(application_id),
        dsl::access_token.eq(&sealed),
        dsl::refresh_token.eq(None::<Vec<u8>>),
        dsl::expires_at.eq(None::<DateTime<Utc>>),
        dsl::token_version.eq(token_version),
        dsl::reconnect_required.eq(false),
        dsl::flagged_at.eq(None::<DateTime<Utc>>),
        dsl::connected_by.eq(user),
        dsl::connected_at.eq(now),
        dsl::updated_at.eq(now),
    );
    let stored: BotConnectionRow = match old {
        Some(_) => {
            diesel::update(dsl::bot_connections.filter(dsl::id.eq(id).and(dsl::account_id.is_null())))
                .set(values)
                .returning(BotConnectionRow::as_returning())
                .get_result(connection)
                .await?
        }
        None => {
            insert_into(dsl::bot_connections)
                .values((dsl::id.eq(id), dsl::platform.eq(slug), values))
                .returning(BotConnectionRow::as_returning())
                .get_result(connection)
                .await?
        }
    };
    Ok(stored.into())
}
