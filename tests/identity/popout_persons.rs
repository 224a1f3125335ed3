//! Popouts that act as a person: only those that the person created, because the creator knows the token
//! (reference/credentials.md#popout-identity).

use lumio_tests::{Answer, Caller, Person, TestApp, both_refused};
use serde_json::{Value, json};
use shared::catalogue::{AccountPermission, PermissionSet};
use uuid::Uuid;

const REFUSAL: &str = "A popout of another member cannot act as its user";

/// Permissions that a popout may carry.
fn carried() -> Vec<String> {
    let mut all = PermissionSet::<AccountPermission>::all().to_strings();
    all.retain(|permission| permission != "tokens:create");
    all
}

fn texts(permissions: &[String]) -> Vec<&str> {
    permissions.iter().map(String::as_str).collect()
}

/// Member of the account with all permissions of its owner.
async fn equal(app: &TestApp, owner: &Person) -> Person {
    let all = PermissionSet::<AccountPermission>::all().to_strings();
    app.member_with(owner.account_id, &texts(&all)).await
}

/// Operation that acts as a person: name, REST status for the person's own popout, answers on both protocols.
type ForeignCall = (&'static str, u16, Answer, Answer);

/// Calls every operation that acts as a person.
async fn foreign_calls(caller: &Caller, extension: Uuid, role: Uuid) -> Vec<ForeignCall> {
    let (nothing, at) = (Uuid::now_v7(), [("id", extension)]);
    let by_id =
        |field: &str, selection: &str| format!("query($id: UUID!) {{ {field}(id: $id) {selection} }}");
    let own = format!("/v1/developer/extensions/{extension}");
    let (review, feedback) = (json!({ "rating": 5 }), json!({ "category": "bug", "body": "It blinks." }));
    let (ticket, secret) = (json!({ "subject": "Help", "body": "It broke." }), json!({ "value": "hush" }));
    let invite = json!({ "role_id": role, "method": "link" });
    // GraphQL enum values are upper case.
    let (feedback_graphql, asked) =
        (json!({ "category": "BUG", "body": "It blinks." }), json!({ "role_id": role, "method": "LINK" }));
    let plan = "mutation($plan: UUID!) { changePlan(planId: $plan) { plan { slug } } }";
    let connect = "mutation { authorizeChannel(platform: \"twitch\") { state } }";
    let set = "mutation($id: UUID!, $input: SetExtensionSecretInput!) \
               { setExtensionSecret(id: $id, key: \"KEY\", input: $input) { success } }";
    let unset = "mutation($id: UUID!) { deleteExtensionSecret(id: $id, key: \"NONE\") }";
    let rewrite = "mutation($id: UUID!, $review: UUID!, $input: UpdateExtensionReviewInput!) \
                   { updateExtensionReview(id: $id, reviewId: $review, input: $input) { id } }";
    let withdraw =
        "mutation($id: UUID!, $review: UUID!) { deleteExtensionReview(id: $id, reviewId: $review) }";
    let of_review = json!({ "id": extension, "review": nothing, "input": { "rating": 1 } });
    let reviews = format!("/v1/extensions/{extension}/reviews");
    let given = format!("/v1/extension-installs/{nothing}/feedback");
    let of_extension = json!({ "id": extension });
    vec![
        (
            "reviews",
            201,
            caller.post(&reviews, review.clone()).await,
            caller.mutate_at("createExtensionReview", &at, &review, "{ id }").await,
        ),
        (
            "changes a review",
            404,
            caller.patch(&format!("{reviews}/{nothing}"), json!({ "rating": 1 })).await,
            caller.graphql(rewrite, of_review.clone()).await,
        ),
        (
            "takes a review back",
            404,
            caller.delete(&format!("{reviews}/{nothing}")).await,
            caller.graphql(withdraw, json!({ "id": extension, "review": nothing })).await,
        ),
        (
            "gives feedback",
            404,
            caller.post(&given, feedback.clone()).await,
            caller
                .mutate_at("submitExtensionFeedback", &[("id", nothing)], &feedback_graphql, "{ id }")
                .await,
        ),
        (
            "files a ticket",
            201,
            caller.post("/v1/support/tickets", ticket.clone()).await,
            caller.mutate("createSupportTicket", &ticket, "{ id }").await,
        ),
        (
            "changes the plan",
            404,
            caller.put("/v1/billing/plan", json!({ "plan_id": nothing })).await,
            caller.graphql(plan, json!({ "plan": nothing })).await,
        ),
        (
            "lists drafts",
            200,
            caller.get("/v1/developer/extensions").await,
            caller.graphql("{ developerExtensions { id } }", json!({})).await,
        ),
        (
            "reads a draft",
            200,
            caller.get(&own).await,
            caller.graphql(&by_id("developerExtension", "{ extension { id } }"), of_extension.clone()).await,
        ),
        (
            "names secrets",
            200,
            caller.get(&format!("{own}/secrets")).await,
            caller.graphql(&by_id("extensionSecretKeys", ""), of_extension.clone()).await,
        ),
        (
            "sets a secret",
            204,
            caller.put(&format!("{own}/secrets/KEY"), secret.clone()).await,
            caller.graphql(set, json!({ "id": extension, "input": secret })).await,
        ),
        (
            "deletes a secret",
            404,
            caller.delete(&format!("{own}/secrets/NONE")).await,
            caller.graphql(unset, of_extension.clone()).await,
        ),
        (
            "reads metrics",
            200,
            caller.get(&format!("{own}/metrics")).await,
            caller.graphql(&by_id("extensionMetrics", "{ totalErrors }"), of_extension).await,
        ),
        (
            "connects a channel",
            200,
            caller.post("/v1/connections/channel/twitch/authorize", json!({})).await,
            caller.graphql(connect, json!({})).await,
        ),
        (
            "invites",
            201,
            caller.post("/v1/invites", invite.clone()).await,
            caller.mutate("createInvite", &asked, "{ id }").await,
        ),
    ]
}

#[tokio::test]
async fn popout_persons_act_only_through_popouts_of_their_own() {
    let app = TestApp::start().await;
    let studio = app.studio().await;
    let (owner, all) = (&studio.person, carried());
    let maker = equal(&app, owner).await;
    let extension = studio.public_extension("Greeter").await;
    let version = studio.version(extension, "1.0.0", &json!({})).await;
    let reviewer = app.admin_with(&["extension-review:read", "extension-review:edit"]).await;
    reviewer.post(&format!("/v1/admin/extension-versions/{version}/publish"), json!({})).await.data();
    let install = json!({ "extension_id": extension, "granted_permissions": ["chat:read", "chat:send"] });
    owner.post("/v1/extension-installs", install).await.expect(201);
    app.member_with(owner.account_id, &["members:read"]).await;
    let roles = owner.get("/v1/roles").await;
    let role = roles.data().as_array().unwrap().last().unwrap()["id"].as_str().unwrap().parse().unwrap();

    let foreign = app.popout_by(&maker, owner, &texts(&all)).await;
    for (foreign_call, _, rest, graphql) in foreign_calls(&foreign, extension, role).await {
        assert_eq!(rest.error().1, REFUSAL, "{foreign_call}");
        both_refused(&rest, &graphql, 403, "FORBIDDEN", REFUSAL);
    }
    for action in ["support_ticket:created", "extension:secret_set", "member:invited"] {
        assert!(app.audited(action).await.is_empty(), "{action}");
    }
    let own = app.popout(owner, &texts(&all)).await;
    for (foreign_call, status, rest, graphql) in foreign_calls(&own, extension, role).await {
        assert_eq!(rest.status, status, "{foreign_call}: {}", rest.text);
        assert!(
            !rest.text.contains(REFUSAL) && !graphql.text.contains(REFUSAL),
            "{foreign_call}: {}",
            graphql.text
        );
    }
    // Drafts belong to the person, independent of the popout's creator.
    assert_eq!(own.get("/v1/developer/extensions").await.data().as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn popout_persons_and_makers_are_named_in_the_audit_log() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let maker = app.member_with(owner.account_id, &["tokens:create", "chat:notes"]).await;
    let holder = app.member_with(owner.account_id, &["chat:notes"]).await;
    let note = async |caller: &Caller| {
        let made = caller.post("/v1/chat/users/twitch/44/notes", json!({ "body": "x" })).await;
        made.expect(201)["data"]["author"].clone()
    };
    // The author is unknown: both of them know the popout.
    assert_eq!(note(&app.popout_by(&maker, &holder, &["chat:notes"]).await).await, Value::Null);
    assert_eq!(note(&app.popout(&holder, &["chat:notes"]).await).await["id"], json!(holder.user_id));
    assert_eq!(note(&holder).await["id"], json!(holder.user_id));

    let trail = app.audited("user_note:created").await;
    let popouts: Vec<_> = trail.iter().map(|entry| &entry.metadata["popout"]).collect();
    let actors: Vec<_> = trail.iter().map(|entry| entry.actor_id.expect("an actor")).collect();
    assert_eq!(actors, [maker.user_id, holder.user_id, holder.user_id]);
    assert_eq!(
        popouts.iter().map(|popout| &popout["user_id"]).collect::<Vec<_>>(),
        [&json!(holder.user_id), &json!(holder.user_id), &Value::Null]
    );
    let list = owner.get("/v1/tokens").await;
    let ids: Vec<&Value> = list.data().as_array().unwrap().iter().map(|token| &token["id"]).collect();
    assert!(popouts[..2].iter().all(|popout| ids.contains(&&popout["id"])), "{popouts:?}");
    assert_eq!(trail[2].metadata, json!({ "platform": "twitch" }));
}

#[tokio::test]
async fn popout_persons_yield_to_the_maker_in_creator_records() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let maker = equal(&app, &owner).await;
    let foreign = app.popout_by(&maker, &owner, &["apikeys:create", "apikeys:read", "chat:read"]).await;
    let asked = json!({ "label": "Key", "permissions": ["chat:read"] });
    foreign.post("/v1/service-keys", asked).await.expect(201);
    let entry = app.audited_once("account:service_key_created").await;
    assert_eq!(entry.actor_id, Some(maker.user_id));
    assert_eq!(entry.metadata["popout"]["user_id"], json!(owner.user_id));
    let trail = owner.get("/v1/audit-log?action=account:service_key_created").await;
    let actor = &trail.data()[0]["actor"];
    assert_eq!((&actor["type"], &actor["id"]), (&json!("user"), &json!(maker.user_id)));
}

#[tokio::test]
async fn remove_member_refuses_a_popout_of_the_member() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let maker = app.member_as(owner.account_id, "administrator").await;
    let holder = app.member_as(owner.account_id, "administrator").await;
    let popout = app.popout_by(&maker, &holder, &["members:delete", "members:read"]).await;
    let members = owner.get(&format!("/v1/accounts/{}/members", owner.account_id)).await;
    for person in [&maker, &holder] {
        let member = members.data().as_array().unwrap().iter();
        let member = member.clone().find(|member| member["user_id"] == json!(person.user_id)).unwrap();
        let id = member["membership_id"].as_str().unwrap();
        let remove = "mutation($id: UUID!) { removeMember(membershipId: $id) }";
        let path = format!("/v1/accounts/{}/members/{id}", owner.account_id);
        both_refused(
            &popout.delete(&path).await,
            &popout.graphql(remove, json!({ "id": id })).await,
            409,
            "CONFLICT",
            "You cannot remove yourself; leave the account instead",
        );
    }
}
