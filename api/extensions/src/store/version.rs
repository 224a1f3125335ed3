//! Version on the page of an extension.

use api_core::{Timestamp, graphql::Int64};
use juniper::GraphQLObject;
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

/// A published version.
#[derive(Debug, Clone, Serialize, GraphQLObject, ToSchema)]
pub struct StoreVersion {
    /// Id.
    pub id: Uuid,
    /// Semantic version.
    pub version: String,
    /// Changes, as the developer describes them.
    pub changelog: String,
    /// True when accounts must accept it.
    pub breaking: bool,
    /// Size of the bundle in bytes.
    pub bundle_size_bytes: Int64,
    /// Time of the publication.
    pub approved_at: Option<Timestamp>,
}
