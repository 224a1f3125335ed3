//! Support tickets (specification C §9).

mod db;
pub mod graphql;
pub mod rest;

use api_core::{
    ApiError, Cx, Input, Operation, Page, PageRequest, Patch, Result, Timestamp,
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
/// Tickets that a person may file in an hour.
const PER_HOUR: u32 = 10;

/// Where a ticket stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, GraphQLEnum, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum SupportTicketStatus {
    Open,
    /// Waits for whoever filed it.
    Pending,
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

/// A ticket.
#[derive(Debug, Clone, Serialize, GraphQLObject, ToSchema)]
pub struct SupportTicket {
    pub id: Uuid,
    /// Who filed it.
    pub user_id: Uuid,
    pub user_display_name: String,
    /// The account that it is about.
    pub account_id: Option<Uuid>,
    pub subject: String,
    pub body: String,
    pub status: SupportTicketStatus,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

/// A ticket to file.
#[derive(Debug, Clone, Deserialize, GraphQLInputObject, ToSchema)]
#[schema(example = json!({ "subject": "Chat stays empty", "body": "Since this morning no message arrives." }))]
pub struct CreateSupportTicketInput {
    /// 1 to 200 characters.
    #[schema(extensions(("maxLength" = json!(MAX_SUBJECT_LENGTH))))]
    pub subject: String,
    /// 1 to 10,000 characters.
    #[schema(extensions(("maxLength" = json!(MAX_BODY_LENGTH))))]
    pub body: String,
    /// An account that the caller belongs to.
    pub account_id: Option<Uuid>,
}

/// What is to change.
#[derive(Debug, Clone, Copy, Default, Deserialize, GraphQLInputObject, ToSchema)]
#[schema(example = json!({ "status": "closed" }))]
pub struct UpdateSupportTicketInput {
    #[serde(default)]
    #[schema(value_type = Option<SupportTicketStatus>)]
    pub status: Patch<SupportTicketStatus>,
}

/// Which tickets are listed.
#[derive(Debug, Clone, Copy, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct SupportTicketsQuery {
    pub status: Option<SupportTicketStatus>,
    /// 1 or more; 1 when absent.
    #[param(value_type = Option<api_core::page::PageNumber>, inline)]
    pub page: Option<i64>,
    /// 1 to 100; 25 when absent.
    #[param(value_type = Option<api_core::page::PageLimit>, inline)]
    pub limit: Option<i64>,
}

/// Files a ticket.
pub static CREATE_SUPPORT_TICKET: Operation<Authenticated> =
    Operation::authenticated("createSupportTicket", Grants::Nothing);

/// Files a ticket in the caller's name.
///
/// # Errors
/// As the rule; 403 for a credential without a person, 400 for a wrong text, 404 for an account that the person does
/// not belong to, 429 over ten an hour.
pub async fn create_support_ticket(cx: &Cx, input: Input<CreateSupportTicketInput>) -> Result<SupportTicket> {
    let caller = cx.authorize(&CREATE_SUPPORT_TICKET).await?;
    let user = cx.person()?.ok_or_else(|| ApiError::forbidden("Only a person can file a support ticket"))?;
    let input = input?;
    let subject = validate::text("subject", &input.subject, 1, MAX_SUBJECT_LENGTH)?;
    let body = validate::long_text("body", &input.body, 1, MAX_BODY_LENGTH)?;
    let account = input.account_id.map(AccountId);
    let mut connection = caller.db().await?;
    if let Some(account) = account {
        own_account(&mut connection, account, user).await?;
    }
    let verdict = cx.state().limiter.count("support_tickets", &user.to_string(), PER_HOUR, 3600).await;
    cx.refuse_over(&verdict)?;
    let now = cx.state().clock.now();
    connection
        .transaction(async |connection| {
            let id = db::insert(connection, user, account, &subject, &body, now).await?;
            let entry = cx.audit("support_ticket:created", "support_ticket", id);
            shared::audit::record(connection, entry).await?;
            db::find(connection, id).await?.ok_or_else(not_found)
        })
        .await
}

/// The tickets of everybody.
pub static ADMIN_SUPPORT_TICKETS: Operation<Admin> =
    Operation::admin("adminSupportTickets", AdminPermission::SupportRead, Grants::Nothing);

/// Lists tickets, newest first.
///
/// # Errors
/// As the rule; 400 for an unknown status or a page out of bounds.
pub async fn admin_support_tickets(
    cx: &Cx,
    query: Input<SupportTicketsQuery>,
) -> Result<Page<SupportTicket>> {
    let admin = cx.authorize(&ADMIN_SUPPORT_TICKETS).await?;
    let query = query?;
    let window = PageRequest { page: query.page, limit: query.limit }.check()?;
    let (items, total) = db::list(&mut *admin.db().await?, query.status, window).await?;
    Ok(Page { items, total, window })
}

/// One ticket.
pub static ADMIN_SUPPORT_TICKET: Operation<Admin> =
    Operation::admin("adminSupportTicket", AdminPermission::SupportRead, Grants::Nothing);

/// Shows one ticket.
///
/// # Errors
/// As the rule; 404 for an unknown one.
pub async fn admin_support_ticket(cx: &Cx, id: Input<Uuid>) -> Result<SupportTicket> {
    let admin = cx.authorize(&ADMIN_SUPPORT_TICKET).await?;
    db::find(&mut *admin.db().await?, id?).await?.ok_or_else(not_found)
}

/// Moves a ticket on.
pub static ADMIN_UPDATE_SUPPORT_TICKET: Operation<Admin> =
    Operation::admin("adminUpdateSupportTicket", AdminPermission::SupportEdit, Grants::Nothing);

/// Moves a ticket on.
///
/// # Errors
/// As the rule; 400 for an unknown status, 404 for an unknown ticket.
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
                shared::audit::record(connection, entry).await?;
            }
            db::find(connection, id).await?.ok_or_else(not_found)
        })
        .await
}

async fn own_account(
    connection: &mut diesel_async::AsyncPgConnection,
    account: AccountId,
    user: UserId,
) -> Result<()> {
    if db::belongs_to(connection, account, user).await? {
        return Ok(());
    }
    Err(ApiError::not_found("Account not found"))
}

fn not_found() -> ApiError {
    ApiError::not_found("Support ticket not found")
}
