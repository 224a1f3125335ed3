//! Present status of resolved credentials, for connections that outlive a request
//! (reference/realtime.md#changes-of-rights). Reads past the caches, many credentials at once.

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use shared::{
    catalogue::PermissionSet,
    id::UserId,
    schema::{account_service_keys, popout_tokens, sessions, surface_tokens, system_keys, user_api_keys},
};
use uuid::Uuid;

use super::{AccountScopes, Principal};
use crate::{Result, State};

/// Ids in one statement.
const BATCH_SIZE: usize = 1000;

/// Present status of a credential.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CredentialStatus {
    /// Valid. Holds the present scopes; `None` for a credential without scopes.
    Good(Option<AccountScopes>),
    /// Its end has passed.
    Expired,
    /// Revoked, deleted, or assigned to another member.
    Revoked,
}

/// Table that stores a credential.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Store {
    Sessions,
    PersonalKeys,
    ServiceKeys,
    SystemKeys,
    Popouts,
    Surfaces,
}

/// Statuses by the id of the credential.
#[derive(Debug, Default)]
pub struct CredentialStatuses(HashMap<Uuid, StoredStatus>);

/// A credential as it is stored now.
#[derive(Debug, Clone, Copy)]
struct StoredStatus {
    status: CredentialStatus,
    /// Person that it is bound to, where that can change.
    bound_to: Option<UserId>,
}

/// Columns that are read of every table.
struct Row {
    id: Uuid,
    expires_at: Option<DateTime<Utc>>,
    revoked_at: Option<DateTime<Utc>>,
    scopes: Option<Vec<String>>,
    bound_to: Option<UserId>,
}

impl CredentialStatuses {
    /// Status of one of the requested credentials; `None` for one that is not stored. A credential that was
    /// assigned to another person is revoked for the former one.
    #[must_use]
    pub fn of(&self, principal: &Principal) -> Option<CredentialStatus> {
        let found = self.0.get(&principal.status_id()?)?;
        let is_same_holder = found.bound_to.is_none_or(|user| principal.user() == Some(user));
        Some(if is_same_holder { found.status } else { CredentialStatus::Revoked })
    }
}

/// Reads the statuses of credentials. A credential that is no longer stored is revoked.
///
/// # Errors
/// `DATABASE_ERROR` when the database fails.
pub async fn credential_statuses<'a>(
    state: &State,
    principals: impl IntoIterator<Item = &'a Principal>,
) -> Result<CredentialStatuses> {
    let mut asked: HashMap<Store, Vec<Uuid>> = HashMap::new();
    for principal in principals {
        if let (Some(store), Some(id)) = (store(principal), principal.status_id()) {
            asked.entry(store).or_default().push(id);
        }
    }
    let (now, mut found) = (state.clock.now(), HashMap::new());
    for (store, ids) in asked {
        for ids in ids.chunks(BATCH_SIZE) {
            let rows = load(state, store, ids).await?;
            let gone = StoredStatus { status: CredentialStatus::Revoked, bound_to: None };
            found.extend(ids.iter().map(|id| (*id, gone)));
            found.extend(rows.into_iter().map(|row| (row.id, classify(row, now))));
        }
    }
    Ok(CredentialStatuses(found))
}

impl Principal {
    /// Id of the session, key or token, as [`credential_statuses`] uses it.
    #[must_use]
    pub const fn status_id(&self) -> Option<Uuid> {
        match self {
            Self::Session { session, .. } => Some(*session),
            other => other.credential_id(),
        }
    }

    /// Returns the credential with its present scopes.
    #[must_use]
    pub fn with_scopes(mut self, now: AccountScopes) -> Self {
        if let Self::PersonalKey { scopes, .. }
        | Self::ServiceKey { scopes, .. }
        | Self::Popout { scopes, .. } = &mut self
        {
            *scopes = now;
        }
        self
    }
}

const fn store(principal: &Principal) -> Option<Store> {
    match principal {
        Principal::Anonymous { .. } => None,
        Principal::Session { .. } => Some(Store::Sessions),
        Principal::PersonalKey { .. } => Some(Store::PersonalKeys),
        Principal::ServiceKey { .. } => Some(Store::ServiceKeys),
        Principal::SystemKey { .. } => Some(Store::SystemKeys),
        Principal::Popout { .. } => Some(Store::Popouts),
        Principal::Surface { .. } => Some(Store::Surfaces),
    }
}

fn classify(row: Row, now: DateTime<Utc>) -> StoredStatus {
    let status = if row.revoked_at.is_some() {
        CredentialStatus::Revoked
    } else if row.expires_at.is_some_and(|at| at <= now) {
        CredentialStatus::Expired
    } else {
        CredentialStatus::Good(row.scopes.map(PermissionSet::from_strings))
    };
    StoredStatus { status, bound_to: row.bound_to }
}

