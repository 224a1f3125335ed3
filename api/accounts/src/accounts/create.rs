//! Creation of an account (reference/accounts.md#creation).

use std::collections::HashSet;

use account_model::accounts::{MAX_NAME_LENGTH, NewAccount, create_with_default_roles, ownership};
use api_core::{
    ApiError, Code, Cx, Input, Operation, Result,
    access::{Grants, Principal, SignedIn, account_features, act_in, session_token},
    validate,
};
use diesel_async::{AsyncConnection, AsyncPgConnection};
use foundation::audit;
use juniper::{GraphQLInputObject, GraphQLObject};
use serde::Deserialize;
use serde_json::json;
use shared::{
    catalogue::Feature,
    id::{AccountId, UserId},
};
use utoipa::ToSchema;
use uuid::Uuid;

use super::{Account, MAX_DESCRIPTION_LENGTH, db};

/// Maximum number of login connections in one request. An account takes one for each platform, and there are
/// fewer platforms.
const MAX_LOGIN_CONNECTIONS: usize = 16;

/// An account to create.
#[derive(Debug, Clone, Deserialize, GraphQLInputObject, ToSchema)]
pub struct CreateAccountInput {
    /// Name, 1 to 100 characters.
    #[schema(extensions(("maxLength" = json!(MAX_NAME_LENGTH))))]
    pub name: String,
    /// Description, at most 500 characters.
    #[schema(extensions(("maxLength" = json!(MAX_DESCRIPTION_LENGTH))))]
    pub description: Option<String>,
    /// Login connections of the caller through which the caller writes in the account, at most one for each
    /// platform.
    pub login_connection_ids: Option<Vec<Uuid>>,
    /// Login connection of the caller that gives the account its avatar.
    pub primary_login_connection_id: Option<Uuid>,
}

/// A new account.
#[derive(Clone, GraphQLObject)]
pub struct CreateAccountResult {
    /// The new account.
    pub account: Account,
    /// Session token that acts in the new account. Null for a caller with an API key, which belongs to one
    /// account.
    pub token: Option<String>,
}

api_core::limits::submit! {
    api_core::limits::CountLimit {
        holder: api_core::limits::Holder::Person,
        ..api_core::limits::CountLimit::of_plan(
            "accounts",
            "SELECT coalesce(users.max_accounts_override, (SELECT max(plans.max_accounts) FROM accounts
                    JOIN plans ON plans.id = accounts.plan_id WHERE accounts.owner_id = users.id), 1)
                FROM users WHERE users.id = $2",
            "SELECT count(*) FROM accounts WHERE owner_id = $2",
        )
    }
}

pub static CREATE_ACCOUNT: Operation<SignedIn> =
    Operation::first_party("createAccount", Grants::AccountPermissions)
        .feature(Feature::AccountCreation)
        .idempotent()
        .secret_answer();

/// Creates an account that the caller owns.
///
/// The account starts on the default plan, with the default roles and the system extensions. A caller with a
/// session acts in it from then on and receives a session token for it. A caller with an API key receives no
/// token, and the key stays in its account.
///
/// (reference/accounts.md#creation)
///
/// # Errors
/// - 401 or 403 by the access rule.
/// - 400: an input is malformed, or two login connections are of one platform.
/// - 403: account creation is switched off. Over REST the body is `{ error, error_code }`; over GraphQL the
///   code is `ACCOUNT_CREATION_DISABLED`.
/// - 403 `FEATURE_DISABLED`: a second account needs `feature:multi_account`.
/// - 403 `PLAN_LIMIT_REACHED`: the caller owns the maximum number of accounts.
/// - 404: a login connection is not the caller's.
/// - 409: the accounts of the caller changed during the call.
#[api_core::operation]
pub async fn create_account(cx: &Cx, input: Input<CreateAccountInput>) -> Result<CreateAccountResult> {
    let person = cx.authorize(&CREATE_ACCOUNT).await?;
    let best = check_multi_account(cx, &person).await?;
    let wanted = AccountRequest::checked(input?)?;
    let session = match cx.principal() {
        Principal::Session { session, .. } => Some(*session),
        _ => None,
    };
    let mut connection = person.db().await?;
    let created = connection
        .transaction(async |connection| {
            let id = wanted.create(cx, connection, person.user, best).await?;
            if let Some(session) = session {
                act_in(connection, person.user, session, Some(id)).await?;
            }
            let account = db::load(connection, &[id]).await?.pop();
            account
                .map(|account| (id, account))
                .ok_or_else(|| ApiError::internal("a new account is not there"))
        })
        .await;
    drop(connection);
    let (id, account) = created?;
    let token = match session {
        Some(session) => Some(session_token(cx.state(), person.user, session, Some(id))?),
        None => None,
    };
    Ok(CreateAccountResult { account, token: token.map(|token| token.text.expose().to_owned()) })
}

/// Checks that the best owned account has the feature for a second account. Returns that account, if any is
/// owned (reference/accounts.md#creation).
async fn check_multi_account(cx: &Cx, person: &SignedIn) -> Result<Option<AccountId>> {
    let best = ownership(&mut *person.db().await?, person.user).await?.best;
    let Some(owned) = best else { return Ok(None) };
    account_features(cx.state(), owned).await?.require(Feature::MultiAccount.key())?;
    Ok(best)
}

