//! Discord servers (specification C §9, §10).

use diesel::{insert_into, prelude::*};
use diesel_async::RunQueryDsl;
use lumio_tests::{Answer, Caller, TestApp, both_refused};
use platforms_stand_in::{Platform, discord::GUILD_ID};
use serde_json::{Value, json};
use shared::db::schema::{discord_guild_channels, discord_guilds};
use url::Url;

use super::world::{agree, exchange, id_of, opened, parameter, streamer};

const GUILD: &str = "{ id guildId name iconUrl channels { feature channelId } connectedAt connectedBy }";
const LINKED: &str = "{ id accountId accountName guildId name iconUrl connectedAt }";

async fn authorize(caller: &Caller) -> Answer {
    caller.post("/v1/bot-connections/discord/guilds/authorize", json!({})).await
}

async fn link(app: &TestApp, caller: &Caller) -> Answer {
    let (page, state) = opened(&authorize(caller).await);
    let code = agree(app, &page).await;
    exchange(app, Platform::Discord, &code, &state).await
}

#[tokio::test]
async fn an_account_links_the_server_that_discord_names() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    streamer(&app, Platform::Discord, "admin");
    let query = "mutation { authorizeDiscordGuild { authorizeUrl state } }";
    let begun = owner.graphql(query, json!({})).await.field("authorizeDiscordGuild");
    let page = Url::parse(begun["authorize_url"].as_str().unwrap()).unwrap();
    assert_eq!(parameter(&page, "scope").as_deref(), Some("bot identify"));
    assert!(parameter(&page, "permissions").unwrap().parse::<u64>().unwrap() > 0);
    let linked = link(&app, &owner).await;
    let linked = linked.data();
    assert_eq!((&linked["kind"], &linked["platform"]), (&json!("discord_guild"), &json!("discord")));
    assert_eq!(
        (&linked["connection"]["guild_id"], &linked["connection"]["channels"]),
        (&json!(GUILD_ID), &json!([]))
    );
    insert_into(discord_guild_channels::table)
        .values((
            discord_guild_channels::discord_guild_id.eq(id_of(&linked["connection"])),
            discord_guild_channels::feature.eq("event_feed"),
            discord_guild_channels::channel_id.eq("42"),
        ))
        .execute(&mut *app.state.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    // Again, under another name: the same server.
    app.platforms.pick_guild(GUILD_ID, "Renamed");
    assert_eq!(link(&app, &owner).await.data()["connection"]["id"], linked["connection"]["id"]);
    app.platforms.pick_guild("2200000000000000002", "Second");
    link(&app, &owner).await.data();
    let rest = owner.get("/v1/bot-connections/discord/guilds").await;
    let rows = rest.data().as_array().unwrap();
    assert_eq!((rows.len(), &rows[0]["name"], &rows[1]["name"]), (2, &json!("Renamed"), &json!("Second")));
    assert_eq!(rows[0]["channels"], json!([{ "feature": "event_feed", "channel_id": "42" }]));
    let twin = owner.graphql(&format!("{{ discordGuilds {GUILD} }}"), json!({})).await.field("discordGuilds");
    assert_eq!(twin[0]["channels"], json!([{ "feature": "EVENT_FEED", "channel_id": "42" }]));
    assert_eq!((&twin[1]["id"], &twin[1]["connected_by"]), (&rows[1]["id"], &json!(owner.user_id)));
    assert_eq!(app.audited("discord_guild:linked").await.len(), 3);
    app.stop().await;
}

