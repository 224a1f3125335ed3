//! Discord guilds (reference/connections.md#discord-servers).

use diesel::{insert_into, prelude::*};
use diesel_async::RunQueryDsl;
use lumio_tests::{Answer, Caller, TestApp, both_refused};
use platforms_stand_in::{Platform, discord::GUILD_ID};
use serde_json::{Value, json};
use shared::schema::{discord_guild_channels, discord_guilds};
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
async fn authorize_discord_guild_links_the_guild_that_discord_returns() {
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
        .execute(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    // Linking again under another name keeps the same guild.
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
async fn authorize_discord_guild_refuses_a_guild_of_another_account() {
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
        .load(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    assert_eq!(owners, [owner.account_id]);
    app.stop().await;
}

#[tokio::test]
async fn discord_guilds_and_authorize_need_permission_and_feature() {
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
async fn authorize_discord_guild_needs_an_application() {
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
async fn admin_discord_guilds_lists_the_guilds_of_every_account() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    streamer(&app, Platform::Discord, "admin");
    link(&app, &owner).await.data();
    app.platforms.pick_guild("2200000000000000002", "Second");
    link(&app, &owner).await.data();
    let staff = app.admin_with(&["discord-guilds:read"]).await;
    let rest = staff.get("/v1/admin/discord-guilds?limit=1").await;
    assert_eq!((&rest.body["data"][0]["name"], &rest.body["_meta"]["total"]), (&json!("Second"), &json!(2)));
    assert_eq!(rest.body["data"][0]["account_name"], "Test account");
    let query = format!("{{ adminDiscordGuilds(limit: 1) {{ items {LINKED} total }} }}");
    let twin = staff.graphql(&query, json!({})).await.field("adminDiscordGuilds");
    assert_eq!((&twin["items"], &twin["total"]), (&rest.body["data"], &json!(2)));

    let rest = owner.get("/v1/admin/discord-guilds").await;
    let graphql = owner.graphql("{ adminDiscordGuilds { total } }", json!({})).await;
    both_refused(&rest, &graphql, 403, "FORBIDDEN", "Missing permission: discord-guilds:read");
    app.stop().await;
}

#[tokio::test]
async fn admin_delete_discord_guild_unlinks_a_guild_once() {
    let app = TestApp::start().await;
    let (owner, staff) = (app.owner().await, app.admin_with(&["discord-guilds:delete"]).await);
    streamer(&app, Platform::Discord, "admin");
    let first = link(&app, &owner).await.data()["connection"].clone();
    app.platforms.pick_guild("2200000000000000002", "Second");
    let second = link(&app, &owner).await.data()["connection"].clone();
    let delete = async |caller: &Caller, guild: &Value| {
        let rest = caller.delete(&format!("/v1/admin/discord-guilds/{}", id_of(guild))).await;
        let query = "mutation($id: UUID!) { adminDeleteDiscordGuild(id: $id) }";
        (rest, caller.graphql(query, json!({ "id": guild["id"] })).await)
    };
    let (rest, graphql) = delete(&owner, &second).await;
    both_refused(&rest, &graphql, 403, "FORBIDDEN", "Missing permission: discord-guilds:delete");

    // The first call unlinks the guild, and the second finds none.
    let (rest, graphql) = delete(&staff, &second).await;
    rest.expect(204);
    graphql.refused("NOT_FOUND", "Discord server not found");
    let entry = app.audited_once("discord_guild:unlinked").await;
    assert_eq!(
        (entry.account_id, &entry.metadata["guild_id"]),
        (Some(owner.account_id), &second["guild_id"])
    );
    let (rest, graphql) = delete(&staff, &second).await;
    both_refused(&rest, &graphql, 404, "NOT_FOUND", "Discord server not found");
    staff.delete("/v1/admin/discord-guilds/x").await.refused("VALIDATION_ERROR", "Invalid UUID: id");
    assert_eq!(owner.get("/v1/bot-connections/discord/guilds").await.data()[0]["id"], first["id"]);
    let query = "mutation($id: UUID!) { adminDeleteDiscordGuild(id: $id) }";
    let graphql = staff.graphql(query, json!({ "id": first["id"] })).await;
    assert_eq!(graphql.field("adminDeleteDiscordGuild"), true);
    assert_eq!(owner.get("/v1/bot-connections/discord/guilds").await.data(), &json!([]));
    app.stop().await;
}
