//! Creation of an invite.

use api_core::{
    ApiError, Code, Cx, Input, Operation, Result,
    access::{Grants, TeamCaller, TeamMember},
    token, validate,
};
use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD};
use chrono::{DateTime, Duration, Utc};
use developer_access::credentials::carries;
use diesel_async::{AsyncConnection, AsyncPgConnection};
use extension_model::limits::{self, LimitKey};
use juniper::GraphQLInputObject;
use notices::mail::{self, Mail, Recipient};
use rand::RngExt;
use serde::Deserialize;
use serde_json::json;
use shared::{
    catalogue::{AccountPermission, TeamPermission},
    id::UserId,
};
use utoipa::ToSchema;
use uuid::Uuid;

use super::{DeveloperTeamInvite, db, not_found};
use crate::{fields::role_not_found, members, roles};

/// Maximum lifetime of an invite in seconds: thirty days (reference/teams.md#invites).
const MAX_LIFETIME_SECS: i32 = 2_592_000;
const MIN_LIFETIME_SECS: i32 = 60;
const DEFAULT_LIFETIME_SECS: i32 = 604_800;
/// Maximum number of uses of an invite (reference/teams.md#invites).
const MAX_USES: i32 = 100;
const MIN_USES: i32 = 1;
const DEFAULT_USES: i32 = 1;
const CODE_BYTES: usize = 16;
/// Maximum number of mailed invites of a team in an hour (reference/teams.md#invites).
const MAX_MAILS_PER_HOUR: u32 = 60;
/// Maximum number of invites a day to one address, over all teams (reference/teams.md#invites).
const MAX_TO_RECIPIENT_PER_DAY: u32 = 20;

/// An invite to create.
#[derive(Debug, Clone, Deserialize, GraphQLInputObject, ToSchema)]
#[schema(example = json!({ "role_id": "0196b1a0-7c00-7000-8000-000000000001" }))]
pub struct CreateDeveloperTeamInviteInput {
    /// Role of a new member: not the owner's, and none with a permission that the caller lacks.
    pub role_id: Uuid,
    /// Address to mail the invite to.
    #[schema(extensions(("maxLength" = json!(validate::MAX_EMAIL_LENGTH))))]
    pub email: Option<String>,
    /// Lifetime in seconds, 60 to 2,592,000; 604,800 when absent.
    #[schema(extensions(("minimum" = json!(MIN_LIFETIME_SECS)), ("maximum" = json!(MAX_LIFETIME_SECS))))]
    pub expires_in: Option<i32>,
    /// Maximum number of uses, 1 to 100; 1 when absent.
    #[schema(extensions(("minimum" = json!(MIN_USES)), ("maximum" = json!(MAX_USES))))]
    pub max_uses: Option<i32>,
}

pub static CREATE_DEVELOPER_TEAM_INVITE: Operation<TeamCaller> =
    Operation::team("createDeveloperTeamInvite", TeamPermission::TeamMembersInvite, Grants::TeamPermissions)
        .idempotent()
        .secret_answer();

/// Creates an invite to a team.
///
/// Every holder of the code can join with the role. With `email` the address is also mailed. The invite is
/// valid only while its maker could still create it.
///
/// # Errors
/// - 401 or 403 by the access rule.
/// - 400 for an invalid field, and for the owner's role.
/// - 403 for a role with a permission that the caller lacks, and for a key that does not carry
///   `extension-dev:edit`.
/// - 403 `PLAN_LIMIT_REACHED` when the team has the maximum number of members or of invites.
/// - 404 when the caller does not belong to the team, or the team has no such role.
/// - 429 when the team mailed too many invites, or the recipient received too many.
#[api_core::operation]
pub async fn create_developer_team_invite(
    cx: &Cx,
    id: Input<Uuid>,
    input: Input<CreateDeveloperTeamInviteInput>,
) -> Result<DeveloperTeamInvite> {
    let caller = cx.authorize(&CREATE_DEVELOPER_TEAM_INVITE).await?;
    carries(cx, AccountPermission::ExtensionDevEdit)?;
    let (id, request) = (id?, InviteRequest::checked(input?)?);
    let member = caller.member_of(id).await?;
    if let Some(email) = &request.email {
        limit_mails(cx, member.team, email).await?;
    }
    member.db().await?.transaction(async |connection| request.create(cx, connection, &member).await).await
}

/// Refuses more mails of a team, or to a recipient, than the limits allow.
async fn limit_mails(cx: &Cx, team: Uuid, email: &str) -> Result<()> {
    let limiter = &cx.state().limiter;
    let recipient = BASE64_URL_SAFE_NO_PAD.encode(token::hash(&email.to_lowercase()));
    let of_team = limiter.count("team_invites", &team.to_string(), MAX_MAILS_PER_HOUR, 3600).await;
    cx.refuse_over(&of_team)?;
    cx.refuse_over(&limiter.count("invites_to", &recipient, MAX_TO_RECIPIENT_PER_DAY, 86_400).await)
}

