//! Public profile of a team (reference/teams.md#public-profile).

use api_core::{
    Cx, Operation, Result, Timestamp,
    access::{Grants, Visitor, team_not_found},
    graphql::{Int64, int},
};
use diesel::{
    QueryableByName,
    prelude::*,
    sql_query,
    sql_types::{BigInt, Double, Uuid as SqlUuid},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use juniper::GraphQLObject;
use serde::Serialize;
use shared::schema::{developer_team_members, developer_team_roles, developer_teams, extensions, users};
use utoipa::ToSchema;
use uuid::Uuid;

/// Bound of the list of extensions (reference/teams.md#public-profile).
const MAX_EXTENSIONS: i64 = 100;
/// Bound of the list of members (reference/teams.md#public-profile).
const MAX_MEMBERS: i64 = 100;

/// Public profile of a team.
#[derive(Debug, Clone, Serialize, GraphQLObject, ToSchema)]
pub struct PublicDeveloperTeamProfile {
    /// Id.
    pub id: Uuid,
    /// Name.
    pub name: String,
    /// Slug.
    pub slug: String,
    /// Description, or null.
    pub description: Option<String>,
    /// Address at GitHub, or null.
    pub github_url: Option<String>,
    /// Address of the website, or null.
    pub website_url: Option<String>,
    /// Upload of the picture, or null.
    pub avatar_key: Option<String>,
    /// Time of creation.
    pub created_at: Timestamp,
    /// Figures over the listed extensions.
    pub stats: PublicTeamStats,
    /// Members, the first joined one first: at most 100.
    pub members: Vec<PublicTeamMember>,
    /// Listed extensions, most installs first: at most 100.
    pub extensions: Vec<PublicTeamExtension>,
}

/// Figures over the listed extensions of a team.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, GraphQLObject, ToSchema)]
pub struct PublicTeamStats {
    /// Number of extensions.
    pub extension_count: i32,
    /// Number of installs.
    pub total_installs: i32,
    /// Average of all ratings, 1 to 5; 0 without ratings.
    pub avg_rating: f64,
}

/// A member of a team in its public profile.
#[derive(Debug, Clone, Serialize, Queryable, GraphQLObject, ToSchema)]
pub struct PublicTeamMember {
    /// Person.
    pub user_id: Uuid,
    /// Display name.
    pub display_name: String,
    /// Address of the picture, or null.
    pub avatar_url: Option<String>,
    /// Name of the role.
    pub role: String,
}

/// Listed extension of a team.
#[derive(Debug, Clone, Serialize, GraphQLObject, ToSchema)]
pub struct PublicTeamExtension {
    /// Id.
    pub id: Uuid,
    /// Short id of eight characters.
    pub short_id: String,
    /// Slug.
    pub slug: String,
    /// Name.
    pub name: String,
    /// Short description.
    pub description: String,
    /// `widget`, `bot_module`, `automation_node`, `theme` or `integration`.
    pub category: Option<String>,
    /// Path of an image in the bundle, or null.
    pub icon_key: Option<String>,
    /// `free`, `one_time` or `subscription`.
    pub pricing_type: String,
    /// Price in cents; null when it is free.
    pub pricing_amount: Option<Int64>,
    /// `EUR`; null when it is free.
    pub pricing_currency: Option<String>,
    /// Number of installs.
    pub install_count: i32,
    /// Average of the ratings, 1 to 5; 0 without ratings.
    pub rating_avg: f64,
    /// Number of ratings.
    pub rating_count: i32,
    /// Time of the first publication.
    pub published_at: Option<Timestamp>,
}

pub static PUBLIC_DEVELOPER_TEAM_PROFILE: Operation<Visitor> =
    Operation::public("publicDeveloperTeamProfile", Grants::Nothing);

/// Returns the public profile of a team.
///
/// It shows the members and the listed extensions of the team.
///
/// # Errors
/// - 404: no team has this slug.
#[api_core::operation]
pub async fn public_developer_team_profile(cx: &Cx, slug: &str) -> Result<PublicDeveloperTeamProfile> {
    let visitor = cx.authorize(&PUBLIC_DEVELOPER_TEAM_PROFILE).await?;
    let mut connection = visitor.db().await?;
    let team = find(&mut connection, slug).await?.ok_or_else(team_not_found)?;
    Ok(PublicDeveloperTeamProfile {
        stats: stats(&mut connection, team.id).await?,
        members: members(&mut connection, team.id).await?,
        extensions: listed(&mut connection, team.id).await?,
        id: team.id,
        name: team.name,
        slug: team.slug,
        description: team.description,
        github_url: team.github_url,
        website_url: team.website_url,
        avatar_key: team.avatar_key,
        created_at: team.created_at,
    })
}

#[derive(Queryable, Selectable)]
#[diesel(table_name = developer_teams)]
struct Team {
    id: Uuid,
    name: String,
    slug: String,
    description: Option<String>,
    github_url: Option<String>,
    website_url: Option<String>,
    avatar_key: Option<String>,
    created_at: Timestamp,
}

async fn find(connection: &mut AsyncPgConnection, slug: &str) -> Result<Option<Team>> {
    let named = developer_teams::table.filter(developer_teams::slug.eq(slug)).select(Team::as_select());
    Ok(named.first(connection).await.optional()?)
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

async fn stats(connection: &mut AsyncPgConnection, team: Uuid) -> Result<PublicTeamStats> {
    let stats: Stats = sql_query(
        "SELECT count(*) AS extensions, coalesce(sum(install_count), 0)::bigint AS installs,
                coalesce(sum(rating_sum)::double precision / nullif(sum(rating_count), 0), 0) AS rating
         FROM extensions WHERE owner_team_id = $1 AND is_listed",
    )
    .bind::<SqlUuid, _>(team)
    .get_result(connection)
    .await?;
    Ok(PublicTeamStats {
        extension_count: int(stats.extensions),
        total_installs: int(stats.installs),
        avg_rating: stats.rating,
    })
}

async fn members(connection: &mut AsyncPgConnection, team: Uuid) -> Result<Vec<PublicTeamMember>> {
    Ok(developer_team_members::table
        .inner_join(users::table)
        .inner_join(
            developer_team_roles::table.on(developer_team_roles::id.eq(developer_team_members::role_id)),
        )
        .filter(developer_team_members::team_id.eq(team))
        .order((developer_team_members::joined_at, developer_team_members::id))
        .limit(MAX_MEMBERS)
        .select((users::id, users::display_name, users::avatar_url, developer_team_roles::name))
        .load(connection)
        .await?)
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

async fn listed(connection: &mut AsyncPgConnection, team: Uuid) -> Result<Vec<PublicTeamExtension>> {
    let rows: Vec<Extension> = extensions::table
        .filter(extensions::owner_team_id.eq(team))
        .filter(extensions::is_listed)
        .order((extensions::install_count.desc(), extensions::id.desc()))
        .limit(MAX_EXTENSIONS)
        .select(Extension::as_select())
        .load(connection)
        .await?;
    Ok(rows.into_iter().map(PublicTeamExtension::from).collect())
}

impl From<Extension> for PublicTeamExtension {
    fn from(row: Extension) -> Self {
        Self {
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
}
