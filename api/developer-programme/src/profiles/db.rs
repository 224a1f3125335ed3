//! Queries over `developer_profiles` and the listed extensions of a developer.

use api_core::{
    Result, Timestamp,
    graphql::{Int64, int},
};
use chrono::{DateTime, Utc};
use diesel::{
    QueryableByName,
    prelude::*,
    sql_query,
    sql_types::{BigInt, Double, Uuid as SqlUuid},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use shared::{
    id::UserId,
    schema::{
        developer_profiles::{self, dsl},
        extensions,
    },
};
use uuid::Uuid;

use super::{DeveloperProfile, PublicDeveloperExtension, PublicDeveloperStats};

/// Bound of the list of extensions (reference/programme.md#profiles).
const MAX_EXTENSIONS: i64 = 100;

#[derive(Queryable, Selectable)]
#[diesel(table_name = developer_profiles)]
struct Row {
    id: Uuid,
    user_id: Uuid,
    display_name: String,
    slug: String,
    description: Option<String>,
    github_url: Option<String>,
    website_url: Option<String>,
    avatar_key: Option<Uuid>,
    verified: bool,
    created_at: Timestamp,
    updated_at: Timestamp,
}

/// Checked changes of a profile.
#[derive(AsChangeset)]
#[diesel(table_name = developer_profiles)]
pub(super) struct Changes {
    pub display_name: Option<String>,
    pub description: Option<Option<String>>,
    pub github_url: Option<Option<String>>,
    pub website_url: Option<Option<String>>,
    pub avatar_key: Option<Option<Uuid>>,
    pub updated_at: DateTime<Utc>,
}

#[derive(Queryable, Selectable)]
#[diesel(table_name = extensions)]
struct Extension {
    id: Uuid,
    short_id: String,
    slug: String,
    name: String,
    short_description: String,
    category: Option<String>,
    icon_key: Option<String>,
    pricing_type: String,
    pricing_amount: Option<i64>,
    install_count: i32,
    rating_avg: f64,
    rating_count: i32,
    published_at: Option<Timestamp>,
}

#[derive(QueryableByName)]
struct Stats {
    #[diesel(sql_type = BigInt)]
    extensions: i64,
    #[diesel(sql_type = BigInt)]
    installs: i64,
    #[diesel(sql_type = Double)]
    rating: f64,
}

impl Changes {
    /// Names of the fields that the client gave.
    pub(super) fn fields(&self) -> Vec<&'static str> {
        let given = [
            ("display_name", self.display_name.is_some()),
            ("description", self.description.is_some()),
            ("github_url", self.github_url.is_some()),
            ("website_url", self.website_url.is_some()),
            ("avatar_key", self.avatar_key.is_some()),
        ];
        given.into_iter().filter(|(_, is_given)| *is_given).map(|(name, _)| name).collect()
    }
}

pub(super) async fn of_person(
    connection: &mut AsyncPgConnection,
    user: UserId,
) -> Result<Option<DeveloperProfile>> {
    let own = dsl::developer_profiles.filter(dsl::user_id.eq(user)).select(Row::as_select());
    Ok(own.first(connection).await.optional()?.map(profile))
}

pub(super) async fn of_slug(
    connection: &mut AsyncPgConnection,
    slug: &str,
) -> Result<Option<DeveloperProfile>> {
    let named = dsl::developer_profiles.filter(dsl::slug.eq(slug)).select(Row::as_select());
    Ok(named.first(connection).await.optional()?.map(profile))
}

pub(super) async fn update(
    connection: &mut AsyncPgConnection,
    user: UserId,
    changes: &Changes,
) -> Result<DeveloperProfile> {
    let own = dsl::developer_profiles.filter(dsl::user_id.eq(user));
    let row = diesel::update(own).set(changes).returning(Row::as_returning()).get_result(connection).await?;
    Ok(profile(row))
}

/// Returns the figures over the listed extensions. The average weighs each rating equally.
pub(super) async fn stats(
    connection: &mut AsyncPgConnection,
    developer: Uuid,
) -> Result<PublicDeveloperStats> {
    let stats: Stats = sql_query(
        "SELECT count(*) AS extensions, coalesce(sum(install_count), 0)::bigint AS installs,
                coalesce(sum(rating_sum)::double precision / nullif(sum(rating_count), 0), 0) AS rating
         FROM extensions WHERE owner_developer_id = $1 AND is_listed",
    )
    .bind::<SqlUuid, _>(developer)
    .get_result(connection)
    .await?;
    Ok(PublicDeveloperStats {
        extension_count: int(stats.extensions),
        total_installs: int(stats.installs),
        avg_rating: stats.rating,
    })
}

/// Returns the listed extensions, most installs first.
pub(super) async fn extensions(
    connection: &mut AsyncPgConnection,
    developer: Uuid,
) -> Result<Vec<PublicDeveloperExtension>> {
    let rows: Vec<Extension> = extensions::table
        .filter(extensions::owner_developer_id.eq(developer).and(extensions::is_listed))
        .order((extensions::install_count.desc(), extensions::id.desc()))
        .limit(MAX_EXTENSIONS)
        .select(Extension::as_select())
        .load(connection)
        .await?;
    Ok(rows.into_iter().map(extension).collect())
}

fn profile(row: Row) -> DeveloperProfile {
    DeveloperProfile {
        id: row.id,
        user_id: row.user_id,
        display_name: row.display_name,
        slug: row.slug,
        description: row.description,
        github_url: row.github_url,
        website_url: row.website_url,
        avatar_key: row.avatar_key,
        verified: row.verified,
        created_at: row.created_at,
        updated_at: row.updated_at,
    }
}

fn extension(row: Extension) -> PublicDeveloperExtension {
    PublicDeveloperExtension {
        id: row.id,
        short_id: row.short_id,
        slug: row.slug,
        name: row.name,
        description: row.short_description,
        category: row.category,
        icon_key: row.icon_key,
        pricing_type: row.pricing_type,
        pricing_currency: row.pricing_amount.map(|_cents| "EUR".to_owned()),
        pricing_amount: row.pricing_amount.map(Int64),
        install_count: row.install_count,
        rating_avg: row.rating_avg,
        rating_count: row.rating_count,
        published_at: row.published_at,
    }
}
