//! The rules of manifests.

use extension_bundle::{
    Bundle, BundleFile, CheckedBundle, Expected, MANIFEST, SERVER, check as check_bundle,
};
use extension_model::limits::ResolvedLimits;
use uuid::Uuid;

/// Names in the manifests of the corpora.
pub const EXTENSION_ID: Uuid = Uuid::from_u128(7);
pub const VERSION: &str = "1.2.3";

/// Longest error that repeats the uploader's text.
const MAX_ERROR_LENGTH: usize = 2000;

/// The input is a manifest.
pub fn check(input: &[u8]) {
    match checked(input) {
        Ok(bundle) => {
            let text = bundle.manifest_text.to_string();
            let again = checked(text.as_bytes()).unwrap_or_else(|errors| panic!("{text}: {errors:?}"));
            // The last digit of a fraction is not kept when JSON is read.
            if !has_fraction(&bundle.manifest_text) {
                assert_eq!(again.manifest, bundle.manifest, "{text}");
                let own = serde_json::to_value(&bundle.manifest).expect("a manifest has a JSON form");
                let read = serde_json::from_value(own).expect("a manifest is read as it is written");
                assert_eq!(bundle.manifest, read, "{text}");
            }
        }
        Err(errors) => {
            assert!((1..=100).contains(&errors.len()), "{} errors", errors.len());
            for (field, message) in errors {
                assert!(!message.is_empty(), "{field}");
                assert!(field.len() + message.len() <= MAX_ERROR_LENGTH, "{field}: {message}");
            }
        }
    }
}

/// Checks a manifest with all rules; the errors are fields and messages.
///
/// # Errors
/// The problems of the manifest.
pub fn checked(manifest: &[u8]) -> Result<CheckedBundle, Vec<(String, String)>> {
    let file = |path: &str| BundleFile {
        path: path.to_owned(),
        size_bytes: 1,
        content_hash: String::new(),
        gzipped_bytes: Some(1),
        is_sound: false,
    };
    let bundle = Bundle {
        files: [MANIFEST, SERVER, "editor.js", "layer.js", "interactive.js"].map(file).to_vec(),
        manifest: Some(manifest.to_vec()),
        server: Some(b"export const x = 1;".to_vec()),
    };
    let expected = Expected {
        extension_id: EXTENSION_ID,
        version: VERSION,
        verified: true,
        limits: &ResolvedLimits::default(),
    };
    check_bundle(&bundle, expected)
        .map_err(|errors| errors.into_iter().map(|error| (error.field, error.message)).collect())
}

fn has_fraction(value: &serde_json::Value) -> bool {
    match value {
        serde_json::Value::Number(number) => number.is_f64(),
        serde_json::Value::Array(items) => items.iter().any(has_fraction),
        serde_json::Value::Object(fields) => fields.values().any(has_fraction),
        _ => false,
    }
}
