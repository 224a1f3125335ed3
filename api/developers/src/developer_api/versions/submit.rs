//! Upload of a version (reference/developers.md#uploads).

use std::{
    fs::{self, File},
    io::BufWriter,
};

use api_core::{
    ApiError, Code, Cx, Input, Operation,
    access::{Developer, Grants, SignedIn},
    validate,
};
use developer_access::extensions::Owner;
use diesel_async::{AsyncConnection, AsyncPgConnection};
use extension_bundle::{Bundle, BundleError, CheckedBundle, Expected, FieldError, Limits, check_version};
use extension_model::{
    Manifest,
    limits::{self, LimitKey, ResolvedLimits},
};
use foundation::{db::Connection, unclaimed};
use semver::Version as SemVer;
use shared::{
    catalogue::{AccountPermission, TeamPermission},
    id::UserId,
};
use tempfile::TempDir;
use tokio::sync::Semaphore;
use uuid::Uuid;

use super::{
    SubmittedVersion, Version, VersionForm,
    db::{self, Known, NewVersion},
    extensions, store,
};
use crate::{
    developer_api::rates::Rate,
    engine,
    envelope::{DeveloperError, Result},
    lifecycle, owners,
};

/// Maximum number of versions of an extension, ever (reference/developers.md#version-numbers).
const MAX_VERSIONS: usize = 500;
pub(super) const MAX_CHANGELOG_LENGTH: usize = 10_000;
/// Bundles that a process unpacks and stores concurrently. Each may take 200 MiB of disk, and one of its
/// files as much memory.
static UNPACKING: Semaphore = Semaphore::const_new(4);

pub static DEVELOPER_API_SUBMIT_VERSION: Operation<Developer> = Operation::developer(
    "developerApiSubmitVersion",
    AccountPermission::ExtensionDevPublish,
    Grants::Nothing,
)
.in_team(&[TeamPermission::TeamVersionsCreate])
.not_idempotent("the version number is its key: a repetition is refused");

/// Uploads a version of an extension for review.
///
/// The upload is checked as a whole: the form, the archive, the manifest and the syntax of the handler code.
/// At most 100 field errors are reported. A refused upload leaves nothing behind. The version waits as
/// `pending`; it is not offered to accounts before its review. More than 100 versions archive older approved
/// ones.
///
/// # Errors
/// - 401 or 403 by the access rule.
/// - 403 when the person has no developer profile and no team, and for a member of the extension's team
///   without the permission.
/// - 404 when the developer has no such extension.
/// - 422 with `fields` for errors in the form, the archive, the manifest or the handler code, for a version
///   that exists or is not newer than every approved one, and above 500 versions.
/// - 429 above 30 requests of the person in an hour.
#[api_core::operation]
pub async fn developer_api_submit_version(
    cx: &Cx,
    id: Input<Uuid>,
    form: impl Future<Output = Result<VersionForm>>,
) -> Result<SubmittedVersion> {
    let developer = cx.authorize(&DEVELOPER_API_SUBMIT_VERSION).await?;
    Rate::CreateVersion.count(cx, &developer).await?;
    let id = id?;
    let mut connection = developer.db().await?;
    let owner = owners::required(&mut connection, &DEVELOPER_API_SUBMIT_VERSION, developer.user, id).await?;
    drop(connection);
    let row = submit(cx, Uploader::Key(&developer), &owner, id, form).await?;
    Ok(SubmittedVersion {
        id: row.id,
        version: row.version,
        status: row.status,
        submitted_at: row.submitted_at,
    })
}

/// Caller of an upload: a developer's key on the developer API, or a person on the main API.
#[derive(Clone, Copy)]
pub(crate) enum Uploader<'a> {
    Key(&'a Developer),
    Person(&'a SignedIn),
}

impl Uploader<'_> {
    const fn user(self) -> UserId {
        match self {
            Self::Key(developer) => developer.user,
            Self::Person(person) => person.user,
        }
    }

    async fn db(&self) -> Result<Connection<'_>> {
        Ok(match self {
            Self::Key(developer) => developer.db().await?,
            Self::Person(person) => person.db().await?,
        })
    }
}

