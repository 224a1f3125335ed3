//! Queries over `developer_applications`.

use api_core::{ApiError, Result, Timestamp, graphql::int, page::Window};
use chrono::{DateTime, Utc};
use diesel::{
    dsl::{exists, select},
    insert_into,
    prelude::*,
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use shared::{
    id::{self, UserId},
    schema::{
        developer_applications::{self, dsl},
        developer_profiles, users,
    },
};
use uuid::Uuid;

use super::{
    DeveloperApplication, DeveloperApplicationItem, DeveloperApplicationList, DeveloperApplicationStatus,
    DeveloperApplicationType, input::CheckedApplication,
};

#[derive(Queryable, Selectable)]
#[diesel(table_name = developer_applications)]
struct Row {
    id: Uuid,
    user_id: Uuid,
    application_type: String,
    display_name: String,
    slug: String,
    description: String,
    motivation: String,
    what_to_build: String,
    github_url: Option<String>,
    website_url: Option<String>,
    experience: Option<String>,
    avatar_key: Option<Uuid>,
    status: String,
    review_notes: Option<String>,
    reviewed_by: Option<Uuid>,
    reviewed_at: Option<Timestamp>,
    created_at: Timestamp,
    updated_at: Timestamp,
}

#[derive(Queryable, Selectable)]
#[diesel(table_name = developer_applications)]
struct Item {
    id: Uuid,
    user_id: Uuid,
    application_type: String,
    display_name: String,
    slug: String,
    status: String,
    created_at: Timestamp,
}

/// Decision about an application.
pub(super) struct Decision<'a> {
    /// New status.
    pub status: DeveloperApplicationStatus,
    /// Notes for the applicant.
    pub notes: Option<&'a str>,
    /// Person who decides.
    pub reviewer: UserId,
    /// Time of the decision.
    pub now: DateTime<Utc>,
}

pub(super) async fn latest(
    connection: &mut AsyncPgConnection,
    user: UserId,
) -> Result<Option<DeveloperApplication>> {
    let row: Option<Row> = dsl::developer_applications
        .filter(dsl::user_id.eq(user))
        .order((dsl::created_at.desc(), dsl::id.desc()))
        .select(Row::as_select())
        .first(connection)
        .await
        .optional()?;
    row.map(application).transpose()
}

/// Locks a person against other applications until the transaction ends.
pub(super) async fn lock_person(connection: &mut AsyncPgConnection, user: UserId) -> Result<()> {
    let person = users::table.find(user).select(users::id).for_no_key_update();
    person.first::<Uuid>(connection).await?;
    Ok(())
}

pub(super) async fn has_profile(connection: &mut AsyncPgConnection, user: UserId) -> Result<bool> {
    let own = developer_profiles::table.filter(developer_profiles::user_id.eq(user));
    Ok(select(exists(own)).get_result(connection).await?)
}

pub(super) async fn has_pending(connection: &mut AsyncPgConnection, user: UserId) -> Result<bool> {
    let own = dsl::developer_applications.filter(dsl::user_id.eq(user).and(dsl::status.eq("pending")));
    Ok(select(exists(own)).get_result(connection).await?)
}

pub(super) async fn insert(
    connection: &mut AsyncPgConnection,
    user: UserId,
    new: &CheckedApplication,
    now: DateTime<Utc>,
) -> Result<DeveloperApplication> {
    let row = insert_into(dsl::developer_applications)
        .values((
            dsl::id.eq(id::new()),
            dsl::user_id.eq(user),
            dsl::application_type.eq(new.application_type.as_str()),
            dsl::display_name.eq(&new.display_name),
            dsl::slug.eq(&new.slug),
            dsl::description.eq(&new.description),
            dsl::motivation.eq(&new.motivation),
            dsl::what_to_build.eq(&new.what_to_build),
            dsl::github_url.eq(&new.github_url),
            dsl::website_url.eq(&new.website_url),
            dsl::experience.eq(&new.experience),
            dsl::avatar_key.eq(new.avatar_key),
            dsl::created_at.eq(now),
            dsl::updated_at.eq(now),
        ))
        .returning(Row::as_returning())
        .get_result(connection)
        .await?;
    application(row)
}

