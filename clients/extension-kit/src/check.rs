//! `lumio-ext check`: the rules of an upload, with the places of what breaks them
//! (reference/extension-kit.md#check).

use std::{
    io,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result};
use clap::Args;
use extension_bundle::{
    Bundle, BundleError, CheckedBundle, Expected, FieldError, Limits, MANIFEST, MAX_BUNDLE_BYTES, SERVER,
    TOO_LARGE, check_handlers, check_version,
};
use extension_model::limits::ResolvedLimits;
use sandbox::Engine;
use serde::Serialize;
use serde_json::Value;
use uuid::Uuid;

use crate::{
    engine::engine,
    output::print,
    pack,
    places::{Part, Place, find},
};

/// Version of a manifest that has none.
const NO_VERSION: &str = "0.0.0";

/// Facts of the upload that the manifest does not hold.
#[derive(Debug, Clone, Default, Args)]
pub struct CheckOptions {
    /// Id of the extension; that of the manifest when absent.
    #[arg(long)]
    pub extension: Option<Uuid>,
    /// Version of the upload; that of the manifest when absent.
    #[arg(long)]
    pub version: Option<String>,
    /// Check as a verified developer, who may charge.
    #[arg(long)]
    pub verified: bool,
}

/// Mistake in an extension, as the upload reports it, with its place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// Path of the file.
    pub path: String,
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    /// Field of the upload's error.
    pub field: String,
    /// Rule that is broken.
    pub message: String,
}

/// Bundle that was read, with the errors about it.
pub(crate) struct Checked {
    pub bundle: Bundle,
    pub result: std::result::Result<CheckedBundle, Vec<FieldError>>,
}

/// Checks a folder or a packed bundle.
///
/// # Errors
/// Files that cannot be read, and an engine that cannot be started.
pub async fn check(target: &Path, options: &CheckOptions) -> Result<Vec<Finding>> {
    let packed = pack::bytes(target)?;
    let checked = check_bytes(&packed, options, async || engine().await).await?;
    Ok(match &checked.result {
        Ok(_) => Vec::new(),
        Err(errors) => findings(target, &checked.bundle, errors),
    })
}

/// Prints findings, one a line or as JSON.
///
/// # Errors
/// Output that fails.
pub fn report(findings: &[Finding], as_json: bool, out: &mut dyn io::Write) -> Result<()> {
    if as_json {
        print(out, serde_json::to_string_pretty(findings)?)?;
        return Ok(());
    }
    for Finding { path, line, column, message, .. } in findings {
        print(out, format_args!("{path}:{line}:{column}: {message}"))?;
    }
    Ok(())
}

/// Applies the rules of the upload in its order: form, archive, manifest and sizes, code.
pub(crate) async fn check_bytes(
    packed: &[u8],
    options: &CheckOptions,
    engine: impl AsyncFnOnce() -> Result<Engine>,
) -> Result<Checked> {
    let (bundle, unreadable) = read(packed)?;
    let manifest = manifest_of(&bundle);
    let version = options.version.clone().or_else(|| text(&manifest, "version")).unwrap_or(NO_VERSION.into());
    let mut errors: Vec<FieldError> = check_version(&version).err().into_iter().collect();
    if errors.is_empty() && packed.len() as u64 > MAX_BUNDLE_BYTES {
        errors.push(FieldError::new("bundle", TOO_LARGE));
    }
    if errors.is_empty() {
        errors.extend(unreadable);
    }
    if !errors.is_empty() {
        return Ok(Checked { bundle, result: Err(errors) });
    }
    let own_id = text(&manifest, "extensionId").and_then(|id| id.parse().ok());
    let expected = Expected {
        extension_id: options.extension.or(own_id).unwrap_or_default(),
        version: &version,
        verified: options.verified,
        limits: &ResolvedLimits::default(),
    };
    let mut result = extension_bundle::check(&bundle, expected);
    if let Ok(checked) = &result
        && checked.handler_code.is_some()
    {
        let engine = engine().await?;
        let errors = check_handlers(&engine, checked).await.context("server.js could not be checked")?;
        if !errors.is_empty() {
            result = Err(errors);
        }
    }
    Ok(Checked { bundle, result })
}

fn read(packed: &[u8]) -> Result<(Bundle, Option<FieldError>)> {
    match extension_bundle::read(packed, Limits::default(), |_| Ok(io::sink())) {
        Ok(bundle) => Ok((bundle, None)),
        Err(BundleError::Refused(reason)) => Ok((Bundle::default(), Some(FieldError::new("bundle", reason)))),
        Err(error @ BundleError::Io(_)) => Err(error.into()),
    }
}

/// Content of a packed bundle, for the places of errors; empty when it cannot be read.
pub(crate) fn bundle_of(packed: &[u8]) -> Bundle {
    read(packed).map(|(bundle, _)| bundle).unwrap_or_default()
}

fn manifest_of(bundle: &Bundle) -> Value {
    let text = bundle.manifest.as_deref().unwrap_or_default();
    serde_json::from_slice(text).unwrap_or_default()
}

