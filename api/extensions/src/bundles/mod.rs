//! Files of extension versions (reference/extensions.md#bundle-files).

mod db;
pub mod graphql;
mod origin;
mod path;
pub mod rest;

use api_core::token::TokenKind;
use api_core::{
    ApiError, Cx, Input, Operation, Result, Timestamp,
    access::{AnyOperation, Grants, Principal, Visitor},
    graphql::Int64,
    http::StoredFile,
};
use juniper::GraphQLObject;
use serde::Serialize;
use shared::{catalogue::AccountPermission, id::UserId};
use utoipa::ToSchema;
use uuid::Uuid;

/// Every operation of this resource.
pub static OPERATIONS: &[&dyn AnyOperation] =
    &[&EXTENSION_BUNDLE_FILE, &EXTENSION_BUNDLE, &EXTENSION_VERSION_FILES];

/// Archive of the sources. Reviewers get it from the object store.
const SOURCE: &str = "source.tar.gz";
/// Paths of the layer's code, in bundles of today and of old versions. The token of a page reads nothing else of a
/// version that is not public.
const LEGACY_BUNDLES: [&str; 2] = ["layer.js", "bundle.js"];

/// A file of a version.
#[derive(Debug, Clone, Serialize, GraphQLObject, ToSchema)]
pub struct BundleFile {
    /// Id.
    pub id: Uuid,
    /// Version of the file.
    pub version_id: Uuid,
    /// Path in the bundle.
    pub file_path: String,
    /// Content type.
    pub content_type: String,
    /// Size in bytes.
    pub size_bytes: Int64,
    /// SHA-256 of the content.
    pub content_hash: String,
    /// Time of the upload.
    pub created_at: Timestamp,
}

/// Reader of files that are not published.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reader {
    /// A reader of published versions only.
    Anybody,
    /// A person, by session or by a key with `extension-dev:read`.
    Person(UserId),
    /// An installed extension: the install, and the person its token was issued to.
    Install(Uuid, Option<UserId>),
    /// A system key.
    System,
}

/// A version that the reader may see.
#[derive(Debug, Clone, Copy)]
struct VisibleVersion {
    id: Uuid,
    is_public: bool,
}

pub static EXTENSION_BUNDLE_FILE: Operation<Visitor> =
    Operation::any_credential("extensionBundleFile", Grants::Nothing).rest_only();

/// Returns one file of a version as raw bytes.
///
/// - Files of published versions are public, `server.js` included. Secrets are never part of the code.
/// - Other versions are visible to their developer and to system keys, to the installs that run them, and in
///   testing also to their testers.
/// - A suspended extension is visible to its developer and to system keys only. A revoked version is visible
///   to no caller.
/// - A developer in dev mode gets the newest version that is not published, whichever version is requested.
///
/// Public files are redirected with 307 to the bundle origin, if one is configured. `If-None-Match` gets 304.
///
/// # Errors
/// - 400 when the path leads out of the bundle.
/// - 403 for the archive of the sources.
/// - 404 when there is no such file, or the caller may not see it.
#[api_core::operation]
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
    if cx.principal().is_of_page() && !LEGACY_BUNDLES.contains(&path) {
        return Err(not_found());
    }
    let mut connection = visitor.db().await?;
    let version = visible(&mut connection, cx, extension_id, version).await?;
    let file = db::file(&mut connection, version, &[path]).await?;
    file.ok_or_else(not_found)
}

pub static EXTENSION_BUNDLE: Operation<Visitor> =
    Operation::any_credential("extensionBundle", Grants::Nothing).rest_only();

/// Returns the code of a version's layer, at the address of old clients.
///
/// The file is `layer.js`, or `bundle.js` in old versions that have one file only. Visibility is that of
/// other files of the version.
///
/// # Errors
/// - 404 when there is no such version or file, or the caller may not see it.
#[api_core::operation]
pub async fn extension_bundle(cx: &Cx, extension_id: Input<Uuid>, version: &str) -> Result<StoredFile> {
    let visitor = cx.authorize(&EXTENSION_BUNDLE).await?;
    let extension_id = extension_id?;
    let mut connection = visitor.db().await?;
    let version = visible(&mut connection, cx, extension_id, version).await?;
    let file = db::file(&mut connection, version, &LEGACY_BUNDLES).await?;
    file.ok_or_else(not_found)
}

pub static EXTENSION_VERSION_FILES: Operation<Visitor> =
    Operation::any_credential("extensionVersionFiles", Grants::Nothing);

/// Lists the files of a version by path.
///
/// Visibility is that of the files themselves.
///
/// # Errors
/// - 404 when there is no such version, or the caller may not see it: the token of a page never does.
#[api_core::operation]
pub async fn extension_version_files(
    cx: &Cx,
    extension_id: Input<Uuid>,
    version: &str,
) -> Result<Vec<BundleFile>> {
    let visitor = cx.authorize(&EXTENSION_VERSION_FILES).await?;
    let extension_id = extension_id?;
    if cx.principal().is_of_page() {
        return Err(not_found());
    }
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
        // Revoked versions are visible to no reader; suspended extensions run on no page
        // (reference/extensions.md#bundle-files).
        let is_tested = self.is_running || (self.is_tester && self.status == "testing");
        let is_own = reader == Reader::System || self.is_developer;
        let may_see = self.status != "revoked" && (is_own || (is_tested && !self.is_suspended));
        (is_public || may_see).then_some(VisibleVersion { id: self.id, is_public })
    }
}

fn not_found() -> ApiError {
    ApiError::not_found("Bundle file not found")
}
