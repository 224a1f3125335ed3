//! Credentials that act for a person.

use serde_json::json;

use super::{Actor, Attempt, Stage};

pub async fn of(stage: &Stage<'_>, actor: &Actor, operation: &str) -> Vec<Attempt> {
    match operation {
        "exchangeToken" => vec![Attempt::new(
            "a login without its proof",
            json!({}),
            json!({
                "provider": "twitch", "provider_user_id": "somebody", "access_token": "not-theirs",
                "profile": { "display_name": "x", "username": "x" },
            }),
        )],
        "refreshToken" => {
            vec![Attempt::new("a token that nobody has", json!({}), json!({ "refresh_token": "guessed" }))]
        }
        "logout" => {
            vec![Attempt::new("another's refresh token", json!({}), json!({ "refresh_token": "guessed" }))]
        }
        "exchangePopoutToken" => {
            vec![Attempt::new("a token that nobody has", json!({}), json!({ "token": "lm_pop_guessed" }))]
        }
        "issueWsToken" | "issuePopoutWsToken" => {
            vec![Attempt::new("a token for sockets", json!({}), json!({}))]
        }
        "revokeOtherSessions" => vec![Attempt::new("the own ones", json!({}), json!({}))],
        "revokeSession" if actor.is_persons_key() => {
            vec![Attempt::new("the one that made the key", json!({ "id": actor.session }), json!({}))]
        }
        "revokeSession" => {
            vec![Attempt::new("another's", json!({ "id": stage.owner.session_id }), json!({}))]
        }
        "adminCreateSystemKey" => {
            vec![Attempt::new("a key of the system", json!({}), json!({ "label": "mine" }))]
        }
        "adminDeleteSystemKey" => {
            let key = stage
                .row(
                    "INSERT INTO system_keys (id, label, key_hash, key_prefix)
                 SELECT gen_random_uuid(), 'theirs', sha256(gen_random_uuid()::text::bytea), 'lm_sys_walk'
                 WHERE $1 IS NOT NULL AND $2 IS NOT NULL RETURNING id",
                )
                .await;
            vec![Attempt::new("one of the system's", json!({ "id": key }), json!({}))]
        }
        "rotateOverlayToken" => {
            vec![Attempt::new("of another account", of_stranger(stage, "overlays"), json!({}))]
        }
        "createOverlayShare" => vec![Attempt::new(
            "of another account",
            of_stranger(stage, "overlays"),
            json!({ "expires_in": 60 }),
        )],
        "createSharedLink" => {
            let link = json!({ "duration_secs": 3600, "allow_export": true });
            let mut path = of_stranger(stage, "stream_sessions");
            path["report_id"] = path["id"].clone();
            vec![Attempt::new("of another account", path, link)]
        }
        "extendSharedLink" => vec![Attempt::new(
            "of another account",
            of_stranger(stage, "stream_shared_links"),
            json!({ "duration_secs": 3600 }),
        )],
        "createWidget" => {
            let widget = json!({ "name": "mine", "type": "chat_box" });
            vec![Attempt::new("a widget, which holds no permission", json!({}), widget)]
        }
        "duplicateWidget" | "rotateWidgetToken" => {
            vec![Attempt::new("of another account", of_stranger(stage, "widgets"), json!({}))]
        }
        "issueExtensionToken" => vec![Attempt::new(
            "for an install of another account",
            json!({ "id": stage.foreign["extension_installs"], "install_id": stage.foreign["extension_installs"] }),
            json!({ "surface": "panel" }),
        )],
        _ => Vec::new(),
    }
}

/// Names of an object of another account.
fn of_stranger(stage: &Stage<'_>, table: &str) -> serde_json::Value {
    json!({ "id": stage.foreign[table] })
}
