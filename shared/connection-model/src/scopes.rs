//! Scopes that platforms are asked to grant (reference/platforms.md#oauth).

use shared::connection::ConnectionKind;
use shared::platform::Platform;

/// With `user:bot` and `channel:bot` the application itself may read the channel's chat, in the name of the
/// broadcaster.
const TWITCH_CHANNEL: &[&str] = &[
    "user:read:chat",
    "user:write:chat",
    "user:bot",
    "channel:bot",
    "channel:moderate",
    "channel:read:subscriptions",
    "channel:read:redemptions",
    "channel:manage:redemptions",
    "channel:manage:polls",
    "channel:manage:predictions",
    "channel:manage:raids",
    "channel:manage:broadcast",
    "clips:edit",
    "channel:read:hype_train",
    "channel:read:goals",
    "channel:read:ads",
    "bits:read",
    "moderator:read:followers",
    "moderator:read:chatters",
    "moderator:manage:banned_users",
    "moderator:manage:chat_messages",
    "moderator:manage:announcements",
];
const TWITCH_BOT: &[&str] = &[
    "user:bot",
    "user:read:chat",
    "user:write:chat",
    "moderator:manage:banned_users",
    "moderator:manage:chat_messages",
    "moderator:manage:announcements",
];
const YOUTUBE: &[&str] = &["https://www.googleapis.com/auth/youtube.force-ssl"];
const KICK_CHANNEL: &[&str] = &[
    "user:read",
    "channel:read",
    "channel:write",
    "channel:rewards:read",
    "channel:rewards:write",
    "chat:write",
    "events:subscribe",
    "moderation:ban",
    "moderation:chat_message:manage",
    "kicks:read",
];
const KICK_BOT: &[&str] = &["user:read", "chat:write", "moderation:ban", "moderation:chat_message:manage"];
const TROVO_CHANNEL: &[&str] = &[
    "user_details_self",
    "channel_details_self",
    "channel_update_self",
    "channel_subscriptions",
    "chat_send_self",
    "send_to_my_channel",
    "manage_messages",
];
const TROVO_BOT: &[&str] = &["user_details_self", "chat_send_self", "manage_messages"];
const SPOTIFY: &[&str] = &[
    "user-read-playback-state",
    "user-read-currently-playing",
    "user-read-recently-played",
    "user-modify-playback-state",
    "playlist-read-private",
    "playlist-read-collaborative",
];
const DISCORD_GUILD: &[&str] = &["bot", "identify"];

/// Permissions of our bot in a Discord server: see channels, write and embed, delete messages, ban and time
/// out members.
pub const DISCORD_PERMISSIONS: u64 = 1 << 2 | 1 << 10 | 1 << 11 | 1 << 13 | 1 << 14 | 1 << 40;

/// Scopes of a connection. The Discord bot is not connected by OAuth.
#[must_use]
pub const fn scopes(kind: ConnectionKind, platform: Platform) -> &'static [&'static str] {
    match (kind, platform) {
        (ConnectionKind::Channel, Platform::Twitch) => TWITCH_CHANNEL,
        (ConnectionKind::Bot, Platform::Twitch) => TWITCH_BOT,
        (_, Platform::Youtube) => YOUTUBE,
        (ConnectionKind::Channel, Platform::Kick) => KICK_CHANNEL,
        (ConnectionKind::Bot, Platform::Kick) => KICK_BOT,
        (ConnectionKind::Channel, Platform::Trovo) => TROVO_CHANNEL,
        (ConnectionKind::Bot, Platform::Trovo) => TROVO_BOT,
        (_, Platform::Spotify) => SPOTIFY,
        (_, Platform::Discord) => &[],
    }
}

/// Scopes for adding our bot to a Discord server.
#[must_use]
pub const fn discord_guild_scopes() -> &'static [&'static str] {
    DISCORD_GUILD
}
