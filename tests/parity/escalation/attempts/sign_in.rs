//! Ways to sign in.

use platforms_stand_in::Platform;
use serde_json::{Value, json};
use uuid::Uuid;

use super::{Actor, Attempt, Stage};
use lumio_tests::sign_in_with;

pub async fn of(stage: &Stage<'_>, actor: &Actor, operation: &str) -> Vec<Attempt> {
    let mut attempts = of_anybody(stage, operation).await;
    if actor.is_persons_key() {
        attempts.extend(of_a_key(stage, actor, operation).await);
    }
    attempts
}

/// Attempts of a stolen key to take over its person (reference/users.md#sign-in-changes-by-keys).
async fn of_a_key(stage: &Stage<'_>, actor: &Actor, operation: &str) -> Vec<Attempt> {
    let address = format!("{}@example.org", Uuid::now_v7().simple());
    match operation {
        "linkLoginProvider" => vec![Attempt::new("a login of the thief's", json!({}), thiefs_login(stage))],
        "updateMe" => {
            vec![Attempt::new("an address of the thief's", json!({}), json!({ "email": address }))]
        }
        "runNotificationAction" => {
            actor.caller.post("/v1/auth/link", thiefs_login(stage)).await.expect(201);
            actor.caller.patch("/v1/users/me", json!({ "email": address })).await.expect(200);
            let (login, email) =
                (notice(stage, actor, "connectionId").await, notice(stage, actor, "email").await);
            vec![
                answered("a login of the thief's confirmed", login, "confirm_login"),
                answered("a login declined", login, "decline_login"),
                answered("an address of the thief's confirmed", email, "confirm_email"),
                answered("an address declined", email, "decline_email"),
            ]
        }
        _ => Vec::new(),
    }
}

fn thiefs_login(stage: &Stage<'_>) -> Value {
    let name = format!("thief{}", &Uuid::now_v7().simple().to_string()[20..]);
    let (user, access_token) = stage.app.platforms.create_user(Platform::Kick, &name);
    sign_in_with("kick", &user, &access_token)
}

/// The notification that requests the confirmation of the key's person for `data`.
async fn notice(stage: &Stage<'_>, actor: &Actor, data: &str) -> Uuid {
    let sql = format!(
        "SELECT id FROM notifications WHERE $1 IS NOT NULL AND $2 IS NOT NULL AND user_id = '{}'
         AND notification_type = 'login_linked' AND data ? '{data}' ORDER BY created_at DESC LIMIT 1",
        actor.user
    );
    stage.row(&sql).await
}

fn answered(tried: &'static str, notice: Uuid, key: &str) -> Attempt {
    Attempt::new(tried, json!({ "id": notice, "key": key, "action": key, "action_key": key }), json!({}))
}

async fn of_anybody(stage: &Stage<'_>, operation: &str) -> Vec<Attempt> {
    let foreign = stage.foreign["login_connections"];
    let proof = json!({
        "provider": "twitch", "provider_user_id": "somebody", "access_token": "not-theirs",
        "profile": { "display_name": "x", "username": "x" },
    });
    let application = json!({
        "name": Uuid::now_v7().simple().to_string(),
        "redirect_uris": ["https://mine.example.org/back"], "allowed_hosts": ["mine.example.org"],
    });
    match operation {
        "linkLoginProvider" | "authorizeLogin" => {
            vec![Attempt::new("a login without its proof", json!({}), proof)]
        }
        "disconnectLoginConnection" => {
            vec![Attempt::new("another's", json!({ "id": foreign, "cid": foreign }), json!({}))]
        }
        "adminDisconnectUserLogin" => {
            let login = |platform: &str| {
                format!(
                "INSERT INTO login_connections (id, user_id, platform, provider_user_id, username, display_name)
                 SELECT gen_random_uuid(), '{}', '{platform}', gen_random_uuid()::text, 'u', 'U'
                 WHERE $1 IS NOT NULL AND $2 IS NOT NULL RETURNING id",
                stage.root.user_id
            )
            };
            stage.row(&login("kick")).await;
            let login = stage.row(&login("twitch")).await;
            let names = json!({
                "id": stage.root.user_id, "cid": login, "user_id": stage.root.user_id, "login_connection_id": login,
            });
            vec![Attempt::new("a System Admin's", names, json!({}))]
        }
        "updateMe" => vec![Attempt::new(
            "the account of another",
            json!({}),
            json!({ "active_account_id": stage.stranger.account_id }),
        )],
        "setPrimaryLoginConnection" => vec![
            Attempt::new(
                "for an account of another",
                json!({}),
                json!({ "account_id": stage.account(), "login_connection_id": foreign }),
            ),
            Attempt::new(
                "none for an account of another",
                json!({}),
                json!({ "account_id": stage.account(), "login_connection_id": null }),
            ),
        ],
        "adminCreateOauthClient" => vec![Attempt::new("an own host", json!({}), application)],
        "adminUpdateOauthClient" | "adminDeleteOauthClient" => {
            let client = stage.row(
                "INSERT INTO oauth_clients (id, name, redirect_uris, allowed_hosts)
                 SELECT gen_random_uuid(), 'Theirs', '{}', '{}' WHERE $1 IS NOT NULL AND $2 IS NOT NULL RETURNING id",
            ).await;
            vec![Attempt::new("another's", json!({ "id": client }), application)]
        }
        "adminUpsertSystemConnection" | "adminDeleteSystemConnection" => {
            let mut attempt = Attempt::new(
                "an own application to sign in with",
                json!({ "platform": "twitch" }),
                json!({
                    "client_id": "mine", "client_secret": "mine", "kind": "login",
                }),
            );
            if operation == "adminDeleteSystemConnection" {
                attempt.tried = "the application that people sign in with";
                attempt.body = json!({});
                attempt.query = vec![("kind", "login".to_owned())];
            }
            vec![attempt]
        }
        "adminUpdateProvider" | "adminUpdatePlatform" => {
            vec![Attempt::new(
                "signing in switched off",
                json!({ "id": "kick", "platform": "kick", "slug": "kick" }),
                json!({ "login": false }),
            )]
        }
        "assignLoginConnection" => {
            let body = |user: Option<Uuid>| json!({ "login_connection_id": foreign, "provider": "trovo", "user_id": user });
            vec![
                Attempt::new("another's for oneself", json!({}), body(None)),
                Attempt::new("another's for the owner", json!({}), body(Some(stage.owner.user_id))),
            ]
        }
        "removeLoginAssignment" => {
            let mut attempt = Attempt::new("the owner's", json!({ "provider": "trovo" }), json!({}));
            attempt.query = vec![("user_id", stage.owner.user_id.to_string())];
            vec![attempt]
        }
        _ => Vec::new(),
    }
}
