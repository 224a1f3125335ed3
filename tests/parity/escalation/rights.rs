//! Rights of all subjects in the database, and changes that are not allowed.

use std::collections::BTreeSet;

use diesel::{QueryableByName, sql_query, sql_types::Text};
use diesel_async::RunQueryDsl;
use lumio_tests::TestApp;

use super::{Actor, Stage};

/// A right that a subject holds.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, QueryableByName)]
pub struct Held {
    /// `person …`, `account role …`, `service key …`
    #[diesel(sql_type = Text)]
    pub subject: String,
    /// `staff`, `user`, `account …`, `sign-in`, `waits` (for a session to confirm it)
    #[diesel(sql_type = Text)]
    pub scope: String,
    #[diesel(sql_type = Text)]
    pub right: String,
}

const RIGHTS: &str = "
    SELECT 'person ' || m.user_id AS subject, 'staff' AS scope, unnest(r.permissions) AS \"right\"
        FROM admin_role_members m JOIN admin_roles r ON r.id = m.role_id
    UNION SELECT 'staff role ' || id, 'staff', unnest(permissions) FROM admin_roles
    UNION SELECT 'person ' || u.id, 'user', held.permission FROM users u CROSS JOIN LATERAL (
        (SELECT unnest(r.permissions) AS permission FROM user_roles r WHERE CASE
            WHEN EXISTS (SELECT 1 FROM user_role_assignments a WHERE a.user_id = u.id)
            THEN r.id IN (SELECT role_id FROM user_role_assignments a WHERE a.user_id = u.id)
            ELSE r.is_default END
         UNION SELECT o.permission FROM user_permission_overrides o WHERE o.user_id = u.id AND o.granted)
        EXCEPT SELECT o.permission FROM user_permission_overrides o WHERE o.user_id = u.id AND NOT o.granted
    ) held
    UNION SELECT 'platform role ' || id, 'user', unnest(permissions) FROM user_roles
    UNION SELECT 'person ' || m.user_id, 'account ' || m.account_id, held.permission
        FROM memberships m JOIN account_roles r ON r.id = m.role_id CROSS JOIN LATERAL (
        (SELECT unnest(r.permissions) AS permission
         UNION SELECT o.permission FROM account_permission_overrides o
            WHERE o.account_id = m.account_id AND o.granted)
        EXCEPT SELECT o.permission FROM account_permission_overrides o
            WHERE o.account_id = m.account_id AND NOT o.granted
    ) held
    UNION SELECT 'person ' || user_id, 'account ' || account_id, 'belongs to it' FROM memberships
    UNION SELECT 'account role ' || id, 'account ' || account_id, unnest(permissions) FROM account_roles
    UNION SELECT 'person ' || owner_id, 'account ' || id, 'owns it' FROM accounts
    UNION SELECT 'service key ' || id, 'account ' || account_id, unnest(permissions) FROM account_service_keys
    UNION SELECT 'personal key ' || id, 'account ' || account_id, unnest(permissions) FROM user_api_keys
    UNION SELECT 'popout ' || id, 'account ' || account_id, unnest(permissions) FROM popout_tokens
    UNION SELECT 'popout ' || id, 'account ' || account_id, 'acts for ' || user_id FROM popout_tokens
    UNION SELECT 'invite ' || i.id, 'account ' || i.account_id, unnest(r.permissions)
        FROM invites i JOIN account_roles r ON r.id = i.role_id
    UNION SELECT 'person ' || id, 'person', 'exists' FROM users
    UNION SELECT 'person ' || id, 'person', 'accounts: ' || account_creation_override FROM users
    UNION SELECT 'person ' || id, 'sign-in', email FROM users WHERE email IS NOT NULL
    UNION SELECT 'person ' || user_id, 'sign-in', platform || ' ' || provider_user_id FROM login_connections
    UNION SELECT 'person ' || user_id, 'waits', platform || ' ' || provider_user_id FROM unconfirmed_logins
    UNION SELECT 'person ' || id, 'waits', pending_email FROM users WHERE pending_email IS NOT NULL
    UNION SELECT 'person ' || user_id, 'session', id::text FROM sessions WHERE revoked_at IS NULL
    UNION SELECT 'person ' || a.user_id, 'sign-in', 'the login of ' || c.user_id
        FROM login_assignments a JOIN login_connections c ON c.id = a.login_connection_id
        WHERE c.user_id <> a.user_id
    UNION SELECT 'account ' || id, 'sign-in', 'shows ' || primary_login_connection_id FROM accounts
        WHERE primary_login_connection_id IS NOT NULL
    UNION SELECT 'extension ' || id, 'extension', 'belongs to ' || owner_developer_id FROM extensions
        WHERE owner_developer_id IS NOT NULL
    UNION SELECT 'extension ' || id, 'extension', 'belongs to ' || owner_team_id FROM extensions
        WHERE owner_team_id IS NOT NULL
    UNION SELECT 'person ' || m.user_id, 'team ' || m.team_id, unnest(r.permissions)
        FROM developer_team_members m JOIN developer_team_roles r ON r.id = m.role_id
    UNION SELECT 'person ' || user_id, 'team ' || team_id, 'belongs to it' FROM developer_team_members
    UNION SELECT 'team role ' || id, 'team ' || team_id, unnest(permissions) FROM developer_team_roles
    UNION SELECT 'person ' || owner_id, 'team ' || id, 'owns it' FROM developer_teams
    UNION SELECT 'invite ' || i.id, 'team ' || i.team_id, unnest(r.permissions)
        FROM developer_team_invites i JOIN developer_team_roles r ON r.id = i.role_id
    UNION SELECT 'account ' || account_id, 'extension', extension_id::text FROM extension_access_grants
    UNION SELECT 'person ' || user_id, 'extension', extension_id::text FROM extension_testers
    UNION SELECT 'install ' || id, 'account ' || account_id, 'is installed' FROM extension_installs
    ORDER BY 1, 2, 3";