/// Checked input.
struct InviteRequest {
    role: Uuid,
    email: Option<String>,
    lifetime: Duration,
    max_uses: i32,
}

impl InviteRequest {
    fn checked(input: CreateDeveloperTeamInviteInput) -> Result<Self> {
        let lifetime = input.expires_in.unwrap_or(DEFAULT_LIFETIME_SECS);
        if !(MIN_LIFETIME_SECS..=MAX_LIFETIME_SECS).contains(&lifetime) {
            let message = format!("expires_in must be between {MIN_LIFETIME_SECS} and {MAX_LIFETIME_SECS}");
            return Err(ApiError::invalid(message));
        }
        let max_uses = input.max_uses.unwrap_or(DEFAULT_USES);
        if !(MIN_USES..=MAX_USES).contains(&max_uses) {
            return Err(ApiError::invalid(format!("max_uses must be between {MIN_USES} and {MAX_USES}")));
        }
        Ok(Self {
            role: input.role_id,
            email: input.email.map(|email| validate::email("email", &email)).transpose()?,
            lifetime: Duration::seconds(lifetime.into()),
            max_uses,
        })
    }

    async fn create(
        &self,
        cx: &Cx,
        connection: &mut AsyncPgConnection,
        member: &TeamMember,
    ) -> Result<DeveloperTeamInvite> {
        let (team, now) = (member.team, cx.state().clock.now());
        let own = member.lock(connection).await?;
        member.check_need(&own)?;
        let role = roles::db::find(connection, team, self.role).await?.ok_or_else(role_not_found)?;
        if role.is_system {
            return Err(ApiError::invalid("role_id must not be the owner's role"));
        }
        own.must_hold(&role.held())?;
        require_room(connection, team).await?;
        if !db::make_room(connection, team, now).await? {
            return Err(ApiError::new(Code::PlanLimitReached, "Invite limit reached"));
        }
        let new = self.row(team, member.user, now);
        db::insert(connection, &new).await?;
        let mut entry =
            crate::fields::audit(cx, "developer_team:invite_created", "developer_team_invite", new.id);
        entry.metadata = json!({ "team_id": team, "role_id": role.id, "max_uses": self.max_uses });
        foundation::audit::record(connection, entry).await?;
        let invite = db::find(connection, team, new.id).await?.ok_or_else(not_found)?;
        let invite = invite.shown(cx, true);
        self.send(connection, team, &invite, now).await?;
        Ok(invite)
    }

    fn row(&self, team: Uuid, maker: UserId, now: DateTime<Utc>) -> db::NewInvite<'_> {
        db::NewInvite {
            id: shared::id::new(),
            team_id: team,
            role_id: self.role,
            code: new_code(),
            email: self.email.as_deref(),
            max_uses: self.max_uses,
            expires_at: now + self.lifetime,
            created_by: maker,
            created_at: now,
        }
    }

    async fn send(
        &self,
        connection: &mut AsyncPgConnection,
        team: Uuid,
        invite: &DeveloperTeamInvite,
        now: DateTime<Utc>,
    ) -> Result<()> {
        let (Some(email), Some(url)) = (&self.email, &invite.url) else { return Ok(()) };
        let name = db::team_name(connection, team).await?;
        let mail = Mail::Notification {
            title: format!("Invite to the team {name}"),
            message: format!("You can join the team {name} as {}: {url}", invite.role.name),
        };
        Ok(mail::enqueue(connection, Recipient::Address(email.clone()), &mail, now).await?)
    }
}

/// Checks that a locked team may have one more member (reference/teams.md#limits).
///
/// # Errors
/// 403 `PLAN_LIMIT_REACHED`.
pub(super) async fn require_room(connection: &mut AsyncPgConnection, team: Uuid) -> Result<()> {
    let owner = db::owner(connection, team).await?;
    let max = limits::of_user(connection, owner, LimitKey::MaxTeamMembers).await?;
    let max = max.unwrap_or(LimitKey::MaxTeamMembers.default_value());
    if members::db::count(connection, team).await? < max {
        return Ok(());
    }
    let error = ApiError::new(Code::PlanLimitReached, "Team member limit reached");
    Err(error.with_details(json!({ "limit": max })))
}

fn new_code() -> String {
    let code: [u8; CODE_BYTES] = rand::rng().random();
    BASE64_URL_SAFE_NO_PAD.encode(code)
}
