//! What has become of credentials since they were resolved, for connections that outlive a request (specification
//! A §6, C §11.4). Reads past the caches and many at once.

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use shared::{
    catalogue::PermissionSet,
    db::schema::{account_service_keys, popout_tokens, sessions, surface_tokens, system_keys, user_api_keys},
    id::UserId,
};
use uuid::Uuid;

use super::{AccountScopes, Principal};
use crate::{Result, State};

/// Ids that one statement asks for.
const BATCH: usize = 1000;

/// What has become of a credential.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// Still good. What it limits its holder to may have changed meanwhile; `None` for one that limits nothing.
    Good(Option<AccountScopes>),
    Expired,
    Revoked,
}

/// Where a credential is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Store {
    Sessions,
    PersonalKeys,
    ServiceKeys,
    SystemKeys,
    Popouts,
    Surfaces,
}

/// What was found of credentials.
#[derive(Debug, Default)]
pub struct Standings(HashMap<Uuid, Found>);

/// A credential as it is stored now.
#[derive(Debug, Clone, Copy)]
struct Found {
    standing: Standing,
    /// Whom it is bound to, where that can change.
    bound_to: Option<UserId>,
}

/// What is asked of every store.
struct Row {
    id: Uuid,
    expires_at: Option<DateTime<Utc>>,
    revoked_at: Option<DateTime<Utc>>,
    scopes: Option<Vec<String>>,
    bound_to: Option<UserId>,
}

impl Standings {
    /// What has become of one of the credentials that were asked for; `None` for one that is stored nowhere. Whoever
    /// a token was bound to before may no longer use it.
    #[must_use]
    pub fn of(&self, principal: &Principal) -> Option<Standing> {
        let found = self.0.get(&principal.standing_id()?)?;
        let is_theirs = found.bound_to.is_none_or(|user| principal.user() == Some(user));
        Some(if is_theirs { found.standing } else { Standing::Revoked })
    }
}

/// The standing of credentials. One that is no longer stored is revoked.
///
/// # Errors
/// When the database fails.
pub async fn standings<'a>(
    state: &State,
    principals: impl IntoIterator<Item = &'a Principal>,
) -> Result<Standings> {
    let mut asked: HashMap<Store, Vec<Uuid>> = HashMap::new();
    for principal in principals {
        if let (Some(store), Some(id)) = (store(principal), principal.standing_id()) {
            asked.entry(store).or_default().push(id);
        }
    }
    let (now, mut found) = (state.clock.now(), HashMap::new());
    for (store, ids) in asked {
        for ids in ids.chunks(BATCH) {
            let rows = load(state, store, ids).await?;
            let gone = Found { standing: Standing::Revoked, bound_to: None };
            found.extend(ids.iter().map(|id| (*id, gone)));
            found.extend(rows.into_iter().map(|row| (row.id, judge(row, now))));
        }
    }
    Ok(Standings(found))
}

impl Principal {
    /// What [`standings`] asks by: the id of the session, key or token.
    #[must_use]
    pub const fn standing_id(&self) -> Option<Uuid> {
        match self {
            Self::Session { session, .. } => Some(*session),
            other => other.credential_id(),
        }
    }

    /// The same credential with what it limits its holder to now.
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

fn judge(row: Row, now: DateTime<Utc>) -> Found {
    let standing = if row.revoked_at.is_some() {
        Standing::Revoked
    } else if row.expires_at.is_some_and(|at| at <= now) {
        Standing::Expired
    } else {
        Standing::Good(row.scopes.map(PermissionSet::from_strings))
    };
    Found { standing, bound_to: row.bound_to }
}

async fn load(state: &State, store: Store, ids: &[Uuid]) -> Result<Vec<Row>> {
    let connection = &mut *state.databases.postgres.get().await?;
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
    use shared::id::AccountId;

    use super::*;

    fn at(seconds: i64) -> DateTime<Utc> {
        DateTime::from_timestamp(seconds, 0).unwrap()
    }

    #[test]
    fn revocation_comes_before_expiry() {
        let standing = |expires: Option<i64>, revoked: bool| {
            let row = ending(Uuid::nil(), expires.map(at));
            judge(Row { revoked_at: revoked.then(|| at(1000)), ..row }, at(1000)).standing
        };
        assert_eq!(standing(None, false), Standing::Good(None));
        assert_eq!(standing(Some(1001), false), Standing::Good(None));
        assert_eq!(standing(Some(1000), false), Standing::Expired);
        assert_eq!(standing(Some(1000), true), Standing::Revoked);
    }

    #[test]
    fn a_token_that_was_bound_to_somebody_else_is_revoked_for_whoever_had_it() {
        let (id, now, before) = (Uuid::now_v7(), UserId(Uuid::now_v7()), UserId(Uuid::now_v7()));
        let popout = |user| {
            let (account, scopes) = (AccountId(Uuid::now_v7()), PermissionSet::empty());
            Principal::Popout { id, user, maker: now, account, scopes, exchanged: false }
        };
        let row = Row { bound_to: Some(now), ..ending(id, None) };
        let standings = Standings(HashMap::from([(id, judge(row, at(1000)))]));
        assert_eq!(standings.of(&popout(now)), Some(Standing::Good(None)));
        assert_eq!(standings.of(&popout(before)), Some(Standing::Revoked));
        assert_eq!(standings.of(&Principal::Anonymous { refused: false }), None);
    }
}