/// Reads the rights of all subjects.
pub async fn all(app: &TestApp) -> BTreeSet<Held> {
    let mut db = app.databases.postgres.get().await.unwrap();
    let held: Vec<Held> = sql_query(RIGHTS).load(&mut *db).await.unwrap();
    held.into_iter().collect()
}

/// Rights that were gained or lost against the rules.
pub fn breaches(
    before: &BTreeSet<Held>,
    after: &BTreeSet<Held>,
    actor: &Actor,
    stage: &Stage<'_>,
) -> Vec<String> {
    let callers: BTreeSet<(&str, &str)> = before
        .iter()
        .filter(|held| held.subject == actor.subject)
        .map(|held| (held.scope.as_str(), held.right.as_str()))
        .collect();
    // A person who holds more permissions of staff may not be changed, also within the caller's own permissions.
    let out_of_reach = [stage.root.user_id, stage.clerk.user_id].map(|staff| format!("person {staff}"));
    let is_within = |held: &Held| {
        callers.contains(&(held.scope.as_str(), held.right.as_str())) && !out_of_reach.contains(&held.subject)
    };
    let scopes: BTreeSet<&str> = before.iter().map(|held| held.scope.as_str()).collect();
    let gained = after.difference(before).filter(|held| {
        let held: &Held = held;
        let is_own = held.subject == actor.subject && held.scope == "session";
        // A new account is the caller's own.
        let is_new = !scopes.contains(held.scope.as_str());
        let is_there = before.iter().any(|other| other.subject == held.subject);
        let acts_as_its_maker = !is_there && held.right == format!("acts for {}", actor.user);
        // Requests that wait for a session of the person give nothing yet.
        let waits = held.scope == "waits";
        !(is_within(held) || is_own || is_new || acts_as_its_maker || waits)
    });
    let gained = gained.map(|held| format!("{} gained `{}` of {}", held.subject, held.right, held.scope));
    let lost = before.difference(after).filter(|held| {
        let held: &Held = held;
        let is_own = held.subject == actor.subject;
        !(is_within(held) || is_own || is_credential(&held.subject))
    });
    let lost = lost.map(|held| format!("{} lost `{}` of {}", held.subject, held.right, held.scope));
    gained.chain(lost).collect()
}

/// True for a credential, which its account may revoke with all that it carries
/// (reference/credentials.md#ends-of-credentials).
fn is_credential(subject: &str) -> bool {
    ["service key ", "popout ", "invite "].iter().any(|kind| subject.starts_with(kind))
}
