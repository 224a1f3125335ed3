//! The GraphQL schema, by domain.

use std::sync::LazyLock;

use api_core::{Cx, graphql::Bound, graphql_root};
use juniper::{EmptySubscription, RootNode};

graphql_root! {
    /// Reads.
    Query {
        identity::users::graphql::UserQueries,
        identity::sessions::graphql::SessionQueries,
        identity::login_connections::graphql::LoginConnectionQueries,
        identity::tokens::graphql::TokenQueries,
        identity::api_keys::graphql::ApiKeyQueries,
        identity::service_keys::graphql::ServiceKeyQueries,
        identity::system_keys::graphql::SystemKeyQueries,
        accounts::accounts::graphql::AccountQueries,
        accounts::audit_log::graphql::AuditQueries,
        accounts::invites::graphql::InviteQueries,
        accounts::login_assignments::graphql::LoginAssignmentQueries,
        accounts::members::graphql::MemberQueries,
        accounts::settings::graphql::SettingsQueries,
        billing::features::graphql::FeatureQueries,
        billing::feature_flags::graphql::FeatureFlagQueries,
        billing::plan_features::graphql::PlanFeatureQueries,
        billing::feature_overrides::graphql::FeatureOverrideQueries,
        billing::platforms::graphql::PlatformQueries,
        billing::providers::graphql::ProviderQueries,
        billing::plans::graphql::PlanQueries,
        billing::status::graphql::StatusQueries,
        billing::payments::graphql::PaymentQueries,
        billing::subscriptions::graphql::SubscriptionQueries,
        billing::coupons::graphql::CouponQueries,
        billing::payouts::graphql::PayoutQueries,
        rbac::roles::graphql::RoleQueries,
        rbac::user_roles::graphql::UserRoleQueries,
        rbac::overrides::graphql::OverrideQueries,
        rbac::admin_roles::graphql::AdminRoleQueries,
        rbac::admin_users::graphql::AdminUserQueries,
        rbac::admin_accounts::graphql::AdminAccountQueries,
        rbac::oauth_clients::graphql::OauthClientQueries,
        connections::channel_connections::graphql::ChannelConnectionQueries,
        connections::app_credentials::graphql::AppCredentialQueries,
        connections::credential_modes::graphql::CredentialModeQueries,
        connections::bot_connections::graphql::BotConnectionQueries,
        connections::bot_control::graphql::BotControlQueries,
        connections::discord_guilds::graphql::DiscordGuildQueries,
        connections::system_connections::graphql::SystemConnectionQueries,
        live::platform_users::graphql::PlatformUserQueries,
        live::notes::graphql::NoteQueries,
        live::youtube::graphql::YoutubeQueries,
        live::emotes::graphql::EmoteQueries,
        developers::extensions::graphql::DeveloperExtensionQueries,
        developers::extensions::secrets::graphql::ExtensionSecretQueries,
        developers::extensions::testers::graphql::ExtensionTesterQueries,
        developers::extensions::access::graphql::ExtensionAccessQueries,
        developers::review::graphql::ReviewQueries,
        developers::telemetry::graphql::TelemetryQueries,
        extensions::store::graphql::StoreQueries,
        extensions::reviews::graphql::StoreReviewQueries,
        extensions::bundles::graphql::BundleQueries,
        extensions::installs::graphql::InstallQueries,
        extensions::storage::graphql::StorageQueries,
        extensions::logs::graphql::LogQueries,
        extensions::automations::graphql::AutomationNodeQueries,
        live::events::graphql::EventQueries,
        live::chat::messages::graphql::ChatMessageQueries,
        live::chat::moderation::graphql::ModerationQueries,
        live::chat::polls::graphql::PollQueries,
        live::chat::predictions::graphql::PredictionQueries,
        community::notifications::graphql::NotificationQueries,
        community::support::graphql::SupportQueries,
        community::csp_reports::graphql::CspReportQueries,
        bots::bot_commands::graphql::BotCommandQueries,
        bots::bot_modules::graphql::BotModuleQueries,
        copyright::checks::graphql::CopyrightCheckQueries,
        copyright::listed_songs::graphql::ListedSongQueries,
        copyright::candidates::graphql::CopyrightCandidateQueries,
        copyright::music::graphql::MusicQueries,
    }
}

