//! What has become of credentials since they were resolved, for connections that outlive a request (specification
//! A §6, C §11.4). Reads past the caches and many at once.

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use shared::{
    catalogue::PermissionSet,
    db::schema::{account_service_keys, popout_tokens, sessions, surface_tokens, system_keys, user_api_keys},
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

/// What is asked of every store: id, expiry, revocation, scopes.
type Row = (Uuid, Option<DateTime<Utc>>, Option<DateTime<Utc>>, Option<Vec<String>>);
type Keyed = (Uuid, Option<DateTime<Utc>>, Vec<String>);
type Surface = (Uuid, Option<DateTime<Utc>>, Option<DateTime<Utc>>);
type Session = (Uuid, DateTime<Utc>, Option<DateTime<Utc>>);

/// The standing of credentials, by [`Principal::standing_id`]. One that is no longer stored is revoked.
///
/// # Errors
/// When the database fails.
pub async fn standings<'a>(
    state: &State,
    principals: impl IntoIterator<Item = &'a Principal>,
) -> Result<HashMap<Uuid, Standing>> {
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
            found.extend(ids.iter().map(|id| (*id, Standing::Revoked)));
            found.extend(rows.into_iter().map(|row| (row.0, judge(row, now))));
        }
    }
    Ok(found)
}

impl Principal {
    /// What [`standings`] answers by: the id of the session, key or token.
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

fn judge((_, expires_at, revoked_at, scopes): Row, now: DateTime<Utc>) -> Standing {
    if revoked_at.is_some() {
        Standing::Revoked
    } else if expires_at.is_some_and(|at| at <= now) {
        Standing::Expired
    } else {
        Standing::Good(scopes.map(PermissionSet::from_strings))
    }
}

async fn load(state: &State, store: Store, ids: &[Uuid]) -> Result<Vec<Row>> {
    let connection = &mut *state.databases.postgres.get().await?;
    let keyed = |rows: Vec<Keyed>| {
        rows.into_iter().map(|(id, expires_at, scopes)| (id, expires_at, None, Some(scopes))).collect()
    };
    Ok(match store {
        Store::Sessions => {
            use sessions::dsl as t;
            let query = t::sessions.filter(t::id.eq_any(ids)).select((t::id, t::expires_at, t::revoked_at));
            let rows: Vec<Session> = query.load(connection).await?;
            rows.into_iter()
                .map(|(id, expires_at, revoked_at)| (id, Some(expires_at), revoked_at, None))
                .collect()
        }
        Store::PersonalKeys => {
            use user_api_keys::dsl as t;
            let query =
                t::user_api_keys.filter(t::id.eq_any(ids)).select((t::id, t::expires_at, t::permissions));
            keyed(query.load(connection).await?)
        }
        Store::ServiceKeys => {
            use account_service_keys::dsl as t;
            let query = t::account_service_keys.filter(t::id.eq_any(ids)).select((
                t::id,
                t::expires_at,
                t::permissions,
            ));
            keyed(query.load(connection).await?)
        }
        Store::Popouts => {
            use popout_tokens::dsl as t;
            let query =
                t::popout_tokens.filter(t::id.eq_any(ids)).select((t::id, t::expires_at, t::permissions));
            keyed(query.load(connection).await?)
        }
        Store::SystemKeys => {
            use system_keys::dsl as t;
            let ids: Vec<Uuid> =
                t::system_keys.filter(t::id.eq_any(ids)).select(t::id).load(connection).await?;
            ids.into_iter().map(|id| (id, None, None, None)).collect()
        }
        Store::Surfaces => {
            use surface_tokens::dsl as t;
            let query =
                t::surface_tokens.filter(t::id.eq_any(ids)).select((t::id, t::expires_at, t::revoked_at));
            let rows: Vec<Surface> = query.load(connection).await?;
            rows.into_iter().map(|(id, expires_at, revoked_at)| (id, expires_at, revoked_at, None)).collect()
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn revocation_comes_before_expiry() {
        let now = DateTime::from_timestamp(1000, 0).unwrap();
        let row = |expires: Option<i64>, revoked: bool| {
            let expires = expires.and_then(|seconds| DateTime::from_timestamp(seconds, 0));
            (Uuid::nil(), expires, revoked.then_some(now), None)
        };
        assert_eq!(judge(row(None, false), now), Standing::Good(None));
        assert_eq!(judge(row(Some(1001), false), now), Standing::Good(None));
        assert_eq!(judge(row(Some(1000), false), now), Standing::Expired);
        assert_eq!(judge(row(Some(1000), true), now), Standing::Revoked);
    }
}
