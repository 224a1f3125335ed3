//! Queries over `support_tickets`. Staff reads those of all people.

use api_core::{ApiError, CursorPage, Position, Result, Timestamp, cursor::Part};
use chrono::{DateTime, Utc};
use diesel::{insert_into, prelude::*};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use shared::{
    id::{self, AccountId, UserId},
    schema::{memberships, support_tickets::dsl, users},
};
use uuid::Uuid;

use super::{SupportTicket, SupportTicketStatus};

#[derive(Queryable)]
struct Row {
    id: Uuid,
    user_id: Uuid,
    user_display_name: String,
    account_id: Option<Uuid>,
    subject: String,
    body: String,
    status: String,
    created_at: DateTime<Utc>,
    updated_at: Timestamp,
}

const COLUMNS: (
    dsl::id,
    dsl::user_id,
    users::display_name,
    dsl::account_id,
    dsl::subject,
    dsl::body,
    dsl::status,
    dsl::created_at,
    dsl::updated_at,
) = (
    dsl::id,
    dsl::user_id,
    users::display_name,
    dsl::account_id,
    dsl::subject,
    dsl::body,
    dsl::status,
    dsl::created_at,
    dsl::updated_at,
);

impl Row {
    fn into_ticket(self) -> Result<SupportTicket> {
        let status = SupportTicketStatus::parse(&self.status)
            .ok_or_else(|| ApiError::internal("a ticket has a status that is not known"))?;
        Ok(SupportTicket {
            id: self.id,
            user_id: self.user_id,
            user_display_name: self.user_display_name,
            account_id: self.account_id,
            subject: self.subject,
            body: self.body,
            status,
            created_at: self.created_at.into(),
            updated_at: self.updated_at,
        })
    }
}

pub(super) async fn own_account(
    connection: &mut AsyncPgConnection,
    named: Uuid,
    user: UserId,
) -> Result<Option<AccountId>> {
    let own = memberships::table.filter(memberships::account_id.eq(named).and(memberships::user_id.eq(user)));
    Ok(own.select(memberships::account_id).first(connection).await.optional()?)
}

pub(super) async fn insert(
    connection: &mut AsyncPgConnection,
    user: UserId,
    account: Option<AccountId>,
    subject: &str,
    body: &str,
    now: DateTime<Utc>,
) -> Result<Uuid> {
    let id = id::new();
    insert_into(dsl::support_tickets)
        .values((
            dsl::id.eq(id),
            dsl::user_id.eq(user),
            dsl::account_id.eq(account),
            dsl::subject.eq(subject),
            dsl::body.eq(body),
            dsl::created_at.eq(now),
            dsl::updated_at.eq(now),
        ))
        .execute(connection)
        .await?;
    Ok(id)
}

/// Returns one part of the tickets, newest first.
pub(super) async fn list(
    connection: &mut AsyncPgConnection,
    status: Option<SupportTicketStatus>,
    part: Part,
) -> Result<CursorPage<SupportTicket>> {
    let mut rows = dsl::support_tickets.inner_join(users::table).into_boxed();
    let mut count = dsl::support_tickets.into_boxed();
    if let Some(status) = status {
        rows = rows.filter(dsl::status.eq(status.as_str()));
        count = count.filter(dsl::status.eq(status.as_str()));
    }
    if let Some(Position { at, id }) = part.after() {
        rows = rows.filter(dsl::created_at.le(at)).filter(dsl::created_at.lt(at).or(dsl::id.lt(id)));
    }
    let total = match part.total() {
        Some(total) => total,
        None => count.count().get_result(connection).await?,
    };
    let rows: Vec<Row> = rows
        .order((dsl::created_at.desc(), dsl::id.desc()))
        .limit(part.limit())
        .offset(part.offset())
        .select(COLUMNS)
        .load(connection)
        .await?;
    let position = |row: &Row| Position { at: row.created_at, id: row.id };
    let rows = rows.into_iter().map(|row| (position(&row), row)).collect();
    part.page(rows, total).try_map(Row::into_ticket)
}

pub(super) async fn find(connection: &mut AsyncPgConnection, id: Uuid) -> Result<Option<SupportTicket>> {
    let row: Option<Row> = dsl::support_tickets
        .inner_join(users::table)
        .filter(dsl::id.eq(id))
        .select(COLUMNS)
        .first(connection)
        .await
        .optional()?;
    row.map(Row::into_ticket).transpose()
}

/// Changes the status of a ticket. False when there is no such ticket.
pub(super) async fn set_status(
    connection: &mut AsyncPgConnection,
    id: Uuid,
    status: SupportTicketStatus,
    now: DateTime<Utc>,
) -> Result<bool> {
    let changed = (dsl::status.eq(status.as_str()), dsl::updated_at.eq(now));
    Ok(diesel::update(dsl::support_tickets.find(id)).set(changed).execute(connection).await? > 0)
}