/// Returns one page of the applications of all people, newest first.
pub(super) async fn page(
    connection: &mut AsyncPgConnection,
    status: Option<DeveloperApplicationStatus>,
    window: Window,
) -> Result<DeveloperApplicationList> {
    let mut rows = dsl::developer_applications.inner_join(users::table).into_boxed();
    let mut count = dsl::developer_applications.into_boxed();
    if let Some(status) = status {
        rows = rows.filter(dsl::status.eq(status.as_str()));
        count = count.filter(dsl::status.eq(status.as_str()));
    }
    let rows: Vec<(Item, String, Option<String>)> = rows
        .order((dsl::created_at.desc(), dsl::id.desc()))
        .limit(window.limit)
        .offset(window.offset())
        .select((Item::as_select(), users::display_name, users::avatar_url))
        .load(connection)
        .await?;
    let items = rows.into_iter().map(item).collect::<Result<_>>()?;
    Ok(DeveloperApplicationList { items, total: int(count.count().get_result(connection).await?) })
}

pub(super) async fn find(
    connection: &mut AsyncPgConnection,
    id: Uuid,
) -> Result<Option<DeveloperApplication>> {
    let found = dsl::developer_applications.find(id).select(Row::as_select());
    found.first(connection).await.optional()?.map(application).transpose()
}

/// Decides about a pending application, of which one of several concurrent decisions finds it pending.
/// `None`: there is no pending application of the id.
pub(super) async fn decide(
    connection: &mut AsyncPgConnection,
    id: Uuid,
    decision: &Decision<'_>,
) -> Result<Option<DeveloperApplication>> {
    let pending = dsl::developer_applications.filter(dsl::id.eq(id).and(dsl::status.eq("pending")));
    let row: Option<Row> = diesel::update(pending)
        .set((
            dsl::status.eq(decision.status.as_str()),
            dsl::review_notes.eq(decision.notes),
            dsl::reviewed_by.eq(decision.reviewer),
            dsl::reviewed_at.eq(decision.now),
            dsl::updated_at.eq(decision.now),
        ))
        .returning(Row::as_returning())
        .get_result(connection)
        .await
        .optional()?;
    row.map(application).transpose()
}

/// Gives the applicant a developer profile. One that exists stays as it is.
///
/// A person of a team has a slug of their own, because the team has that of the application.
pub(super) async fn insert_profile(
    connection: &mut AsyncPgConnection,
    of: &DeveloperApplication,
    now: DateTime<Utc>,
) -> Result<()> {
    let id = id::new();
    let is_solo = of.application_type == DeveloperApplicationType::Solo;
    let own_slug = format!("developer-{}", id.simple());
    insert_into(developer_profiles::table)
        .values((
            developer_profiles::id.eq(id),
            developer_profiles::user_id.eq(of.user_id),
            developer_profiles::display_name.eq(&of.display_name),
            developer_profiles::slug.eq(if is_solo { &of.slug } else { &own_slug }),
            developer_profiles::description.eq(&of.description),
            developer_profiles::github_url.eq(&of.github_url),
            developer_profiles::website_url.eq(&of.website_url),
            developer_profiles::avatar_key.eq(of.avatar_key),
            developer_profiles::created_at.eq(now),
            developer_profiles::updated_at.eq(now),
        ))
        .on_conflict(developer_profiles::user_id)
        .do_nothing()
        .execute(connection)
        .await?;
    Ok(())
}

fn application(row: Row) -> Result<DeveloperApplication> {
    Ok(DeveloperApplication {
        id: row.id,
        user_id: row.user_id,
        application_type: kind(&row.application_type)?,
        display_name: row.display_name,
        slug: row.slug,
        description: row.description,
        motivation: row.motivation,
        what_to_build: row.what_to_build,
        github_url: row.github_url,
        website_url: row.website_url,
        experience: row.experience,
        avatar_key: row.avatar_key,
        status: status(&row.status)?,
        review_notes: row.review_notes,
        reviewed_by: row.reviewed_by,
        reviewed_at: row.reviewed_at,
        created_at: row.created_at,
        updated_at: row.updated_at,
    })
}

fn item(
    (row, user_display_name, user_avatar_url): (Item, String, Option<String>),
) -> Result<DeveloperApplicationItem> {
    Ok(DeveloperApplicationItem {
        id: row.id,
        user_id: row.user_id,
        application_type: kind(&row.application_type)?,
        display_name: row.display_name,
        slug: row.slug,
        status: status(&row.status)?,
        created_at: row.created_at,
        user_display_name,
        user_avatar_url,
    })
}

fn kind(text: &str) -> Result<DeveloperApplicationType> {
    DeveloperApplicationType::parse(text)
        .ok_or_else(|| ApiError::internal("a developer application has an unknown type"))
}

fn status(text: &str) -> Result<DeveloperApplicationStatus> {
    DeveloperApplicationStatus::parse(text)
        .ok_or_else(|| ApiError::internal("a developer application has an unknown status"))
}
