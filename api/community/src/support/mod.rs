//! Support tickets (reference/administration.md#support-tickets).

mod db;
pub mod graphql;
pub mod rest;

use api_core::{
    ApiError, CursorPage, CursorRequest, Cx, Input, Operation, Patch, Result, Timestamp,
    access::{Admin, AnyOperation, Authenticated, Grants},
    validate,
};
use diesel_async::AsyncConnection;
use juniper::{GraphQLEnum, GraphQLInputObject, GraphQLObject};
use serde::{Deserialize, Serialize};
use shared::{
    catalogue::AdminPermission,
    id::{AccountId, UserId},
};
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

/// Every operation of this resource.
pub static OPERATIONS: &[&dyn AnyOperation] =
    &[&CREATE_SUPPORT_TICKET, &ADMIN_SUPPORT_TICKETS, &ADMIN_SUPPORT_TICKET, &ADMIN_UPDATE_SUPPORT_TICKET];

const MAX_SUBJECT_LENGTH: usize = 200;
const MAX_BODY_LENGTH: usize = 10_000;
/// Number of tickets that a person may file in an hour.
const MAX_TICKETS_PER_HOUR: u32 = 10;

api_core::limits::submit! {
    api_core::limits::WindowLimit {
        name: "support_tickets",
        limit: MAX_TICKETS_PER_HOUR,
        seconds: 3600,
        holder: api_core::limits::Holder::Person,
    }
}

/// State of a ticket.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, GraphQLEnum, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum SupportTicketStatus {
    /// Waits for the staff.
    Open,
    /// Waits for the person who filed it.
    Pending,
    /// Done.
    Closed,
}

impl SupportTicketStatus {
    const ALL: [Self; 3] = [Self::Open, Self::Pending, Self::Closed];

    const fn as_str(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Pending => "pending",
            Self::Closed => "closed",
        }
    }

    fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.as_str() == text)
    }
}

/// Support ticket.
#[derive(Debug, Clone, Serialize, GraphQLObject, ToSchema)]
pub struct SupportTicket {
    /// Identifier.
    pub id: Uuid,
    /// Person who filed it.
    pub user_id: Uuid,
    /// Display name of that person.
    pub user_display_name: String,
    /// Account that it concerns. Null: none.
    pub account_id: Option<Uuid>,
    /// Subject.
    pub subject: String,
    /// Text.
    pub body: String,
    /// State.
    pub status: SupportTicketStatus,
    /// Time of creation.
    pub created_at: Timestamp,
    /// Time of the last change.
    pub updated_at: Timestamp,
}

/// New ticket.
#[derive(Debug, Clone, Deserialize, GraphQLInputObject, ToSchema)]
#[schema(example = json!({ "subject": "Chat stays empty", "body": "Since this morning no message arrives." }))]
pub struct CreateSupportTicketInput {
    /// 1 to 200 characters.
    #[schema(extensions(("maxLength" = json!(MAX_SUBJECT_LENGTH))))]
    pub subject: String,
    /// 1 to 10,000 characters.
    #[schema(extensions(("maxLength" = json!(MAX_BODY_LENGTH))))]
    pub body: String,
    /// Account that it concerns, of which the caller is a member.
    pub account_id: Option<Uuid>,
}

/// Change of a ticket.
#[derive(Debug, Clone, Copy, Default, Deserialize, GraphQLInputObject, ToSchema)]
#[schema(example = json!({ "status": "closed" }))]
pub struct UpdateSupportTicketInput {
    /// New state.
    #[serde(default)]
    #[schema(value_type = Option<SupportTicketStatus>)]
    pub status: Patch<SupportTicketStatus>,
}

/// Query of the list of tickets.
#[derive(Debug, Clone, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct SupportTicketsQuery {
    /// State; every state when absent.
    pub status: Option<SupportTicketStatus>,
    /// Page number, from 1; 1 when absent. Not with `cursor`.
    #[param(value_type = Option<api_core::page::PageNumber>, inline)]
    pub page: Option<i64>,
    /// Entries a page, 1 to 100; 25 when absent.
    #[param(value_type = Option<api_core::page::PageLimit>, inline)]
    pub limit: Option<i64>,
    /// Cursor of the page before, from its `Link` or `nextCursor`.
    #[param(max_length = 71)]
    pub cursor: Option<String>,
}

pub static CREATE_SUPPORT_TICKET: Operation<Authenticated> =
    Operation::authenticated("createSupportTicket", Grants::Nothing).idempotent();