fn text(manifest: &Value, key: &str) -> Option<String> {
    manifest.get(key).and_then(Value::as_str).map(str::to_owned)
}

/// Adds places to the errors of an upload.
pub(crate) fn findings(target: &Path, bundle: &Bundle, errors: &[FieldError]) -> Vec<Finding> {
    errors.iter().map(|error| finding(target, bundle, error)).collect()
}

fn finding(target: &Path, bundle: &Bundle, error: &FieldError) -> Finding {
    let (file, place) = place(bundle, error);
    let path = file.map_or_else(|| target.to_owned(), |file| beside(target, file));
    Finding {
        path: path.display().to_string(),
        line: place.line,
        column: place.column,
        field: error.field.clone(),
        message: error.message.clone(),
    }
}

/// Path without a leading `./`.
fn beside(target: &Path, file: &str) -> PathBuf {
    if target == Path::new(".") { PathBuf::from(file) } else { target.join(file) }
}

/// File and place that an error is about; no file for one about the archive.
fn place<'a>(bundle: &'a Bundle, error: &'a FieldError) -> (Option<&'a str>, Place) {
    if error.field == "bundle" {
        return (None, Place::START);
    }
    if error.field == SERVER {
        return (Some(SERVER), place_in_code(&error.message));
    }
    if bundle.files.iter().any(|file| file.path == error.field) && error.field != MANIFEST {
        return (Some(&error.field), Place::START);
    }
    let Some(text) = bundle.manifest.as_deref().and_then(|text| std::str::from_utf8(text).ok()) else {
        return (Some(MANIFEST), Place::START);
    };
    if error.field == MANIFEST {
        return (Some(MANIFEST), place_of_syntax(text));
    }
    let part = if error.message.contains(" is not a key of ") { Part::Key } else { Part::Value };
    (Some(MANIFEST), find(text, &error.field, part))
}

/// Place at which a manifest stops to be JSON; its beginning when it is JSON.
fn place_of_syntax(text: &str) -> Place {
    match serde_json::from_str::<Value>(text) {
        Ok(_) => Place::START,
        Err(error) => {
            let above: usize =
                text.split_inclusive('\n').take(error.line().saturating_sub(1)).map(str::len).sum();
            Place::of(text, (above + error.column().saturating_sub(1)).min(text.len()))
        }
    }
}

/// Place in a message that ends with `server.js:line:column`.
pub(crate) fn place_in_code(message: &str) -> Place {
    let Some((_, place)) = message.rsplit_once("server.js:") else { return Place::START };
    let mut numbers = place.split(|c: char| !c.is_ascii_digit()).map_while(|number| number.parse().ok());
    match (numbers.next(), numbers.next()) {
        (Some(line), Some(column)) => Place { line, column },
        (Some(line), None) => Place { line, column: 1 },
        _ => Place::START,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bundle(manifest: &str) -> Bundle {
        Bundle { manifest: Some(manifest.as_bytes().to_vec()), ..Bundle::default() }
    }

    fn at(manifest: &str, field: &str, message: &str) -> (String, usize, usize) {
        let error = FieldError::new(field, message);
        let found = findings(Path::new("ext"), &bundle(manifest), &[error]).remove(0);
        (found.path, found.line, found.column)
    }

    #[test]
    fn findings_name_file_line_and_column() {
        let manifest = "{\n  \"permisions\": [\"chat:read\"],\n  \"name\": \"\"\n}";
        let of_manifest = |line, column| ("ext/lumio.config.json".to_owned(), line, column);
        let unknown = "permisions is not a key of lumio.config.json; did you mean permissions?";
        assert_eq!(at(manifest, "permisions", unknown), of_manifest(2, 3));
        assert_eq!(at(manifest, "name", "name must be between 1 and 255 characters"), of_manifest(3, 11));
        assert_eq!(at("{\n  \"name\": }", MANIFEST, "lumio.config.json is not JSON"), of_manifest(2, 11));
        assert_eq!(at(manifest, "bundle", "the archive has links"), ("ext".to_owned(), 1, 1));
        let message = "server.js does not parse: SyntaxError: unexpected token at server.js:4:32";
        assert_eq!(at(manifest, SERVER, message), ("ext/server.js".to_owned(), 4, 32));
        assert_eq!(at(manifest, SERVER, "server.js is missing"), ("ext/server.js".to_owned(), 1, 1));
    }

    #[tokio::test]
    async fn check_bytes_reports_what_the_upload_reports_first() {
        async fn no_engine() -> Result<Engine> {
            anyhow::bail!("no engine is needed")
        }
        let options = CheckOptions { version: Some("1.0".into()), ..CheckOptions::default() };
        let checked = check_bytes(b"no archive", &options, no_engine).await.unwrap();
        let errors = checked.result.err().unwrap();
        assert_eq!((errors.len(), errors[0].field.as_str()), (1, "version"));
        let checked = check_bytes(b"no archive", &CheckOptions::default(), no_engine).await.unwrap();
        assert_eq!(checked.result.err().unwrap()[0].field, "bundle");
    }
}