/// Uploads a version of the developer's extension.
///
/// # Errors
/// 404 when the developer has no such extension; 422 with `fields` for an invalid upload.
pub(crate) async fn submit(
    cx: &Cx,
    uploader: Uploader<'_>,
    owner: &Owner,
    id: Uuid,
    form: impl Future<Output = Result<VersionForm>>,
) -> Result<Version> {
    extensions::db::find(&mut *uploader.db().await?, owner, id).await?;
    let limits = limits::for_extension(&mut *uploader.db().await?, id).await?;
    let max_versions = limits.value(LimitKey::MaxVersions);
    // No connection is held while the client sends and the archive is unpacked.
    let form = form.await?;
    let version = check_version(&form.version).map_err(|error| DeveloperError::fields(vec![error]))?;
    let changelog = validate::long_text("changelog", &form.changelog, 0, MAX_CHANGELOG_LENGTH)?;
    admissible(&db::known(&mut *uploader.db().await?, id).await?, &version)?;

    // Acquired after the form was read, so that a slow client blocks no other upload.
    let permit = UNPACKING.acquire().await.map_err(ApiError::internal)?;
    let (folder, bundle) = unpack(form.bundle).await?;
    let (bundle, checked) = check(bundle, id, form.version.clone(), owner.verified, limits).await?;
    check_handlers(cx, &checked).await?;

    let (version_id, now) = (shared::id::new(), cx.state().clock.now());
    let keys = store::keys(&bundle.files);
    unclaimed::record(&mut *uploader.db().await?, &keys, now).await?;
    let files = store::put(&cx.state().storage, folder.path(), &bundle.files, version_id, now).await?;
    drop((folder, permit));
    uploader
        .db()
        .await?
        .transaction(async |connection| {
            extensions::db::find_locked(connection, owner, id).await?;
            admissible(&db::known(connection, id).await?, &version)?;
            let new = NewVersion {
                id: version_id,
                extension_id: id,
                version: form.version.clone(),
                changelog,
                bundle_size_bytes: i64::try_from(form.bundle_bytes).unwrap_or(i64::MAX),
                handler_code: checked.handler_code,
                breaking: form.breaking || asks_more(connection, id, &checked.manifest).await?,
                needs_enhanced_review: checked.manifest.needs_enhanced_review(),
                manifest: checked.manifest_text,
                submitted_by: uploader.user(),
                submitted_at: now,
            };
            let row = db::insert(connection, new, &files).await?;
            unclaimed::claim(connection, &keys).await?;
            lifecycle::db::into_review(connection, id, now).await?;
            db::archive_older(connection, id, max_versions).await?;
            let mut entry = cx.audit("extension:version_submitted", "extension_version", row.id);
            entry.metadata = serde_json::json!({ "extension_id": id, "version": row.version });
            foundation::audit::record(connection, entry).await?;
            Ok::<_, DeveloperError>(row)
        })
        .await
}

/// Checks the rules about other versions (reference/developers.md#version-numbers).
fn admissible(known: &[Known], version: &SemVer) -> Result<()> {
    let others = known.iter().filter_map(|other| SemVer::parse(&other.version).ok());
    // Build metadata does not make another version.
    if others.into_iter().any(|other| other.cmp_precedence(version).is_eq()) {
        return Err(refused("Version already exists".to_owned()).on_main(Code::Conflict));
    }
    newer_than_approved(known, version)?;
    if known.len() >= MAX_VERSIONS {
        let message = format!("An extension can have at most {MAX_VERSIONS} versions");
        return Err(refused(message).on_main(Code::PlanLimitReached));
    }
    Ok(())
}

/// Checks that a version is greater than every one that was approved
/// (reference/developers.md#version-numbers).
///
/// # Errors
/// 422 (on the main API 409) with the greatest approved version.
pub(crate) fn newer_than_approved(known: &[Known], version: &SemVer) -> Result<()> {
    let approved = known.iter().filter(|other| other.approved_at.is_some());
    let newest = approved
        .filter_map(|other| SemVer::parse(&other.version).ok())
        .max_by(|one, other| one.cmp_precedence(other));
    match newest {
        Some(newest) if version.cmp_precedence(&newest).is_lt() => {
            Err(refused(format!("Version must be greater than {newest}")).on_main(Code::Conflict))
        }
        _ => Ok(()),
    }
}

fn refused(message: String) -> DeveloperError {
    DeveloperError::fields(vec![FieldError::new("version", message)])
}

