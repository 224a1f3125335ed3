//! Queries over `platform_users` and `platform_user_profiles`, and over the other data of a profile. Each
//! carries the account.

use api_core::Result;
use chrono::{DateTime, Utc};
use diesel::{
    QueryableByName,
    dsl::count_star,
    prelude::*,
    sql_query,
    sql_types::{BigInt, Jsonb, Nullable, Text, Timestamptz, Uuid as SqlUuid},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use platforms::UserProfile;
use serde_json::Value;
use shared::schema::{account_settings, channel_connections, user_notes};
use uuid::Uuid;

use super::subject::Subject;

/// Data of a user that the account has.
#[derive(Debug, QueryableByName)]
pub(super) struct KnownUser {
    /// Last name in addresses.
    #[diesel(sql_type = Nullable<Text>)]
    pub username: Option<String>,
    /// Last name as the platform shows it.
    #[diesel(sql_type = Nullable<Text>)]
    pub display_name: Option<String>,
    /// Address of the picture.
    #[diesel(sql_type = Nullable<Text>)]
    pub avatar_url: Option<String>,
    /// Number of messages.
    #[diesel(sql_type = Nullable<BigInt>)]
    pub message_count: Option<i64>,
    /// Time of the first message.
    #[diesel(sql_type = Nullable<Timestamptz>)]
    pub first_seen_at: Option<DateTime<Utc>>,
    /// Time of the last message.
    #[diesel(sql_type = Nullable<Timestamptz>)]
    pub last_seen_at: Option<DateTime<Utc>>,
    /// Last profile of the platform.
    #[diesel(sql_type = Nullable<Jsonb>)]
    pub profile: Option<Value>,
    /// Time of that profile.
    #[diesel(sql_type = Nullable<Timestamptz>)]
    pub enriched_at: Option<DateTime<Utc>>,
    /// Badges of the user's last message.
    #[diesel(sql_type = Nullable<Jsonb>)]
    pub badges: Option<Value>,
}

/// Channel of the account on a platform.
#[derive(Debug, Queryable)]
pub(super) struct ChannelConnection {
    /// Id of the connection.
    pub id: Uuid,
    /// The platform's id of the channel.
    pub platform_channel_id: String,
    /// Scopes of its token.
    pub scopes: Vec<String>,
    /// True when it must be connected again.
    pub reconnect_required: bool,
    /// True when the connection holds a token.
    pub has_token: bool,
}

/// Reads the data of a user. There is always one row.
pub(super) async fn known(connection: &mut AsyncPgConnection, subject: &Subject) -> Result<KnownUser> {
    let sql = "SELECT users.username, users.display_name, users.avatar_url, users.message_count, users.first_seen_at, \
        users.last_seen_at, profiles.profile, profiles.enriched_at, last_message.badges \
        FROM (SELECT $1::uuid AS account_id, $2::text AS platform, $3::text AS platform_user_id) AS subject \
        LEFT JOIN platform_users AS users USING (account_id, platform, platform_user_id) \
        LEFT JOIN platform_user_profiles AS profiles USING (account_id, platform, platform_user_id) \
        LEFT JOIN LATERAL (SELECT badges FROM chat_messages WHERE account_id = $1 AND platform = $2 \
            AND platform_user_id = $3 ORDER BY sent_at DESC LIMIT 1) AS last_message ON true";
    Ok(sql_query(sql)
        .bind::<SqlUuid, _>(subject.account)
        .bind::<Text, _>(subject.platform.slug())
        .bind::<Text, _>(&subject.user_id)
        .get_result(connection)
        .await?)
}

/// Stores a profile of the platform, and its picture for searches.
pub(super) async fn upsert_profile(
    connection: &mut AsyncPgConnection,
    subject: &Subject,
    profile: &UserProfile,
    now: DateTime<Utc>,
) -> Result<()> {
    let sql = "WITH kept AS (INSERT INTO platform_user_profiles (account_id, platform, platform_user_id, profile, \
            enriched_at) VALUES ($1, $2, $3, $4, $5) ON CONFLICT (account_id, platform, platform_user_id) \
            DO UPDATE SET profile = excluded.profile, enriched_at = excluded.enriched_at) \
        UPDATE platform_users SET avatar_url = $6 WHERE account_id = $1 AND platform = $2 AND platform_user_id = $3";
    sql_query(sql)
        .bind::<SqlUuid, _>(subject.account)
        .bind::<Text, _>(subject.platform.slug())
        .bind::<Text, _>(&subject.user_id)
        .bind::<Jsonb, _>(serde_json::to_value(profile)?)
        .bind::<Timestamptz, _>(now)
        .bind::<Nullable<Text>, _>(profile.avatar_url.as_deref())
        .execute(connection)
        .await?;
    Ok(())
}

pub(super) async fn count_notes(connection: &mut AsyncPgConnection, subject: &Subject) -> Result<i64> {
    use user_notes::dsl;
    Ok(dsl::user_notes
        .filter(
            dsl::account_id
                .eq(subject.account)
                .and(dsl::platform.eq(subject.platform.slug()))
                .and(dsl::platform_user_id.eq(&subject.user_id)),
        )
        .select(count_star())
        .first(connection)
        .await?)
}

pub(super) async fn channel(
    connection: &mut AsyncPgConnection,
    subject: &Subject,
) -> Result<Option<ChannelConnection>> {
    use channel_connections::dsl;
    Ok(dsl::channel_connections
        .filter(dsl::account_id.eq(subject.account).and(dsl::platform.eq(subject.platform.slug())))
        .select((
            dsl::id,
            dsl::platform_channel_id,
            dsl::scopes,
            dsl::reconnect_required,
            dsl::access_token.is_not_null(),
        ))
        .first(connection)
        .await
        .optional()?)
}

/// True when the account stores profiles of chatters (reference/accounts.md#privacy-settings).
pub(super) async fn keeps_profiles(connection: &mut AsyncPgConnection, subject: &Subject) -> Result<bool> {
    let kept: Option<bool> = account_settings::table
        .filter(account_settings::account_id.eq(subject.account))
        .select(account_settings::store_user_profiles)
        .first(connection)
        .await
        .optional()?;
    Ok(kept.unwrap_or(true))
}
