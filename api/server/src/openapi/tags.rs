//! Groups of operations in the order of their presentation.

use serde_json::{Value, json};

const TAGS: [(&str, &str); 46] = [
    ("transport", "Health of the service, the GraphQL endpoint and its schema."),
    ("auth", "Signing in, sessions and popouts."),
    ("users", "The signed-in person."),
    ("accounts", "Accounts: making, switching, leaving and dissolving them."),
    ("members", "Members of an account and invites."),
    ("login_assignments", "Logins that an account's people have assigned to it."),
    ("settings", "Settings of an account."),
    ("audit", "The audit trail of an account and of the deployment."),
    ("tokens", "Tokens of sockets and popouts, and what a token may do."),
    ("api_keys", "Personal keys."),
    ("service_keys", "Keys of an account."),
    ("system_keys", "Keys of our own services."),
    ("roles", "Roles of an account and the catalogue of permissions."),
    ("overrides", "Permissions of one member beside those of the role."),
    ("user_roles", "Platform-wide roles of people."),
    ("features", "Feature flags, what plans include, and overrides of an account."),
    ("plans", "Plans."),
    ("billing", "Subscriptions, payments, invoices and payouts."),
    ("connections", "Connections of channels and logins to platforms."),
    ("bot_connections", "Bots of the deployment and of accounts."),
    ("bot_control", "Starting, stopping and pausing the bot in channels."),
    ("system_connections", "Connections of the deployment itself."),
    ("discord_guilds", "Discord servers that are linked to an account."),
    ("youtube", "Broadcasts of YouTube."),
    ("chat", "Chat: messages, sending, moderation, polls, predictions, raids, notes and emotes."),
    ("events", "Follows, raids, subscriptions and what an account emits itself."),
    ("bot_commands", "Chat commands."),
    ("bot_modules", "Bot modules of an account."),
    ("automations", "Nodes of extensions in automations, and their webhooks."),
    ("extensions", "The store, reviews of its users, storage and functions of extensions."),
    ("extension_installs", "Installs of extensions, their settings, logs and tokens."),
    ("extension_bundles", "Files of extensions."),
    ("developer", "The profile of a developer and uploads."),
    ("developer_api", "The API for tools of developers, with an error body of its own."),
    ("extension_review", "Review of versions by operator staff."),
    ("notifications", "Notifications of a person and how they arrive."),
    ("support", "Tickets."),
    ("privacy", "Erasure of a person."),
    ("csp_reports", "Reports of browsers about content security policies."),
    ("copyright", "Copyright status of songs: lists, votes, candidates, and the public directory."),
    ("admin_accounts", "Accounts, for operator staff."),
    ("admin_users", "People, for operator staff."),
    ("admin_roles", "Roles of operator staff."),
    ("admin_misc", "Further work of operator staff."),
    ("webhooks", "Deliveries of platforms and shops; each is signed by its sender."),
    ("internal", "Routes of our own services; they need a system key."),
];

/// The tags of the document.
pub fn list() -> Value {
    TAGS.iter().map(|(name, description)| json!({ "name": name, "description": description })).collect()
}
