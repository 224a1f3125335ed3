//! Rights in an account.

use serde_json::json;
use uuid::Uuid;

use super::{Actor, Attempt, Stage};

/// A permission that no caller of the walk holds unless an operation needs it.
const MORE: &str = "chat:ban";

pub async fn of(stage: &Stage<'_>, actor: &Actor, operation: &str) -> Vec<Attempt> {
    let account = stage.account();
    let administrator = stage.role("administrator").await;
    let held = actor.permission;
    match operation {
        "createRole" => {
            make_room_for_a_role(stage, actor).await;
            vec![
                Attempt::new(
                    "a role with more",
                    json!({}),
                    json!({ "name": Uuid::now_v7().simple().to_string(), "permissions": [held, MORE] }),
                ),
                Attempt::new(
                    "a role with the owner's own",
                    json!({}),
                    json!({ "name": Uuid::now_v7().simple().to_string(), "permissions": ["account:delete"] }),
                ),
            ]
        }
        "updateRole" => vec![
            Attempt::new(
                "more for the own role",
                json!({ "id": actor.role }),
                json!({ "permissions": [held, MORE] }),
            ),
            Attempt::new(
                "more for a friend's role",
                json!({ "id": stage.friends_role }),
                json!({ "permissions": [MORE] }),
            ),
            Attempt::new(
                "less for administrators",
                json!({ "id": administrator }),
                json!({ "permissions": [held] }),
            ),
            Attempt::new(
                "less for the owner",
                json!({ "id": stage.role("owner").await }),
                json!({ "permissions": [held] }),
            ),
        ],
        "deleteRole" => vec![
            Attempt::new("a free role that holds more", json!({ "id": free_role(stage).await }), json!({})),
            Attempt::new("the administrators' role", json!({ "id": administrator }), json!({})),
        ],
        "updateMemberRole" => {
            let member = |membership: Uuid| json!({ "id": account, "membership_id": membership });
            vec![
                Attempt::new(
                    "administrator of oneself",
                    member(actor.membership),
                    json!({ "role_id": administrator }),
                ),
                Attempt::new(
                    "administrator of a friend",
                    member(stage.friends_membership),
                    json!({ "role_id": administrator }),
                ),
                Attempt::new(
                    "less for an administrator",
                    member(stage.administrators_membership),
                    json!({ "role_id": stage.friends_role }),
                ),
                Attempt::new(
                    "less for the owner",
                    member(stage.owners_membership),
                    json!({ "role_id": stage.friends_role }),
                ),
            ]
        }
        "removeMember" => {
            let member = |membership: Uuid| json!({ "id": account, "membership_id": membership });
            vec![
                Attempt::new("an administrator", member(stage.administrators_membership), json!({})),
                Attempt::new("the owner", member(stage.owners_membership), json!({})),
            ]
        }
        "createInvite" => vec![
            Attempt::new(
                "an invite for administrators",
                json!({}),
                json!({ "role_id": administrator, "method": "link" }),
            ),
            Attempt::new(
                "an invite for owners",
                json!({}),
                json!({ "role_id": stage.role("owner").await, "method": "link" }),
            ),
        ],
        "deleteInvite" => {
            vec![Attempt::new("another account's", json!({ "id": stage.foreign["invites"] }), json!({}))]
        }
        "acceptInvite" | "declineInvite" => {
            let code = Uuid::now_v7().simple().to_string();
            stage
                .row(&format!(
                    "INSERT INTO invites (id, account_id, code, role_id, method, created_by)
                 SELECT gen_random_uuid(), $1, '{code}', id, 'link', '{}' FROM account_roles
                 WHERE account_id = $1 AND $2 IS NOT NULL AND slug = 'administrator' RETURNING id",
                    stage.friend.user_id
                ))
                .await;
            vec![Attempt::new("one that its maker could not give", json!({ "code": code }), json!({}))]
        }
        "runNotificationAction" => {
            let id = stage.row(
                "INSERT INTO notifications (id, user_id, notification_type, title, message, data, actions)
                 SELECT gen_random_uuid(), $2, 'invite', 't', 'm', '{}', '[{\"key\": \"accept\", \"label\": \"Accept\"}]'
                 WHERE $1 IS NOT NULL RETURNING id",
            ).await;
            vec![Attempt::new(
                "another's",
                json!({ "id": id, "key": "accept", "action": "accept", "action_key": "accept" }),
                json!({}),
            )]
        }
        "createAccount" => vec![Attempt::new(
            "with another's login",
            json!({}),
            json!({
                "name": "Mine", "login_connection_ids": [stage.foreign["login_connections"]],
                "primary_login_connection_id": stage.foreign["login_connections"],
            }),
        )],
        "dissolveAccount" => vec![Attempt::new(
            "another's",
            json!({ "id": account }),
            json!({ "confirm_name": "Test account" }),
        )],
        "leaveAccount" => vec![Attempt::new(
            "one they do not belong to",
            json!({ "id": stage.stranger.account_id }),
            json!({}),
        )],
        "createUserApiKey" | "createAccountServiceKey" => vec![
            Attempt::new("a key with more", json!({}), json!({ "label": "k", "permissions": [MORE] })),
            Attempt::new("a key with everything", json!({}), json!({ "label": "k", "permissions": ["*"] })),
            Attempt::new(
                "a key with a whole resource",
                json!({}),
                json!({ "label": "k", "permissions": ["chat:*"] }),
            ),
        ],
        "deleteUserApiKey" => {
            vec![Attempt::new("another's", json!({ "id": stage.foreign["user_api_keys"] }), json!({}))]
        }
        "deleteAccountServiceKey" => {
            vec![Attempt::new(
                "another account's",
                json!({ "id": stage.foreign["account_service_keys"] }),
                json!({}),
            )]
        }
        "createPopoutToken" => vec![
            Attempt::new("with more", json!({}), json!({ "permissions": [MORE] })),
            Attempt::new(
                "for the owner",
                json!({}),
                json!({ "permissions": ["chat:read"], "user_id": stage.owner.user_id }),
            ),
        ],
        "updatePopoutToken" => {
            let owners = popout(stage, stage.owner.user_id, MORE).await;
            let friends = popout(stage, stage.friend.user_id, "chat:read").await;
            vec![
                Attempt::new(
                    "a friend's for the owner",
                    json!({ "id": friends }),
                    json!({ "user_id": stage.owner.user_id }),
                ),
                Attempt::new(
                    "the owner's for oneself",
                    json!({ "id": owners }),
                    json!({ "user_id": actor.user }),
                ),
                Attempt::new(
                    "more for a friend's",
                    json!({ "id": friends }),
                    json!({ "permissions": ["chat:read", MORE] }),
                ),
                Attempt::new(
                    "longer for the owner's",
                    json!({ "id": owners }),
                    json!({ "expires_at": null }),
                ),
            ]
        }
        "deletePopoutToken" => vec![Attempt::new(
            "another account's",
            json!({ "id": stage.foreign["popout_tokens"] }),
            json!({}),
        )],
        _ => Vec::new(),
    }
}