/// Validated input.
#[derive(Debug, PartialEq, Eq)]
struct AccountRequest {
    name: String,
    description: Option<String>,
    login_connections: Vec<Uuid>,
    primary: Option<Uuid>,
}

impl AccountRequest {
    fn checked(input: CreateAccountInput) -> Result<Self> {
        let description = input
            .description
            .map(|text| validate::long_text("description", &text, 0, MAX_DESCRIPTION_LENGTH));
        let login_connections = input.login_connection_ids.unwrap_or_default();
        if login_connections.len() > MAX_LOGIN_CONNECTIONS {
            return Err(ApiError::invalid(format!(
                "login_connection_ids must hold at most {MAX_LOGIN_CONNECTIONS} ids"
            )));
        }
        Ok(Self {
            name: validate::text("name", &input.name, 1, MAX_NAME_LENGTH)?,
            description: description.transpose()?.filter(|text| !text.is_empty()),
            login_connections,
            primary: input.primary_login_connection_id,
        })
    }

    /// Creates the account. `best` is the owned account that the feature was read from.
    async fn create(
        &self,
        cx: &Cx,
        connection: &mut AsyncPgConnection,
        owner: UserId,
        best: Option<AccountId>,
    ) -> Result<AccountId> {
        // Creations of one person run one after the other, so that two requests do not pass the limit
        // together.
        db::lock_user(connection, owner).await?;
        let connections = self.own_connections(connection, owner).await?;
        let ownership = ownership(connection, owner).await?;
        if ownership.best != best {
            // Features of another account may need a connection of their own, which must not be awaited
            // inside the transaction.
            return Err(ApiError::conflict("Your accounts changed meanwhile; try again"));
        }
        if i64::try_from(ownership.owned).unwrap_or(i64::MAX) >= i64::from(ownership.max_accounts) {
            return Err(ApiError::new(Code::PlanLimitReached, "Account limit reached"));
        }
        let now = cx.state().clock.now();
        let account = NewAccount {
            name: &self.name,
            description: self.description.as_deref(),
            owner,
            primary_login_connection: self.primary,
            plan: &cx.state().config.billing.default_plan,
        };
        let account = create_with_default_roles(connection, &account, now).await?;
        db::assign_login_connections(connection, account, owner, &connections, now).await?;
        let assigned: Vec<Uuid> = connections.iter().map(|(id, _)| *id).collect();
        let entry = audit::Entry {
            scope: audit::Scope::Account(account.uuid()),
            metadata: json!({ "login_connection_ids": assigned }),
            ..cx.audit("account:created", "account", account)
        };
        audit::record(connection, entry).await?;
        Ok(account)
    }

    /// Login connections to assign, each with its platform.
    async fn own_connections(
        &self,
        connection: &mut AsyncPgConnection,
        owner: UserId,
    ) -> Result<Vec<(Uuid, String)>> {
        let asked: HashSet<Uuid> = self.login_connections.iter().chain(&self.primary).copied().collect();
        if asked.is_empty() {
            return Ok(Vec::new());
        }
        let own = db::own_login_connections(connection, owner, asked.iter().copied().collect()).await?;
        if own.len() != asked.len() {
            return Err(ApiError::not_found("Login connection not found"));
        }
        let assigned = own.into_iter().filter(|(id, _)| self.login_connections.contains(id)).collect();
        one_a_platform(assigned)
    }
}

fn one_a_platform(connections: Vec<(Uuid, String)>) -> Result<Vec<(Uuid, String)>> {
    let mut platforms = HashSet::new();
    for (_, platform) in &connections {
        if !platforms.insert(platform.as_str()) {
            return Err(ApiError::invalid(format!(
                "login_connection_ids must hold at most one connection a platform, {platform} has several"
            )));
        }
    }
    Ok(connections)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn input(name: &str) -> CreateAccountInput {
        CreateAccountInput {
            name: name.into(),
            description: None,
            login_connection_ids: None,
            primary_login_connection_id: None,
        }
    }

    fn refusal(input: CreateAccountInput) -> String {
        AccountRequest::checked(input).unwrap_err().message
    }

    #[test]
    fn account_request_limits_name_and_description() {
        assert_eq!(AccountRequest::checked(input(" My channel ")).unwrap().name, "My channel");
        assert_eq!(refusal(input("  ")), "name must not be empty");
        assert_eq!(refusal(input(&"x".repeat(101))), "name must be between 1 and 100 characters");
        assert!(AccountRequest::checked(input(&"ß".repeat(100))).is_ok());
        let described = |text: String| CreateAccountInput { description: Some(text), ..input("x") };
        assert_eq!(refusal(described("x".repeat(501))), "description must be between 0 and 500 characters");
        assert_eq!(
            AccountRequest::checked(described("x\n".repeat(250))).unwrap().description.unwrap().len(),
            499
        );
        assert_eq!(AccountRequest::checked(described("  ".into())).unwrap().description, None);
    }

    #[test]
    fn one_a_platform_refuses_two_connections_of_a_platform() {
        let own = |platforms: &[&str]| platforms.iter().map(|p| (Uuid::now_v7(), (*p).to_owned())).collect();
        assert!(one_a_platform(own(&["twitch", "kick"])).is_ok());
        let error = one_a_platform(own(&["twitch", "kick", "twitch"])).unwrap_err();
        assert_eq!(
            error.message,
            "login_connection_ids must hold at most one connection a platform, twitch has several"
        );
    }
}