#[tokio::test]
async fn a_server_belongs_to_one_account() {
    let app = TestApp::start().await;
    let (owner, other) = (app.owner().await, app.owner().await);
    streamer(&app, Platform::Discord, "admin");
    link(&app, &owner).await.data();
    let taken = link(&app, &other).await;
    assert_eq!(taken.status, 409);
    taken.refused("CONFLICT", "Discord server is already linked to another account");
    assert_eq!(other.get("/v1/bot-connections/discord/guilds").await.data(), &json!([]));
    let owners: Vec<uuid::Uuid> = discord_guilds::table
        .select(discord_guilds::account_id)
        .load(&mut *app.state.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    assert_eq!(owners, [owner.account_id]);
    app.stop().await;
}

#[tokio::test]
async fn switches_and_permissions_decide() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let member = app.member_with(owner.account_id, &["chat:read"]).await;
    let rest = member.get("/v1/bot-connections/discord/guilds").await;
    let graphql = member.graphql("{ discordGuilds { id } }", json!({})).await;
    both_refused(&rest, &graphql, 403, "FORBIDDEN", "Missing permission: bot-connections:read");
    let query = "mutation { authorizeDiscordGuild { state } }";
    let graphql = member.graphql(query, json!({})).await;
    both_refused(
        &authorize(&member).await,
        &graphql,
        403,
        "FORBIDDEN",
        "Missing permission: bot-connections:create",
    );
    app.switch("platform:discord:bot", false).await;
    let graphql = owner.graphql(query, json!({})).await;
    let message = "Feature is disabled: platform:discord:bot";
    both_refused(&authorize(&owner).await, &graphql, 403, "FEATURE_DISABLED", message);
    app.override_feature(owner.account_id, "feature:bots", false).await;
    let graphql = owner.graphql(query, json!({})).await;
    both_refused(
        &authorize(&owner).await,
        &graphql,
        403,
        "FEATURE_DISABLED",
        "Feature is disabled: feature:bots",
    );
    app.stop().await;
}

#[tokio::test]
async fn without_an_application_no_server_is_linked() {
    let app = TestApp::builder()
        .with("LUMIO_DISCORD_CLIENT_ID", "")
        .with("LUMIO_DISCORD_CLIENT_SECRET", "")
        .start()
        .await;
    let owner = app.owner().await;
    let graphql = owner.graphql("mutation { authorizeDiscordGuild { state } }", json!({})).await;
    both_refused(&authorize(&owner).await, &graphql, 400, "BAD_REQUEST", "App credentials not configured");
    app.stop().await;
}

#[tokio::test]
async fn staff_lists_servers_and_forgets_whose_they_are() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    streamer(&app, Platform::Discord, "admin");
    link(&app, &owner).await.data();
    app.platforms.pick_guild("2200000000000000002", "Second");
    let second = link(&app, &owner).await.data()["connection"].clone();
    let staff = app.admin_with(&["discord-guilds:read", "discord-guilds:delete"]).await;
    let rest = staff.get("/v1/admin/discord-guilds?limit=1").await;
    assert_eq!((&rest.body["data"][0]["name"], &rest.body["_meta"]["total"]), (&json!("Second"), &json!(2)));
    assert_eq!(rest.body["data"][0]["account_name"], "Test account");
    let query = format!("{{ adminDiscordGuilds(limit: 1) {{ items {LINKED} total }} }}");
    let twin = staff.graphql(&query, json!({})).await.field("adminDiscordGuilds");
    assert_eq!((&twin["items"], &twin["total"]), (&rest.body["data"], &json!(2)));

    let path = format!("/v1/admin/discord-guilds/{}", second["id"].as_str().unwrap());
    assert_eq!(staff.delete(&path).await.status, 204);
    let entry = app.audited_once("discord_guild:unlinked").await;
    assert_eq!(
        (entry.account_id, &entry.metadata["guild_id"]),
        (Some(owner.account_id), &second["guild_id"])
    );
    let query = "mutation($id: UUID!) { adminDeleteDiscordGuild(id: $id) }";
    let graphql = staff.graphql(query, json!({ "id": second["id"] })).await;
    both_refused(&staff.delete(&path).await, &graphql, 404, "NOT_FOUND", "Discord server not found");
    staff.delete("/v1/admin/discord-guilds/x").await.refused("VALIDATION_ERROR", "Invalid UUID: id");
    let rest = owner.get("/v1/admin/discord-guilds").await;
    let graphql = owner.graphql("{ adminDiscordGuilds { total } }", json!({})).await;
    both_refused(&rest, &graphql, 403, "FORBIDDEN", "Missing permission: discord-guilds:read");
    assert_eq!(owner.get("/v1/bot-connections/discord/guilds").await.data().as_array().unwrap().len(), 1);
    assert_ne!(Value::Null, second["guild_id"]);
    app.stop().await;
}