/// Removes the callers of earlier attempts and their roles: at the limit of roles an attempt would prove nothing.
async fn make_room_for_a_role(stage: &Stage<'_>, actor: &Actor) {
    let kept = format!("slug NOT LIKE 'role-%' OR id IN ('{}', '{}')", actor.role, stage.friends_role);
    let sql = format!(
        "WITH members AS (DELETE FROM memberships WHERE account_id = $1 AND role_id NOT IN (
             SELECT id FROM account_roles WHERE account_id = $1 AND ({kept}))),
         roles AS (DELETE FROM account_roles WHERE account_id = $1 AND NOT ({kept}))
         SELECT id FROM accounts WHERE id = $1 AND $2 IS NOT NULL"
    );
    stage.row(&sql).await;
}

/// A role without members.
async fn free_role(stage: &Stage<'_>) -> Uuid {
    stage
        .row(
            "INSERT INTO account_roles (id, account_id, slug, name, position, permissions)
         SELECT gen_random_uuid(), $1, gen_random_uuid()::text, gen_random_uuid()::text, 9, '{chat:ban}'
         WHERE $2 IS NOT NULL RETURNING id",
        )
        .await
}

/// A popout of a member's that carries a permission.
async fn popout(stage: &Stage<'_>, holder: Uuid, permission: &str) -> Uuid {
    let sql = format!(
        "INSERT INTO popout_tokens (id, account_id, user_id, created_by, token_hash, token_prefix, permissions, expires_at)
         VALUES (gen_random_uuid(), $1, '{holder}', $2, sha256(gen_random_uuid()::text::bytea), 'lm_pop_walk',
             '{{{permission}}}', now() + interval '1 hour') RETURNING id"
    );
    stage.row(&sql).await
}
