//! Creating an account (specification A §4.3, §7; C §3).

use std::collections::HashSet;

use api_core::{
    ApiError, Code, Cx, Input, Operation, Result,
    access::{Grants, Principal, SignedIn, account_features, act_in, session_token},
    validate,
};
use diesel_async::{AsyncConnection, AsyncPgConnection};
use juniper::{GraphQLInputObject, GraphQLObject};
use serde::Deserialize;
use serde_json::json;
use shared::{
    accounts::{MAX_NAME_LENGTH, NewAccount, create_with_default_roles, ownership},
    audit,
    catalogue::Feature,
    id::{AccountId, UserId},
};
use utoipa::ToSchema;
use uuid::Uuid;

use super::{Account, MAX_DESCRIPTION_LENGTH, db};

/// More login connections than there are platforms cannot be assigned to one account.
const MAX_LOGIN_CONNECTIONS: usize = 16;

/// What a new account is to be.
#[derive(Debug, Clone, Deserialize, GraphQLInputObject, ToSchema)]
pub struct CreateAccountInput {
    /// 1 to 100 characters.
    #[schema(extensions(("maxLength" = json!(MAX_NAME_LENGTH))))]
    pub name: String,
    /// At most 500 characters.
    #[schema(extensions(("maxLength" = json!(MAX_DESCRIPTION_LENGTH))))]
    pub description: Option<String>,
    /// Login connections of the caller's that stand for the caller in the account, one a platform.
    pub login_connection_ids: Option<Vec<Uuid>>,
    /// The login connection of the caller's that lends the account its avatar.
    pub primary_login_connection_id: Option<Uuid>,
}

/// A new account.
#[derive(Clone, GraphQLObject)]
pub struct CreateAccountResult {
    pub account: Account,
    /// A session token that acts in the new account; none for a caller with an API key, which belongs to one account.
    pub token: Option<String>,
}

/// Creates an account.
pub static CREATE_ACCOUNT: Operation<SignedIn> =
    Operation::first_party("createAccount", Grants::AccountPermissions).feature(Feature::AccountCreation);

/// Creates an account that the caller owns, on the free plan. A caller with a session acts in it from then on.
///
/// # Errors
/// As the rule, with the answer of its own while accounts may not be created; 403 `FEATURE_DISABLED` for a second
/// account without `feature:multi_account`; 400 for a wrong input; 404 for a login connection that is not the
/// caller's; 403 `PLAN_LIMIT_REACHED` for one account too many; 409 `CONFLICT` when what the caller owns changed
/// meanwhile.
pub async fn create_account(cx: &Cx, input: Input<CreateAccountInput>) -> Result<CreateAccountResult> {
    let person = cx.authorize(&CREATE_ACCOUNT).await?;
    let best = check_multi_account(cx, &person).await?;
    let wanted = Wanted::checked(input?)?;
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
            account.ok_or_else(|| ApiError::internal("a new account is not there"))
        })
        .await;
    drop(connection);
    let account = created?;
    let token = match session {
        Some(session) => Some(session_token(cx.state(), person.user, session, Some(AccountId(account.id)))?),
        None => None,
    };
    Ok(CreateAccountResult { account, token: token.map(|token| token.text.expose().to_owned()) })
}

/// A second and later account needs the feature on the best owned one (C §3). That one, if any is owned.
async fn check_multi_account(cx: &Cx, person: &SignedIn) -> Result<Option<AccountId>> {
    let best = ownership(&mut *person.db().await?, person.user).await?.best;
    let Some(owned) = best else { return Ok(None) };
    account_features(cx.state(), owned).await?.require(Feature::MultiAccount.key())?;
    Ok(best)
}

/// A checked input.
#[derive(Debug, PartialEq, Eq)]
struct Wanted {
    name: String,
    description: Option<String>,
    login_connections: Vec<Uuid>,
    primary: Option<Uuid>,
}

impl Wanted {
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

    /// `best` is the owned account that the feature was looked up on.
    async fn create(
        &self,
        cx: &Cx,
        connection: &mut AsyncPgConnection,
        owner: UserId,
        best: Option<AccountId>,
    ) -> Result<AccountId> {
        // One after the other, so that two requests at once do not pass the limit together.
        db::lock_user(connection, owner).await?;
        let connections = self.own_connections(connection, owner).await?;
        let ownership = ownership(connection, owner).await?;
        if ownership.best != best {
            // The features of another account may need a connection of their own, which must not be waited for here.
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
            scope: audit::Scope::Account(account.0),
            metadata: json!({ "login_connection_ids": assigned }),
            ..cx.audit("account:created", "account", account)
        };
        audit::record(connection, entry).await?;
        Ok(account)
    }

    /// The login connections to assign, each with its platform.
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
        Wanted::checked(input).unwrap_err().message
    }

    #[test]
    fn names_and_descriptions_have_limits() {
        assert_eq!(Wanted::checked(input(" My channel ")).unwrap().name, "My channel");
        assert_eq!(refusal(input("  ")), "name must not be empty");
        assert_eq!(refusal(input(&"x".repeat(101))), "name must be between 1 and 100 characters");
        assert!(Wanted::checked(input(&"ß".repeat(100))).is_ok());
        let described = |text: String| CreateAccountInput { description: Some(text), ..input("x") };
        assert_eq!(refusal(described("x".repeat(501))), "description must be between 0 and 500 characters");
        assert_eq!(Wanted::checked(described("x\n".repeat(250))).unwrap().description.unwrap().len(), 499);
        assert_eq!(Wanted::checked(described("  ".into())).unwrap().description, None);
    }

    #[test]
    fn a_platform_is_assigned_once() {
        let own = |platforms: &[&str]| platforms.iter().map(|p| (Uuid::now_v7(), (*p).to_owned())).collect();
        assert!(one_a_platform(own(&["twitch", "kick"])).is_ok());
        let error = one_a_platform(own(&["twitch", "kick", "twitch"])).unwrap_err();
        assert_eq!(
            error.message,
            "login_connection_ids must hold at most one connection a platform, twitch has several"
        );
    }
}
