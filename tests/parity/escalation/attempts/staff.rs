//! Rights of staff, of people, and of staff over people and accounts.

use serde_json::{Value, json};
use uuid::Uuid;

use super::{Actor, Attempt, Stage};

pub async fn of(stage: &Stage<'_>, actor: &Actor, operation: &str) -> Vec<Attempt> {
    let (root, clerk) = (stage.root.user_id, stage.clerk.user_id);
    let (system, clerks) = (stage.system_role().await, stage.clerks_role);
    let held = actor.permission;
    match operation {
        "adminCreateRole" => {
            let role = |permissions: Value| json!({ "name": Uuid::now_v7().simple().to_string(), "permissions": permissions });
            vec![
                Attempt::new("a role with more", json!({}), role(json!([held, "system-keys:create"]))),
                Attempt::new(
                    "a role with a reserved permission",
                    json!({}),
                    role(json!([held, "admin:privacy-erase"])),
                ),
            ]
        }
        "adminUpdateRole" => vec![
            Attempt::new(
                "more for the own role",
                json!({ "id": actor.role }),
                json!({ "permissions": [held, "users:delete"] }),
            ),
            Attempt::new(
                "a reserved permission for the own role",
                json!({ "id": actor.role }),
                json!({ "permissions": [held, "crawler:scope-edit"] }),
            ),
            Attempt::new("less for a higher role", json!({ "id": clerks }), json!({ "permissions": [held] })),
            Attempt::new("less for System Admins", json!({ "id": system }), json!({ "permissions": [held] })),
            Attempt::new(
                "another name for System Admins",
                json!({ "id": system }),
                json!({ "name": "Nobody", "permissions": [] }),
            ),
        ],
        "adminDeleteRole" => vec![
            Attempt::new("a higher role", json!({ "id": clerks }), json!({})),
            Attempt::new("the System Admin role", json!({ "id": system }), json!({})),
        ],
        "adminAssignUserRole" => vec![
            Attempt::new(
                "System Admin for oneself",
                json!({ "id": system }),
                json!({ "user_id": actor.user }),
            ),
            Attempt::new(
                "a higher role for oneself",
                json!({ "id": clerks }),
                json!({ "user_id": actor.user }),
            ),
            Attempt::new(
                "System Admin for a friend",
                json!({ "id": system }),
                json!({ "user_id": stage.friend.user_id }),
            ),
            Attempt::new(
                "the own role for somebody higher",
                json!({ "id": actor.role }),
                json!({ "user_id": clerk }),
            ),
        ],
        "adminUnassignUserRole" => vec![
            Attempt::new(
                "the own role of somebody higher",
                json!({ "id": shared_role(stage, actor).await, "user_id": clerk }),
                json!({}),
            ),
            Attempt::new("a System Admin", json!({ "id": system, "user_id": root }), json!({})),
            Attempt::new("somebody higher", json!({ "id": clerks, "user_id": clerk }), json!({})),
        ],
        "adminUpdateUser" => vec![
            Attempt::new(
                "the e-mail of a System Admin",
                json!({ "id": root }),
                json!({ "email": "mine@example.org" }),
            ),
            Attempt::new(
                "the e-mail of somebody higher",
                json!({ "id": clerk }),
                json!({ "email": "mine@example.org" }),
            ),
            Attempt::new(
                "what a System Admin may create",
                json!({ "id": root }),
                json!({ "account_creation_override": "deny" }),
            ),
        ],
        "adminUpdateUserAccountCreationOverride" => vec![
            Attempt::new("of a System Admin", json!({ "id": root }), json!({ "override": "deny" })),
            Attempt::new("of somebody higher", json!({ "id": clerk }), json!({ "override": "deny" })),
        ],
        "adminDeleteUser" => vec![
            Attempt::new("a System Admin", json!({ "id": root }), json!({})),
            Attempt::new("somebody higher", json!({ "id": clerk }), json!({})),
        ],
        "adminDeleteAccount" => vec![
            Attempt::new("a System Admin's", json!({ "id": stage.root.account_id }), json!({})),
            Attempt::new("that of somebody higher", json!({ "id": stage.clerk.account_id }), json!({})),
        ],
        "adminAddUserMembership"
        | "adminRemoveUserMembership"
        | "adminSetAccountPermissionOverride"
        | "adminRemoveAccountPermissionOverride" => in_accounts(stage, actor, operation).await,
        _ => of_people(stage, actor, operation).await,
    }
}