graphql_root! {
    /// Changes. The fields of one request run one after the other.
    serial Mutation {
        identity::auth::graphql::AuthMutations,
        identity::users::graphql::UserMutations,
        identity::sessions::graphql::SessionMutations,
        identity::login_connections::graphql::LoginConnectionMutations,
        identity::api_keys::graphql::ApiKeyMutations,
        identity::service_keys::graphql::ServiceKeyMutations,
        identity::system_keys::graphql::SystemKeyMutations,
        identity::tokens::graphql::TokenMutations,
        identity::popout_sessions::graphql::PopoutSessionMutations,
        accounts::accounts::graphql::AccountMutations,
        accounts::invites::graphql::InviteMutations,
        accounts::login_assignments::graphql::LoginAssignmentMutations,
        accounts::members::graphql::MemberMutations,
        accounts::settings::graphql::SettingsMutations,
        billing::feature_flags::graphql::FeatureFlagMutations,
        billing::plan_features::graphql::PlanFeatureMutations,
        billing::feature_overrides::graphql::FeatureOverrideMutations,
        billing::platforms::graphql::PlatformMutations,
        billing::providers::graphql::ProviderMutations,
        billing::plans::graphql::PlanMutations,
        billing::plan_change::graphql::PlanChangeMutations,
        billing::payments::graphql::PaymentMutations,
        billing::coupons::graphql::CouponMutations,
        billing::payouts::graphql::PayoutMutations,
        rbac::roles::graphql::RoleMutations,
        rbac::user_roles::graphql::UserRoleMutations,
        rbac::overrides::graphql::OverrideMutations,
        rbac::admin_roles::graphql::AdminRoleMutations,
        rbac::admin_users::graphql::AdminUserMutations,
        rbac::admin_accounts::graphql::AdminAccountMutations,
        rbac::oauth_clients::graphql::OauthClientMutations,
        connections::channel_connections::graphql::ChannelConnectionMutations,
        connections::oauth::graphql::OauthMutations,
        connections::app_credentials::graphql::AppCredentialMutations,
        connections::bot_connections::graphql::BotConnectionMutations,
        connections::bot_control::graphql::BotControlMutations,
        connections::discord_guilds::graphql::DiscordGuildMutations,
        connections::system_connections::graphql::SystemConnectionMutations,
        live::platform_users::graphql::PlatformUserMutations,
        live::notes::graphql::NoteMutations,
        developers::extensions::graphql::DeveloperExtensionMutations,
        developers::extensions::versions::graphql::DeveloperVersionMutations,
        developers::extensions::secrets::graphql::ExtensionSecretMutations,
        developers::extensions::testers::graphql::ExtensionTesterMutations,
        developers::extensions::access::graphql::ExtensionAccessMutations,
        developers::review::graphql::ReviewMutations,
        extensions::reviews::graphql::StoreReviewMutations,
        extensions::feedback::graphql::FeedbackMutations,
        extensions::installs::graphql::InstallMutations,
        extensions::storage::graphql::StorageMutations,
        extensions::functions::graphql::FunctionMutations,
        extensions::tokens::graphql::TokenMutations,
        live::events::graphql::EventMutations,
        live::chat::send::graphql::SendMutations,
        live::chat::moderation::graphql::ModerationMutations,
        live::chat::raids::graphql::RaidMutations,
        live::chat::polls::graphql::PollMutations,
        live::chat::predictions::graphql::PredictionMutations,
        community::notifications::graphql::NotificationMutations,
        community::support::graphql::SupportMutations,
        community::privacy::graphql::PrivacyMutations,
        bots::bot_commands::graphql::BotCommandMutations,
        bots::bot_modules::graphql::BotModuleMutations,
        copyright::listed_songs::graphql::ListedSongMutations,
        copyright::votes::graphql::CopyrightVoteMutations,
        copyright::candidates::graphql::CopyrightCandidateMutations,
    }
}

/// The schema.
pub type Schema = RootNode<Query, Mutation, EmptySubscription<Cx>>;

/// The schema, with or without introspection. It is static code, so all servers of a process share it.
#[must_use]
pub fn schema(introspection: bool) -> &'static Schema {
    static OPEN: LazyLock<Schema> = LazyLock::new(build);
    static CLOSED: LazyLock<Schema> = LazyLock::new(|| build().disable_introspection());
    if introspection { &OPEN } else { &CLOSED }
}

fn build() -> Schema {
    let tokens = usize::try_from(Bound::Tokens.allowed()).unwrap_or(usize::MAX);
    Schema::new(Query, Mutation, EmptySubscription::new()).limit_tokens(tokens)
}
