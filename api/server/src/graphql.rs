//! The GraphQL schema, by domain.

use std::sync::LazyLock;

use api_core::{Cx, graphql_root};
use juniper::{EmptySubscription, RootNode};

graphql_root! {
    /// Reads.
    Query {
        identity::users::graphql::UserQueries,
        identity::tokens::graphql::TokenQueries,
        identity::api_keys::graphql::ApiKeyQueries,
        accounts::accounts::graphql::AccountQueries,
        billing::features::graphql::FeatureQueries,
        developers::review::graphql::ReviewQueries,
        developers::telemetry::graphql::TelemetryQueries,
        extensions::installs::graphql::InstallQueries,
        extensions::logs::graphql::LogQueries,
    }
}

graphql_root! {
    /// Changes. The fields of one request run one after the other.
    serial Mutation {
        identity::auth::graphql::AuthMutations,
        identity::users::graphql::UserMutations,
        identity::api_keys::graphql::ApiKeyMutations,
        accounts::accounts::graphql::AccountMutations,
        developers::review::graphql::ReviewMutations,
        extensions::installs::graphql::InstallMutations,
        extensions::bot_modules::graphql::BotModuleMutations,
    }
}

/// The schema.
pub type Schema = RootNode<Query, Mutation, EmptySubscription<Cx>>;

/// The schema, with or without introspection. It is code, so every server of a process shares it.
#[must_use]
pub fn schema(introspection: bool) -> &'static Schema {
    static OPEN: LazyLock<Schema> = LazyLock::new(build);
    static CLOSED: LazyLock<Schema> = LazyLock::new(|| build().disable_introspection());
    if introspection { &OPEN } else { &CLOSED }
}

fn build() -> Schema {
    Schema::new(Query, Mutation, EmptySubscription::new())
}