/// The caller's role, with another member who holds more.
async fn shared_role(stage: &Stage<'_>, actor: &Actor) -> Uuid {
    stage
        .row(&format!(
            "WITH gone AS (DELETE FROM admin_role_members WHERE user_id = '{clerk}' AND role_id <> '{clerks}')
             INSERT INTO admin_role_members (user_id, role_id) SELECT '{clerk}', '{}'
             WHERE $1 IS NOT NULL AND $2 IS NOT NULL RETURNING role_id AS id",
            actor.role,
            clerk = stage.clerk.user_id,
            clerks = stage.clerks_role
        ))
        .await
}

/// Changes by staff in accounts that it does not belong to.
async fn in_accounts(stage: &Stage<'_>, actor: &Actor, operation: &str) -> Vec<Attempt> {
    let account = stage.account();
    let member =
        |user: Uuid, role: Uuid| (json!({ "id": user }), json!({ "account_id": account, "role_id": role }));
    match operation {
        "adminAddUserMembership" => {
            let administrator = stage.role("administrator").await;
            let (own, as_administrator) = member(actor.user, administrator);
            let (_, as_viewer) = member(actor.user, stage.role("viewer").await);
            let (friends, _) = member(stage.stranger.user_id, administrator);
            let (roots, without_rights) = member(stage.root.user_id, stage.friends_role);
            vec![
                Attempt::new("a role without rights for a System Admin", roots, without_rights),
                Attempt::new("administrator for oneself", own.clone(), as_administrator.clone()),
                Attempt::new("viewer for oneself", own, as_viewer),
                Attempt::new("administrator for a friend", friends, as_administrator),
            ]
        }
        "adminRemoveUserMembership" => {
            let names = |user: Uuid, membership: Uuid| json!({ "id": user, "membership_id": membership });
            let roots = stage
                .row(&format!(
                    "INSERT INTO memberships (id, account_id, user_id, role_id)
                     SELECT gen_random_uuid(), $1, '{}', '{}' WHERE $2 IS NOT NULL
                     ON CONFLICT (account_id, user_id) DO UPDATE SET role_id = excluded.role_id RETURNING id",
                    stage.root.user_id, stage.friends_role
                ))
                .await;
            vec![
                Attempt::new(
                    "a System Admin whose role gives nothing",
                    names(stage.root.user_id, roots),
                    json!({}),
                ),
                Attempt::new(
                    "an administrator",
                    names(stage.administrator.user_id, stage.administrators_membership),
                    json!({}),
                ),
                Attempt::new("the owner", names(stage.owner.user_id, stage.owners_membership), json!({})),
            ]
        }
        "adminSetAccountPermissionOverride" => vec![
            Attempt::new(
                "more for an account",
                json!({ "id": account }),
                json!({ "permission": "account:delete", "granted": true }),
            ),
            Attempt::new(
                "less for an account",
                json!({ "id": account }),
                json!({ "permission": "account:delete", "granted": false }),
            ),
        ],
        _ => {
            let permission = |granted: bool, permission: &str| {
                format!(
                "INSERT INTO account_permission_overrides (account_id, permission, granted)
                 SELECT $1, '{permission}', {granted} WHERE $2 IS NOT NULL
                 ON CONFLICT (account_id, permission) DO UPDATE SET granted = excluded.granted RETURNING account_id AS id"
            )
            };
            stage.row(&permission(false, "sounds:play")).await;
            stage.row(&permission(true, "plan:read")).await;
            vec![
                Attempt::new("a denial", json!({ "id": account, "permission": "sounds:play" }), json!({})),
                Attempt::new("a grant", json!({ "id": account, "permission": "plan:read" }), json!({})),
            ]
        }
    }
}

