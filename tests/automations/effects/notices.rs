//! Notifications of members.

use serde_json::json;

use super::Scene;

#[tokio::test]
async fn effects_of_notify_members_reach_the_own_members_only() {
    let scene = Scene::start().await;
    let member = scene.app.member_with(scene.owner.account_id, &["chat:read"]).await;
    let other = scene.app.owner().await;
    let output = scene.output("notify_members", json!({ "title": "Goal", "message": "We reached it" })).await;
    assert_eq!(output, json!({ "members": 2 }));
    for person in [&scene.owner, &member] {
        let notices = person.get("/v1/notifications").await;
        let notice = &notices.expect(200)["data"]["items"][0];
        assert_eq!((&notice["type"], &notice["title"]), (&json!("automation_message"), &json!("Goal")));
        assert_eq!(notice["message"], "We reached it");
        assert_eq!(notice["data"]["automationId"], json!(scene.run.automation_id));
    }
    let notices = other.get("/v1/notifications").await;
    assert_eq!(notices.expect(200)["data"]["items"], json!([]));
    let empty = scene.refused("notify_members", json!({ "title": " ", "message": "x" })).await;
    assert_eq!(empty, "title must not be empty");
    scene.app.stop().await;
}

#[tokio::test]
async fn effects_of_notify_members_are_ten_in_an_hour() {
    let scene = Scene::start().await;
    scene.app.begin_a_window(3600);
    let arguments = json!({ "title": "Goal", "message": "x" });
    for _ in 0..10 {
        scene.output("notify_members", arguments.clone()).await;
    }
    let message = scene.refused("notify_members", arguments).await;
    assert_eq!(message, "At most 10 notifications in an hour");
    scene.app.stop().await;
}
