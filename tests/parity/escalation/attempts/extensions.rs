//! Rights over extensions.

use serde_json::json;

use super::{Actor, Attempt, Stage};

pub async fn of(stage: &Stage<'_>, actor: &Actor, operation: &str) -> Vec<Attempt> {
    let theirs = json!({ "id": stage.extension, "extension_id": stage.extension });
    let install = stage.foreign["extension_installs"];
    let installed = json!({ "id": install, "install_id": install });
    match operation {
        "grantExtensionAccess" => vec![Attempt::new(
            "another's for the own account",
            theirs,
            json!({ "account_id": stage.account() }),
        )],
        "revokeExtensionAccess" => {
            grant(stage).await;
            let names = json!({ "id": stage.extension, "extension_id": stage.extension, "account_id": stage.stranger.account_id });
            vec![Attempt::new("of another's extension", names, json!({}))]
        }
        "transferExtension" => {
            vec![Attempt::new("another's", theirs, json!({ "team_id": uuid::Uuid::now_v7() }))]
        }
        "inviteExtensionTester" => {
            vec![Attempt::new("of another's extension", theirs, json!({ "username": "owner" }))]
        }
        "removeExtensionTester" => {
            test(stage).await;
            let names = json!({ "id": stage.extension, "extension_id": stage.extension, "user_id": stage.stranger.user_id });
            vec![Attempt::new("of another's extension", names, json!({}))]
        }
        "deleteExtension" | "developerApiDeleteExtension" => {
            vec![Attempt::new("another's", theirs, json!({}))]
        }
        "installExtension" => vec![Attempt::new(
            "one that is not offered",
            json!({}),
            json!({
                "extension_id": stage.extension, "granted_permissions": [actor.permission],
            }),
        )],
        "uninstallExtension" => vec![Attempt::new("of another account", installed, json!({}))],
        "configureExtension" => {
            vec![Attempt::new("of another account", installed, json!({ "enabled": false }))]
        }
        "acceptExtensionUpdate" => vec![Attempt::new(
            "of another account",
            installed,
            json!({ "accept_permissions": ["chat:write"] }),
        )],
        _ => Vec::new(),
    }
}

async fn grant(stage: &Stage<'_>) {
    stage
        .row(&format!(
            "INSERT INTO extension_access_grants (extension_id, account_id) SELECT '{}', '{}'
         WHERE $1 IS NOT NULL AND $2 IS NOT NULL
         ON CONFLICT (extension_id, account_id) DO UPDATE SET granted_by = NULL RETURNING extension_id AS id",
            stage.extension, stage.stranger.account_id
        ))
        .await;
}

async fn test(stage: &Stage<'_>) {
    stage
        .row(&format!(
            "INSERT INTO extension_testers (extension_id, user_id) SELECT '{}', '{}'
         WHERE $1 IS NOT NULL AND $2 IS NOT NULL
         ON CONFLICT (extension_id, user_id) DO UPDATE SET invited_by = NULL RETURNING extension_id AS id",
            stage.extension, stage.stranger.user_id
        ))
        .await;
}