/// Files a support ticket of the caller.
///
/// # Errors
/// Refusals of the access rule; 403 for a credential without a person; 400 for an invalid text; 404 for an
/// account of which the person is not a member; 429 beyond ten an hour.
#[api_core::operation]
pub async fn create_support_ticket(cx: &Cx, input: Input<CreateSupportTicketInput>) -> Result<SupportTicket> {
    let caller = cx.authorize(&CREATE_SUPPORT_TICKET).await?;
    let user = cx.person()?.ok_or_else(|| ApiError::forbidden("Only a person can file a support ticket"))?;
    let input = input?;
    let subject = validate::text("subject", &input.subject, 1, MAX_SUBJECT_LENGTH)?;
    let body = validate::long_text("body", &input.body, 1, MAX_BODY_LENGTH)?;
    let mut connection = caller.db().await?;
    let account = match input.account_id {
        Some(named) => Some(own_account(&mut connection, named, user).await?),
        None => None,
    };
    let verdict =
        cx.state().limiter.count("support_tickets", &user.to_string(), MAX_TICKETS_PER_HOUR, 3600).await;
    cx.refuse_over(&verdict)?;
    let now = cx.state().clock.now();
    connection
        .transaction(async |connection| {
            let id = db::insert(connection, user, account, &subject, &body, now).await?;
            let entry = cx.audit("support_ticket:created", "support_ticket", id);
            foundation::audit::record(connection, entry).await?;
            db::find(connection, id).await?.ok_or_else(not_found)
        })
        .await
}

pub static ADMIN_SUPPORT_TICKETS: Operation<Admin> =
    Operation::admin("adminSupportTickets", AdminPermission::SupportRead, Grants::Nothing).polled();

/// Lists the support tickets of all people, newest first.
///
/// # Errors
/// Refusals of the access rule; 400 for an unknown status or a page out of bounds.
#[api_core::operation]
pub async fn admin_support_tickets(
    cx: &Cx,
    query: Input<SupportTicketsQuery>,
) -> Result<CursorPage<SupportTicket>> {
    let admin = cx.authorize(&ADMIN_SUPPORT_TICKETS).await?;
    let query = query?;
    let request = CursorRequest::new(query.page, query.limit, query.cursor);
    let part = request.check(cx, &ADMIN_SUPPORT_TICKETS, &query.status)?;
    db::list(&mut *admin.db().await?, query.status, part).await
}

pub static ADMIN_SUPPORT_TICKET: Operation<Admin> =
    Operation::admin("adminSupportTicket", AdminPermission::SupportRead, Grants::Nothing);

/// Returns a support ticket.
///
/// # Errors
/// Refusals of the access rule; 404 when there is no such ticket.
#[api_core::operation]
pub async fn admin_support_ticket(cx: &Cx, id: Input<Uuid>) -> Result<SupportTicket> {
    let admin = cx.authorize(&ADMIN_SUPPORT_TICKET).await?;
    db::find(&mut *admin.db().await?, id?).await?.ok_or_else(not_found)
}

pub static ADMIN_UPDATE_SUPPORT_TICKET: Operation<Admin> =
    Operation::admin("adminUpdateSupportTicket", AdminPermission::SupportEdit, Grants::Nothing);

/// Changes the status of a support ticket.
///
/// Any status can be set. The person is not notified.
///
/// # Errors
/// Refusals of the access rule; 400 for an unknown status; 404 when there is no such ticket.
#[api_core::operation]
pub async fn admin_update_support_ticket(
    cx: &Cx,
    id: Input<Uuid>,
    input: Input<UpdateSupportTicketInput>,
) -> Result<SupportTicket> {
    let admin = cx.authorize(&ADMIN_UPDATE_SUPPORT_TICKET).await?;
    let (id, status) = (id?, input?.status.not_null("status")?);
    let now = cx.state().clock.now();
    admin
        .db()
        .await?
        .transaction(async |connection| {
            if let Some(status) = status {
                if !db::set_status(connection, id, status, now).await? {
                    return Err(not_found());
                }
                let mut entry = cx.audit_system("support_ticket:updated", "support_ticket", id);
                entry.metadata = serde_json::json!({ "status": status });
                foundation::audit::record(connection, entry).await?;
            }
            db::find(connection, id).await?.ok_or_else(not_found)
        })
        .await
}

async fn own_account(
    connection: &mut diesel_async::AsyncPgConnection,
    named: Uuid,
    user: UserId,
) -> Result<AccountId> {
    let account = db::own_account(connection, named, user).await?;
    account.ok_or_else(|| ApiError::not_found("Account not found"))
}

fn not_found() -> ApiError {
    ApiError::not_found("Support ticket not found")
}
