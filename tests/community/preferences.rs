//! Notification preferences (reference/notifications.md#preferences).

use lumio_tests::{TestApp, both_refused};
use notices::notify::{Notice, NotificationType};
use serde_json::{Value, json};

use super::world::{joined, listed, lost, send_notice, waiting_mails};

const PATH: &str = "/v1/notifications/preferences";
const UPDATE: &str = "mutation($type: String!, $channel: NotificationChannel!) { \
     updateNotificationPreference(notificationType: $type, channel: $channel) { notificationType channel locked } }";

fn of<'a>(list: &'a Value, kind: &str) -> &'a Value {
    list.as_array().unwrap().iter().find(|entry| entry["notification_type"] == kind).unwrap()
}

#[tokio::test]
async fn notification_preferences_lists_every_type_with_its_default() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let list = owner.get(PATH).await.data().clone();
    assert_eq!(list.as_array().unwrap().len(), NotificationType::ALL.len());
    assert_eq!(
        *of(&list, "invite"),
        json!({ "notification_type": "invite", "channel": "in_app_email", "locked": true })
    );
    for mailed in ["connection_reconnect_required", "developer_application", "extension_review"] {
        assert_eq!(
            (&of(&list, mailed)["channel"], &of(&list, mailed)["locked"]),
            (&json!("in_app_email"), &json!(false))
        );
    }
    for listed in ["idea_comment", "copyright_alert"] {
        assert_eq!(of(&list, listed)["channel"], "in_app");
    }
    assert_eq!(of(&list, "system_announcement")["locked"], true);
    assert_eq!(
        *of(&list, "login_linked"),
        json!({ "notification_type": "login_linked", "channel": "in_app_email", "locked": true })
    );
    let document = "{ notificationPreferences { notificationType channel locked } }";
    let graphql = owner.graphql(document, json!({})).await.field("notificationPreferences");
    assert_eq!(
        graphql[0],
        json!({ "notification_type": "invite", "channel": "IN_APP_EMAIL", "locked": true })
    );
    assert_eq!(graphql.as_array().unwrap().len(), list.as_array().unwrap().len());
    app.stop().await;
}

#[tokio::test]
async fn update_notification_preference_refuses_locked_and_unknown_types() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    for locked in ["invite", "system_announcement", "login_linked"] {
        both_refused(
            &owner.patch(&format!("{PATH}/{locked}"), json!({ "channel": "off" })).await,
            &owner.graphql(UPDATE, json!({ "type": locked, "channel": "OFF" })).await,
            400,
            "VALIDATION_ERROR",
            "Notification type cannot be changed",
        );
    }
    both_refused(
        &owner.patch(&format!("{PATH}/birthday"), json!({ "channel": "off" })).await,
        &owner.graphql(UPDATE, json!({ "type": "birthday", "channel": "OFF" })).await,
        404,
        "NOT_FOUND",
        "Notification type not found",
    );
    let wrong = owner.patch(&format!("{PATH}/idea_status"), json!({ "channel": "sms" })).await;
    assert_eq!(wrong.status, 400);
    wrong.refused_with("VALIDATION_ERROR");
    let wrong = owner.graphql(UPDATE, json!({ "type": "idea_status", "channel": "SMS" })).await;
    assert_eq!(wrong.status, 400, "{}", wrong.text);
    let list = owner.get(PATH).await.data().clone();
    assert_eq!(of(&list, "idea_status")["channel"], "in_app");
    app.stop().await;
}

#[tokio::test]
async fn update_notification_preference_applies_to_the_next_notification() {
    let app = TestApp::start().await;
    let (owner, other) = (app.owner().await, app.owner().await);
    let chosen = [("off", 0, 0), ("in_app", 1, 0), ("email", 1, 1), ("in_app_email", 2, 2)];
    for (index, (channel, in_list, mails)) in chosen.into_iter().enumerate() {
        let changed = if index % 2 == 0 {
            owner.patch(&format!("{PATH}/member_joined"), json!({ "channel": channel })).await.data().clone()
        } else {
            let variables = json!({ "type": "member_joined", "channel": channel.to_uppercase() });
            owner.graphql(UPDATE, variables).await.field("updateNotificationPreference")
        };
        assert_eq!(changed["channel"].as_str().unwrap().to_lowercase(), channel);
        send_notice(&app, &[owner.user_id, other.user_id], &joined(owner.account_id, "Ada")).await;
        assert_eq!(listed(&owner).await.len(), in_list, "{channel}");
        assert_eq!(waiting_mails(&app, owner.user_id).await, mails, "{channel}");
    }
    assert_eq!((listed(&other).await.len(), waiting_mails(&app, other.user_id).await), (4, 0));
    app.stop().await;
}

#[tokio::test]
async fn preferences_stored_for_a_locked_type_are_ignored() {
    use diesel::prelude::*;
    use diesel_async::RunQueryDsl;
    use shared::schema::notification_preferences::dsl;
    let app = TestApp::start().await;
    let owner = app.owner().await;
    // An earlier version could have stored this row.
    diesel::insert_into(dsl::notification_preferences)
        .values((dsl::user_id.eq(owner.user_id), dsl::notification_type.eq("invite"), dsl::channel.eq("off")))
        .execute(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    let invite = Notice::Invite {
        invite_id: owner.user_id,
        account_id: owner.account_id,
        account_name: "Night shift",
        role_name: "Viewer",
        invited_by: None,
        expires_at: None,
    };
    send_notice(&app, &[owner.user_id], &invite).await;
    send_notice(&app, &[owner.user_id], &lost(owner.account_id)).await;
    assert_eq!((listed(&owner).await.len(), waiting_mails(&app, owner.user_id).await), (2, 2));
    let list = owner.get(PATH).await.data().clone();
    assert_eq!(of(&list, "invite")["channel"], "in_app_email");
    app.stop().await;
}
