//! People that texts mention (reference/ideas.md#mentions).

use lumio_tests::{Person, TestApp, both_refused};
use serde_json::json;
use uuid::Uuid;

use super::{
    IDEA, IDEAS, category, comment, comment_path, commented, create, id_of, input, mention, notified, path,
    shown,
};

/// Kinds of the notifications of a person, newest first.
async fn kinds(person: &Person) -> Vec<String> {
    notified(person).await.into_iter().map(|(kind, ..)| kind).collect()
}

#[tokio::test]
async fn mentions_notify_each_person_once_and_never_the_writer() {
    let app = TestApp::start().await;
    let (author, one, two) = (app.owner().await, app.owner().await, app.owner().await);
    let chat = category(&app, "chat").await;
    let mut new = input("Dark colors", chat);
    new["description"] =
        json!(format!("<p>{} and {} and {}</p>", mention(&one), mention(&one), mention(&author)));
    let idea = id_of(&author.post(IDEAS, new).await.expect(201)["data"]);
    let (kind, _, data) = notified(&one).await.remove(0);
    assert_eq!((kind.as_str(), data), ("idea_mention", json!({ "ideaId": idea, "commentId": null })));
    assert!(kinds(&author).await.is_empty());
    let description = shown(&app, idea).await["description"].clone();
    assert_eq!(description.as_str().unwrap().matches("data-mention-id").count(), 3);

    // A mention wins over the comment: the author of the idea gets one notification.
    let id = commented(&two, idea, &format!("{} {}", mention(&author), mention(&one)), None).await;
    assert_eq!(kinds(&author).await, ["idea_mention"]);
    assert_eq!(notified(&one).await[0].2, json!({ "ideaId": idea, "commentId": id }));
    // A changed text notifies whom it did not mention before.
    let three = app.owner().await;
    let body = format!("{} {}", mention(&author), mention(&three));
    two.patch(&comment_path(id), json!({ "body": body })).await.data();
    assert_eq!((kinds(&author).await.len(), kinds(&three).await.len(), kinds(&one).await.len()), (1, 1, 2));
    let description = format!("<p>For {} and {}</p>", mention(&one), mention(&three));
    author.patch(&path(idea), json!({ "description": description })).await.data();
    assert_eq!((kinds(&one).await.len(), kinds(&three).await.len()), (2, 2));
    // A mention that is removed and added again notifies no one again.
    for body in ["Nothing", body.as_str()] {
        two.patch(&comment_path(id), json!({ "body": body })).await.data();
    }
    assert_eq!((kinds(&author).await.len(), kinds(&three).await.len()), (1, 2));
    // Notifications about an idea go with it.
    commented(&one, idea, "A comment", None).await;
    let staff = super::staff(&app).await;
    staff.delete(&path(idea)).await.expect(204);
    for person in [&author, &one, &three] {
        assert!(kinds(person).await.is_empty());
    }
    app.stop().await;
}

#[tokio::test]
async fn mentions_are_of_at_most_twenty_existing_people() {
    let app = TestApp::start().await;
    let (author, chat) = (app.owner().await, category(&app, "chat").await);
    let idea = id_of(&create(&author, "Dark colors", chat).await);
    let stranger = Uuid::now_v7();
    let unknown = format!("<p>Hello <span data-mention-id=\"{stranger}\">@a</span></p>");
    let span = |_| format!("<span data-mention-id=\"{}\">@a</span>", Uuid::now_v7());
    let many: String = (0..21).map(span).collect();
    let of_unknown = |field: &str| format!("{field} must mention existing users: {stranger} is none");
    let of_many = |field: &str| format!("{field} must mention at most 20 users");
    for (text, message) in
        [(&unknown, &of_unknown as &dyn Fn(&str) -> String), (&many, &of_many as &dyn Fn(&str) -> String)]
    {
        let mut new = input("Other colors", chat);
        new["description"] = json!(text);
        let gql = author.mutate("createIdea", &new, IDEA).await;
        both_refused(&author.post(IDEAS, new).await, &gql, 400, "VALIDATION_ERROR", &message("description"));
        let change = json!({ "description": text });
        let gql = author.mutate_at("updateIdea", &[("id", idea)], &change, IDEA).await;
        both_refused(
            &author.patch(&path(idea), change).await,
            &gql,
            400,
            "VALIDATION_ERROR",
            &message("description"),
        );
        let rest = comment(&author, idea, text, None).await;
        rest.refused("VALIDATION_ERROR", &message("body"));
    }
    let mut people = Vec::new();
    for _ in 0..20 {
        people.push(app.user("mentioned").await);
    }
    let all: String = people.iter().map(|id| format!("<span data-mention-id=\"{id}\">@a</span>")).collect();
    let made = comment(&author, idea, &all, None).await;
    assert_eq!(made.expect(201)["data"]["body"], json!(all));
    // What is no id of a person is no mention.
    let body = "<span data-mention-id=\"everyone\">@everyone</span> <span>b</span>";
    assert_eq!(comment(&author, idea, body, None).await.data()["body"], "@everyone b");
    app.stop().await;
}