/// Unpacks into a folder of its own, on a thread that may block. The folder is deleted when it is dropped.
async fn unpack(archive: File) -> Result<(TempDir, Bundle)> {
    let unpacked = tokio::task::spawn_blocking(move || {
        let folder = TempDir::new().map_err(BundleError::Io)?;
        let bundle = extension_bundle::read(archive, Limits::default(), |index| {
            fs::File::create_new(store::unpacked(folder.path(), index)).map(BufWriter::new)
        })?;
        Ok((folder, bundle))
    });
    match unpacked.await.map_err(ApiError::internal)? {
        Ok(unpacked) => Ok(unpacked),
        Err(BundleError::Refused(reason)) => {
            Err(DeveloperError::fields(vec![FieldError::new("bundle", reason)]))
        }
        Err(BundleError::Io(error)) => Err(ApiError::internal(error).into()),
    }
}

/// Checks a bundle against its manifest, on a thread that may block, because a manifest of a mebibyte takes
/// time.
async fn check(
    bundle: Bundle,
    extension_id: Uuid,
    version: String,
    verified: bool,
    limits: ResolvedLimits,
) -> Result<(Bundle, CheckedBundle)> {
    let checked = tokio::task::spawn_blocking(move || {
        let expected = Expected { extension_id, version: &version, verified, limits: &limits };
        let checked = extension_bundle::check(&bundle, expected);
        checked.map(|checked| (bundle, checked))
    });
    checked.await.map_err(ApiError::internal)?.map_err(DeveloperError::fields)
}

async fn check_handlers(cx: &Cx, checked: &CheckedBundle) -> Result<()> {
    if checked.handler_code.is_none() {
        return Ok(());
    }
    let engine = engine::of(&cx.state().config.workers.engine_dir).await?;
    let errors = extension_bundle::check_handlers(&engine, checked)
        .await
        .map_err(|failure| ApiError::internal(format_args!("server.js could not be checked: {failure}")))?;
    if errors.is_empty() { Ok(()) } else { Err(DeveloperError::fields(errors)) }
}

/// True when a version asks for more than the current one (reference/developers.md#breaking-versions). The
/// first version has no predecessor.
async fn asks_more(connection: &mut AsyncPgConnection, extension: Uuid, manifest: &Manifest) -> Result<bool> {
    match db::current_manifest(connection, extension).await? {
        Some(current) => Ok(manifest.asks_more_than(&Manifest::stored(current)?)),
        None => Ok(false),
    }
}

#[cfg(test)]
mod tests {
    use chrono::DateTime;

    use super::*;

    fn known(versions: &[(&str, &str)]) -> Vec<Known> {
        let known = |(version, status): &(&str, &str)| Known {
            id: Uuid::nil(),
            version: (*version).to_owned(),
            approved_at: matches!(*status, "approved" | "archived" | "revoked").then(DateTime::default),
        };
        versions.iter().map(known).collect()
    }

    fn refusal(known: &[Known], version: &str) -> Option<String> {
        admissible(known, &SemVer::parse(version).unwrap()).err().map(|error| error.message)
    }

    #[test]
    fn versions_are_new_and_greater_than_every_approved_one() {
        let known = known(&[
            ("1.0.0", "archived"),
            ("1.2.0", "approved"),
            ("1.10.0", "rejected"),
            ("2.0.0", "pending"),
        ]);
        assert_eq!(refusal(&known, "1.3.0"), None);
        assert_eq!(refusal(&known, "1.1.0").as_deref(), Some("Version must be greater than 1.2.0"));
        assert_eq!(refusal(&known, "1.2.0-rc.1").as_deref(), Some("Version must be greater than 1.2.0"));
        for repeated in ["1.2.0", "1.2.0+build", "2.0.0", "1.10.0"] {
            assert_eq!(refusal(&known, repeated).as_deref(), Some("Version already exists"), "{repeated}");
        }
    }

    #[test]
    fn versions_number_at_most_five_hundred() {
        let many: Vec<String> = (0..500).map(|patch| format!("0.0.{patch}")).collect();
        let many: Vec<(&str, &str)> = many.iter().map(|version| (version.as_str(), "rejected")).collect();
        assert_eq!(refusal(&known(&many[..499]), "1.0.0"), None);
        assert!(refusal(&known(&many), "1.0.0").unwrap().contains("at most 500 versions"));
    }
}
