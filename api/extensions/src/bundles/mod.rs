//! Files of extension versions (specification B §4.4, C B1.3, B6).

mod db;
pub mod graphql;
mod origin;
mod path;
pub mod rest;

use api_core::{
    ApiError, Cx, Input, Operation, Result, Timestamp,
    access::{AnyOperation, Grants, Principal, Visitor},
    graphql::Int64,
};
use juniper::GraphQLObject;
use serde::Serialize;
use shared::{catalogue::AccountPermission, id::UserId, token::TokenKind};
use utoipa::ToSchema;
use uuid::Uuid;

pub use crate::raw::StoredFile;

/// Every operation of this resource.
pub static OPERATIONS: &[&dyn AnyOperation] =
    &[&EXTENSION_BUNDLE_FILE, &EXTENSION_BUNDLE, &EXTENSION_VERSION_FILES];

/// The archive of the sources, which reviewers get from the store of objects.
const SOURCE: &str = "source.tar.gz";
/// Where the code of old versions lies.
const LEGACY_BUNDLES: [&str; 2] = ["layer.js", "bundle.js"];

/// A file of a version.
#[derive(Debug, Clone, Serialize, GraphQLObject, ToSchema)]
pub struct BundleFile {
    pub id: Uuid,
    pub version_id: Uuid,
    /// Path in the bundle.
    pub file_path: String,
    pub content_type: String,
    pub size_bytes: Int64,
    /// SHA-256.
    pub content_hash: String,
    pub created_at: Timestamp,
}

/// Who asks for files, as far as it matters for what is not published.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reader {
    /// Sees published versions.
    Anybody,
    /// A person, by session or by a key that carries `extension-dev:read`.
    Person(UserId),
    /// An installed extension: the install, and whom its token was issued to.
    Install(Uuid, Option<UserId>),
    /// One of our own services.
    System,
}

/// A version that the reader may see.
#[derive(Debug, Clone, Copy)]
struct VisibleVersion {
    id: Uuid,
    is_public: bool,
}

/// One file of a version.
pub static EXTENSION_BUNDLE_FILE: Operation<Visitor> =
    Operation::any_credential("extensionBundleFile", Grants::Nothing).rest_only();

/// Finds a file of a version. Published versions are everybody's; others are their developer's, in testing also their
/// testers', of the installs that run them, and of our own services. Those of a suspended extension are its developer's
/// and our own services' alone, revoked ones nobody's. A developer in dev mode gets the newest version
/// that is not published, whichever is asked for (A §2.7).
///
/// # Errors
/// 400 for a path that leads out of the bundle; 403 for the archive of the sources; 404 when there is no such file or the
/// caller may not see it.
pub async fn extension_bundle_file(
    cx: &Cx,
    extension_id: Input<Uuid>,
    version: &str,
    path: &str,
) -> Result<StoredFile> {
    let visitor = cx.authorize(&EXTENSION_BUNDLE_FILE).await?;
    let extension_id = extension_id?;
    let path = path::checked(path)?;
    if path.eq_ignore_ascii_case(SOURCE) {
        return Err(ApiError::forbidden("Source archives are for reviewers only"));
    }
    let mut connection = visitor.db().await?;
    let version = visible(&mut connection, cx, extension_id, version).await?;
    let file = db::file(&mut connection, version, &[path]).await?;
    file.ok_or_else(not_found)
}

/// The code of a version, by its old address.
pub static EXTENSION_BUNDLE: Operation<Visitor> =
    Operation::any_credential("extensionBundle", Grants::Nothing).rest_only();

/// Finds the layer's code of a version; of versions from before bundles had several files, the one that they have.
///
/// # Errors
/// As [`extension_bundle_file`].
pub async fn extension_bundle(cx: &Cx, extension_id: Input<Uuid>, version: &str) -> Result<StoredFile> {
    let visitor = cx.authorize(&EXTENSION_BUNDLE).await?;
    let extension_id = extension_id?;
    let mut connection = visitor.db().await?;
    let version = visible(&mut connection, cx, extension_id, version).await?;
    let file = db::file(&mut connection, version, &LEGACY_BUNDLES).await?;
    file.ok_or_else(not_found)
}

/// The files of a version.
pub static EXTENSION_VERSION_FILES: Operation<Visitor> =
    Operation::any_credential("extensionVersionFiles", Grants::Nothing);

/// Lists the files of a version by their paths, to whom may see them.
///
/// # Errors
/// 404 when there is no such version or the caller may not see it.
pub async fn extension_version_files(
    cx: &Cx,
    extension_id: Input<Uuid>,
    version: &str,
) -> Result<Vec<BundleFile>> {
    let visitor = cx.authorize(&EXTENSION_VERSION_FILES).await?;
    let extension_id = extension_id?;
    let mut connection = visitor.db().await?;
    let version = visible(&mut connection, cx, extension_id, version).await?;
    db::files(&mut connection, version.id).await
}

async fn visible(
    connection: &mut diesel_async::AsyncPgConnection,
    cx: &Cx,
    extension_id: Uuid,
    version: &str,
) -> Result<VisibleVersion> {
    let reader = Reader::of(cx.principal());
    let found = db::version(connection, extension_id, version, reader).await?;
    found.and_then(|found| found.visible_to(reader)).ok_or_else(not_found)
}

impl Reader {
    fn of(principal: &Principal) -> Self {
        match principal {
            Principal::Session { user, .. } => Self::Person(*user),
            Principal::PersonalKey { user, scopes, .. }
                if scopes.contains(AccountPermission::ExtensionDevRead) =>
            {
                Self::Person(*user)
            }
            Principal::Surface { kind: TokenKind::Extension, subject, user, .. } => {
                subject.parse().map_or(Self::Anybody, |install| Self::Install(install, *user))
            }
            Principal::SystemKey { .. } => Self::System,
            _ => Self::Anybody,
        }
    }
}

impl db::FoundVersion {
    fn visible_to(self, reader: Reader) -> Option<VisibleVersion> {
        if let Some(id) = self.dev_mode_version {
            return Some(VisibleVersion { id, is_public: false });
        }
        let is_public = matches!(self.status.as_str(), "approved" | "archived") && !self.is_suspended;
        // What security took back is nobody's (C B1.3); what is suspended runs on no page.
        let is_tested = self.is_running || (self.is_tester && self.status == "testing");
        let is_own = reader == Reader::System || self.is_developer;
        let may_see = self.status != "revoked" && (is_own || (is_tested && !self.is_suspended));
        (is_public || may_see).then_some(VisibleVersion { id: self.id, is_public })
    }
}

fn not_found() -> ApiError {
    ApiError::not_found("Bundle file not found")
}