async fn load(state: &State, store: Store, ids: &[Uuid]) -> Result<Vec<Row>> {
    let connection = &mut *state.databases.primary().await?;
    Ok(match store {
        Store::Sessions => {
            use sessions::dsl as t;
            let query = t::sessions.filter(t::id.eq_any(ids)).select((t::id, t::expires_at, t::revoked_at));
            let rows: Vec<(Uuid, DateTime<Utc>, Option<DateTime<Utc>>)> = query.load(connection).await?;
            rows.into_iter()
                .map(|(id, expires_at, revoked_at)| Row { revoked_at, ..ending(id, Some(expires_at)) })
                .collect()
        }
        Store::PersonalKeys => {
            use user_api_keys::dsl as t;
            let query =
                t::user_api_keys.filter(t::id.eq_any(ids)).select((t::id, t::expires_at, t::permissions));
            query.load::<Scoped>(connection).await?.into_iter().map(scoped).collect()
        }
        Store::ServiceKeys => {
            use account_service_keys::dsl as t;
            let query = t::account_service_keys.filter(t::id.eq_any(ids)).select((
                t::id,
                t::expires_at,
                t::permissions,
            ));
            query.load::<Scoped>(connection).await?.into_iter().map(scoped).collect()
        }
        Store::Popouts => {
            use popout_tokens::dsl as t;
            let query = t::popout_tokens
                .filter(t::id.eq_any(ids))
                .select(((t::id, t::expires_at, t::permissions), t::user_id));
            let rows: Vec<(Scoped, UserId)> = query.load(connection).await?;
            rows.into_iter().map(|(row, user)| Row { bound_to: Some(user), ..scoped(row) }).collect()
        }
        Store::SystemKeys => {
            use system_keys::dsl as t;
            let ids: Vec<Uuid> =
                t::system_keys.filter(t::id.eq_any(ids)).select(t::id).load(connection).await?;
            ids.into_iter().map(|id| ending(id, None)).collect()
        }
        Store::Surfaces => {
            use surface_tokens::dsl as t;
            let query =
                t::surface_tokens.filter(t::id.eq_any(ids)).select((t::id, t::expires_at, t::revoked_at));
            let rows: Vec<Revocable> = query.load(connection).await?;
            rows.into_iter()
                .map(|(id, expires_at, revoked_at)| Row { revoked_at, ..ending(id, expires_at) })
                .collect()
        }
    })
}

type Scoped = (Uuid, Option<DateTime<Utc>>, Vec<String>);
type Revocable = (Uuid, Option<DateTime<Utc>>, Option<DateTime<Utc>>);

fn scoped((id, expires_at, scopes): Scoped) -> Row {
    Row { scopes: Some(scopes), ..ending(id, expires_at) }
}

const fn ending(id: Uuid, expires_at: Option<DateTime<Utc>>) -> Row {
    Row { id, expires_at, revoked_at: None, scopes: None, bound_to: None }
}

#[cfg(test)]
mod tests {
    use shared::id::{AccountId, Trust};

    use super::*;

    fn at(seconds: i64) -> DateTime<Utc> {
        DateTime::from_timestamp(seconds, 0).unwrap()
    }

    #[test]
    fn credential_status_ranks_revocation_above_expiry() {
        let status = |expires: Option<i64>, revoked: bool| {
            let row = ending(Uuid::nil(), expires.map(at));
            classify(Row { revoked_at: revoked.then(|| at(1000)), ..row }, at(1000)).status
        };
        assert_eq!(status(None, false), CredentialStatus::Good(None));
        assert_eq!(status(Some(1001), false), CredentialStatus::Good(None));
        assert_eq!(status(Some(1000), false), CredentialStatus::Expired);
        assert_eq!(status(Some(1000), true), CredentialStatus::Revoked);
    }

    #[test]
    fn credential_status_is_revoked_for_the_previous_user_of_a_rebound_token() {
        let (id, now, before) = (Uuid::now_v7(), UserId(Uuid::now_v7()), UserId(Uuid::now_v7()));
        let popout = |user| {
            let (account, scopes) = (AccountId::trusted(Uuid::now_v7(), Trust::Test), PermissionSet::empty());
            Principal::Popout { id, user, maker: now, account, scopes, exchanged: false }
        };
        let row = Row { bound_to: Some(now), ..ending(id, None) };
        let credential_statuses = CredentialStatuses(HashMap::from([(id, classify(row, at(1000)))]));
        assert_eq!(credential_statuses.of(&popout(now)), Some(CredentialStatus::Good(None)));
        assert_eq!(credential_statuses.of(&popout(before)), Some(CredentialStatus::Revoked));
        assert_eq!(credential_statuses.of(&Principal::Anonymous { refused: false }), None);
    }
}
