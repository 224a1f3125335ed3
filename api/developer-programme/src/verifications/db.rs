//! Queries over `developer_verifications`.

use api_core::{Result, Timestamp, page::Window};
use chrono::{DateTime, Utc};
use diesel::{insert_into, prelude::*, upsert::excluded};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use shared::{
    id::UserId,
    schema::{
        developer_profiles,
        developer_verifications::{self, dsl},
    },
};
use uuid::Uuid;

use super::{DeveloperVerificationItem, DeveloperVerificationStatus};

/// A verification with its sealed data.
#[derive(Queryable, Selectable)]
#[diesel(table_name = developer_verifications)]
pub(super) struct Row {
    /// Identifier.
    pub id: Uuid,
    /// Developer profile.
    pub developer_id: Uuid,
    /// Sealed data.
    pub details: Vec<u8>,
    /// Upload with the document.
    pub document_key: Option<Uuid>,
    /// Status.
    pub status: String,
    /// Notes of the reviewer.
    pub review_notes: Option<String>,
    /// Reviewer.
    pub reviewed_by: Option<Uuid>,
    /// Time of the decision.
    pub reviewed_at: Option<Timestamp>,
    /// Time of the first submission.
    pub created_at: Timestamp,
    /// Time of the last change.
    pub updated_at: Timestamp,
}

#[derive(Queryable, Selectable)]
#[diesel(table_name = developer_verifications)]
struct Item {
    id: Uuid,
    developer_id: Uuid,
    status: String,
    reviewed_by: Option<Uuid>,
    reviewed_at: Option<Timestamp>,
    created_at: Timestamp,
    updated_at: Timestamp,
}

/// Developer of a verification, for staff.
#[derive(Queryable, Selectable)]
#[diesel(table_name = developer_profiles)]
pub(super) struct Person {
    /// Person.
    pub user_id: Uuid,
    /// Name of the developer.
    pub display_name: String,
    /// Slug of the developer.
    pub slug: String,
}

/// Data to store as pending.
pub(super) struct Submission<'a> {
    /// Identifier, another for every submission, so that no decision is about data that was replaced meanwhile.
    pub id: Uuid,
    /// Developer profile.
    pub developer_id: Uuid,
    /// Sealed data.
    pub details: &'a [u8],
    /// Upload with the document.
    pub document_key: Option<Uuid>,
    /// Time of the submission.
    pub now: DateTime<Utc>,
}

/// Decision about a verification.
pub(super) struct Decision<'a> {
    /// New status.
    pub status: DeveloperVerificationStatus,
    /// Notes for the developer.
    pub notes: Option<&'a str>,
    /// Person who decides.
    pub reviewer: UserId,
    /// Time of the decision.
    pub now: DateTime<Utc>,
}

pub(super) async fn of_person(connection: &mut AsyncPgConnection, user: UserId) -> Result<Option<Row>> {
    Ok(dsl::developer_verifications
        .inner_join(developer_profiles::table)
        .filter(developer_profiles::user_id.eq(user))
        .select(Row::as_select())
        .first(connection)
        .await
        .optional()?)
}

pub(super) async fn of_developer(connection: &mut AsyncPgConnection, developer: Uuid) -> Result<Option<Row>> {
    let own = dsl::developer_verifications.filter(dsl::developer_id.eq(developer));
    Ok(own.select(Row::as_select()).first(connection).await.optional()?)
}

/// Stores a submission as pending, in place of an earlier one and of its verdict.
pub(super) async fn put(connection: &mut AsyncPgConnection, new: &Submission<'_>) -> Result<Row> {
    Ok(insert_into(dsl::developer_verifications)
        .values((
            dsl::id.eq(new.id),
            dsl::developer_id.eq(new.developer_id),
            dsl::details.eq(new.details),
            dsl::document_key.eq(new.document_key),
            dsl::status.eq("pending"),
            dsl::created_at.eq(new.now),
            dsl::updated_at.eq(new.now),
        ))
        .on_conflict(dsl::developer_id)
        .do_update()
        .set((
            dsl::id.eq(excluded(dsl::id)),
            dsl::details.eq(excluded(dsl::details)),
            dsl::document_key.eq(excluded(dsl::document_key)),
            dsl::status.eq("pending"),
            dsl::review_notes.eq(None::<String>),
            dsl::reviewed_by.eq(None::<Uuid>),
            dsl::reviewed_at.eq(None::<DateTime<Utc>>),
            dsl::updated_at.eq(excluded(dsl::updated_at)),
        ))
        .returning(Row::as_returning())
        .get_result(connection)
        .await?)
}

/// Returns one page of the verifications of all developers, newest first, and the total number.
pub(super) async fn page(
    connection: &mut AsyncPgConnection,
    status: Option<DeveloperVerificationStatus>,
    window: Window,
) -> Result<(Vec<DeveloperVerificationItem>, i64)> {
    let mut rows = dsl::developer_verifications.inner_join(developer_profiles::table).into_boxed();
    let mut count = dsl::developer_verifications.into_boxed();
    if let Some(status) = status {
        rows = rows.filter(dsl::status.eq(status.as_str()));
        count = count.filter(dsl::status.eq(status.as_str()));
    }
    let rows: Vec<(Item, Person)> = rows
        .order((dsl::created_at.desc(), dsl::id.desc()))
        .limit(window.limit)
        .offset(window.offset())
        .select((Item::as_select(), Person::as_select()))
        .load(connection)
        .await?;
    let items = rows.into_iter().map(item).collect::<Result<_>>()?;
    Ok((items, count.count().get_result(connection).await?))
}

pub(super) async fn find(connection: &mut AsyncPgConnection, id: Uuid) -> Result<Option<(Row, Person)>> {
    Ok(dsl::developer_verifications
        .inner_join(developer_profiles::table)
        .filter(dsl::id.eq(id))
        .select((Row::as_select(), Person::as_select()))
        .first(connection)
        .await
        .optional()?)
}

/// Decides about a pending verification. False when it is not pending.
pub(super) async fn decide(
    connection: &mut AsyncPgConnection,
    id: Uuid,
    decision: &Decision<'_>,
) -> Result<bool> {
    let pending = dsl::developer_verifications.filter(dsl::id.eq(id).and(dsl::status.eq("pending")));
    let changed = diesel::update(pending)
        .set((
            dsl::status.eq(decision.status.as_str()),
            dsl::review_notes.eq(decision.notes),
            dsl::reviewed_by.eq(decision.reviewer),
            dsl::reviewed_at.eq(decision.now),
            dsl::updated_at.eq(decision.now),
        ))
        .execute(connection)
        .await?;
    Ok(changed > 0)
}

/// Marks a developer as verified.
pub(super) async fn verify(connection: &mut AsyncPgConnection, developer: Uuid) -> Result<()> {
    diesel::update(developer_profiles::table.find(developer))
        .set(developer_profiles::verified.eq(true))
        .execute(connection)
        .await?;
    Ok(())
}

fn item((row, person): (Item, Person)) -> Result<DeveloperVerificationItem> {
    Ok(DeveloperVerificationItem {
        id: row.id,
        developer_id: row.developer_id,
        user_id: person.user_id,
        developer_name: person.display_name,
        developer_slug: person.slug,
        status: DeveloperVerificationStatus::stored(&row.status)?,
        reviewed_by: row.reviewed_by,
        reviewed_at: row.reviewed_at,
        created_at: row.created_at,
        updated_at: row.updated_at,
    })
}