/// Platform-wide rights: the caller is restricted to two of them.
async fn of_people(stage: &Stage<'_>, actor: &Actor, operation: &str) -> Vec<Attempt> {
    let friend = stage.friend.user_id;
    let (member, moderator, restricted) = (
        stage.user_role("member").await,
        stage.user_role("moderator").await,
        stage.user_role("restricted").await,
    );
    match operation {
        "createUserRole" => vec![Attempt::new(
            "a role with more",
            json!({}),
            json!({
                "name": Uuid::now_v7().simple().to_string(), "permissions": ["ideas:read", "ideas:create"],
            }),
        )],
        "updateUserRole" => vec![
            Attempt::new(
                "more for the own role",
                json!({ "id": restricted }),
                json!({ "permissions": ["ideas:read", "ideas:comment_read", "ideas:vote"] }),
            ),
            Attempt::new("less for moderators", json!({ "id": moderator }), json!({ "permissions": [] })),
            Attempt::new(
                "less for everybody",
                json!({ "id": member }),
                json!({ "permissions": ["ideas:read"] }),
            ),
            Attempt::new(
                "the own role for everybody",
                json!({ "id": restricted }),
                json!({ "is_default": true }),
            ),
        ],
        "deleteUserRole" => {
            let role = stage.new_role(stage.administrator.user_id, "ideas:vote").await;
            stage
                .row(&format!(
                    "WITH gone AS (DELETE FROM user_role_assignments WHERE user_id = '{friend}')
                 SELECT id FROM users WHERE id = '{friend}' AND $1 IS NOT NULL AND $2 IS NOT NULL"
                ))
                .await;
            let empty = stage.empty_role(friend).await;
            vec![
                Attempt::new("a role that holds more", json!({ "id": role }), json!({})),
                Attempt::new("the empty role of a friend", json!({ "id": empty }), json!({})),
            ]
        }
        "assignUserRole" => {
            let role =
                |user: Uuid, role: Uuid| (json!({ "id": user, "user_id": user }), json!({ "role_id": role }));
            let (own, moderators) = role(actor.user, moderator);
            let (friends, _) = role(friend, moderator);
            let (owners, as_restricted) = role(stage.owner.user_id, restricted);
            let (roots, _) = role(stage.root.user_id, restricted);
            stage.empty_role(stage.root.user_id).await;
            vec![
                Attempt::new("what the caller holds for a System Admin", roots, as_restricted.clone()),
                Attempt::new("moderator for oneself", own, moderators.clone()),
                Attempt::new("moderator for a friend", friends, moderators),
                Attempt::new("less for another", owners, as_restricted),
            ]
        }
        "removeUserRole" => {
            stage.give(stage.stranger.user_id, "moderator").await;
            stage.give(stage.root.user_id, "restricted").await;
            stage.empty_role(stage.root.user_id).await;
            vec![
                Attempt::new(
                    "what the caller holds of a System Admin",
                    json!({ "id": stage.root.user_id, "user_id": stage.root.user_id, "role_id": restricted }),
                    json!({}),
                ),
                Attempt::new(
                    "what restricts oneself",
                    json!({ "id": actor.user, "user_id": actor.user, "role_id": restricted }),
                    json!({}),
                ),
                Attempt::new(
                    "a moderator",
                    json!({ "id": stage.stranger.user_id, "user_id": stage.stranger.user_id, "role_id": moderator }),
                    json!({}),
                ),
            ]
        }
        "setUserPermissionOverride" => {
            let names = |user: Uuid| json!({ "id": user, "user_id": user });
            let more = json!({ "permission": "ideas:create", "granted": true });
            vec![
                Attempt::new("more for oneself", names(actor.user), more.clone()),
                Attempt::new("more for a friend", names(friend), more),
                Attempt::new(
                    "less for another",
                    names(stage.owner.user_id),
                    json!({ "permission": "ideas:create", "granted": false }),
                ),
                Attempt::new(
                    "less for a System Admin",
                    names(stage.root.user_id),
                    json!({ "permission": "ideas:read", "granted": false }),
                ),
            ]
        }
        "removeUserPermissionOverride" => {
            let denial = |user: Uuid, permission: &str, granted: bool| {
                format!(
                "INSERT INTO user_permission_overrides (user_id, permission, granted)
                 SELECT '{user}', '{permission}', {granted} WHERE $1 IS NOT NULL AND $2 IS NOT NULL
                 ON CONFLICT (user_id, permission) DO UPDATE SET granted = excluded.granted RETURNING user_id AS id"
            )
            };
            stage.row(&denial(actor.user, "ideas:read", false)).await;
            stage.row(&denial(stage.root.user_id, "ideas:comment_read", false)).await;
            stage.app.state.caches.invalidate(&foundation::invalidation::Invalidation::AllUsers);
            vec![
                Attempt::new(
                    "the own denial",
                    json!({ "id": actor.user, "user_id": actor.user, "permission": "ideas:read" }),
                    json!({}),
                ),
                Attempt::new(
                    "that of a System Admin",
                    json!({ "id": stage.root.user_id, "user_id": stage.root.user_id, "permission": "ideas:comment_read" }),
                    json!({}),
                ),
            ]
        }
        _ => Vec::new(),
    }
}
