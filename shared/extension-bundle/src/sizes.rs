//! Limits of a bundle's parts (reference/extensions.md#sizes).

use extension_model::{
    Manifest,
    limits::{LimitKey, ResolvedLimits},
};

use super::{Bundle, FieldError, MANIFEST, MAX_ERRORS, SERVER, SOURCE, shortened};

const MIB: u64 = 1024 * 1024;
const MAX_COMPILED_BYTES: u64 = 5 * MIB;
const MAX_ASSETS_BYTES: u64 = 20 * MIB;
/// MP3, WAV, OGG, WebM, M4A, AAC, FLAC.
const SOUND_ENDINGS: [&str; 7] = [".mp3", ".wav", ".ogg", ".webm", ".m4a", ".aac", ".flac"];

/// Checks the size of every part, and that the sounds and targets of the manifest are in the bundle.
///
/// # Errors
/// Parts that are too large or missing; at most 100.
pub(super) fn check(
    bundle: &Bundle,
    manifest: &Manifest,
    limits: &ResolvedLimits,
) -> Result<(), Vec<FieldError>> {
    let mut errors = Vec::new();
    compiled(bundle, &mut errors);
    assets(bundle, &mut errors);
    sounds(bundle, manifest, limits, &mut errors);
    targets(bundle, manifest, &mut errors);
    errors.truncate(MAX_ERRORS);
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}

fn compiled(bundle: &Bundle, errors: &mut Vec<FieldError>) {
    for file in &bundle.files {
        if file.gzipped_bytes.is_some_and(|bytes| bytes > MAX_COMPILED_BYTES) {
            errors.push(FieldError::new(&file.path, format!("{} is larger than 5 MB gzipped", file.path)));
        }
    }
}

fn assets(bundle: &Bundle, errors: &mut Vec<FieldError>) {
    let is_asset = |path: &str| {
        !matches!(path, "editor.js" | "layer.js" | "interactive.js" | SERVER | SOURCE | MANIFEST)
            && !path.starts_with("sounds/")
    };
    let total: u64 =
        bundle.files.iter().filter(|file| is_asset(&file.path)).map(|file| file.size_bytes).sum();
    if total > MAX_ASSETS_BYTES {
        errors.push(FieldError::new("assets", "static assets are larger than 20 MB together"));
    }
}

fn sounds(bundle: &Bundle, manifest: &Manifest, limits: &ResolvedLimits, errors: &mut Vec<FieldError>) {
    let bytes = |key| u64::try_from(limits.value(key)).unwrap_or(0);
    let (max_file, max_all) = (bytes(LimitKey::MaxSoundFileSize), bytes(LimitKey::MaxSoundStorageBytes));
    let mut total = 0;
    for file in bundle.files.iter().filter(|file| file.path.starts_with("sounds/")) {
        total += file.size_bytes;
        if file.size_bytes > max_file {
            let message = format!("{} is larger than {}", file.path, readable(max_file));
            errors.push(FieldError::new(&file.path, message));
        }
        let name = file.path.to_ascii_lowercase();
        if !file.is_sound || !SOUND_ENDINGS.iter().any(|ending| name.ends_with(ending)) {
            errors.push(FieldError::new(
                &file.path,
                format!("{} must be MP3, WAV, OGG, WebM, M4A, AAC or FLAC", file.path),
            ));
        }
    }
    if total > max_all {
        let message = format!("sounds are larger than {} together", readable(max_all));
        errors.push(FieldError::new("sounds", message));
    }
    let max = limits.size(LimitKey::MaxSoundsPerExtension);
    if manifest.sounds.len() > max {
        let message = format!("sounds must have at most {max} entries, which is the limit of this extension");
        errors.push(FieldError::new("sounds", message));
    }
    for (index, sound) in manifest.sounds.iter().enumerate() {
        if !bundle.files.iter().any(|file| file.path == sound.file) {
            errors.push(FieldError::new(
                format!("sounds[{index}].file"),
                format!("{} is not in the bundle", shortened(&sound.file)),
            ));
        }
    }
}

/// Size in megabytes when it is a whole number of them.
fn readable(bytes: u64) -> String {
    if bytes.is_multiple_of(MIB) { format!("{} MB", bytes / MIB) } else { format!("{bytes} bytes") }
}

fn targets(bundle: &Bundle, manifest: &Manifest, errors: &mut Vec<FieldError>) {
    use extension_model::Target;
    for target in &manifest.targets {
        let path = match target {
            Target::Editor => "editor.js",
            Target::Layer => "layer.js",
            Target::Interactive => "interactive.js",
        };
        if !bundle.files.iter().any(|file| file.path == path) {
            errors.push(FieldError::new("targets", format!("{path} is not in the bundle")));
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use uuid::Uuid;

    use super::*;
    use crate::BundleFile;

    fn file(path: &str, size_bytes: u64) -> BundleFile {
        BundleFile {
            path: path.to_owned(),
            size_bytes,
            content_hash: String::new(),
            gzipped_bytes: None,
            is_sound: path.starts_with("sounds/"),
        }
    }

    /// Messages for a bundle of these files whose manifest lists this number of sounds.
    fn refusals(files: Vec<BundleFile>, sounds: usize) -> Vec<String> {
        let entry = |n| json!({ "key": format!("s{n}"), "file": "sounds/a.mp3", "label": "A" });
        let manifest: Manifest = serde_json::from_value(json!({
            "extensionId": Uuid::nil(), "name": "n", "description": "d", "category": "integration", "version": "1.0.0",
            "sounds": (0..sounds).map(entry).collect::<Vec<_>>(),
        }))
        .unwrap();
        let bundle = Bundle { files, ..Bundle::default() };
        let errors = check(&bundle, &manifest, &ResolvedLimits::default()).err().unwrap_or_default();
        errors.into_iter().map(|error| format!("{}: {}", error.field, error.message)).collect()
    }

    #[test]
    fn compiled_bundles_have_at_most_five_megabytes_gzipped_each() {
        for path in ["layer.js", "editor.js", "interactive.js"] {
            let compiled = |bytes| BundleFile { gzipped_bytes: Some(bytes), ..file(path, 90 * MIB) };
            assert_eq!(refusals(vec![compiled(5 * MIB)], 0), [""; 0]);
            let expected = format!("{path}: {path} is larger than 5 MB gzipped");
            assert_eq!(refusals(vec![compiled(5 * MIB + 1)], 0), [expected]);
        }
    }

    #[test]
    fn assets_have_at_most_twenty_megabytes_together() {
        let code = ["layer.js", SERVER, MANIFEST, SOURCE, "sounds/a.mp3"].map(|path| file(path, 10 * MIB));
        let assets = |last| vec![file("assets/a.png", 12 * MIB), file("fonts/b.woff2", last)];
        assert_eq!(refusals([&code[..], &assets(8 * MIB)].concat(), 0), [""; 0]);
        let message = "assets: static assets are larger than 20 MB together";
        assert_eq!(refusals([&code[..], &assets(8 * MIB + 1)].concat(), 0), [message]);
    }

    #[test]
    fn sounds_have_at_most_ten_megabytes_each_and_fifty_together() {
        let five = |last| {
            let mut files: Vec<_> = (0..4).map(|n| file(&format!("sounds/{n}.wav"), 10 * MIB)).collect();
            files.push(file("sounds/last.ogg", last));
            files
        };
        assert_eq!(refusals(five(10 * MIB), 0), [""; 0]);
        assert_eq!(
            refusals(five(10 * MIB + 1), 0),
            [
                "sounds/last.ogg: sounds/last.ogg is larger than 10 MB",
                "sounds: sounds are larger than 50 MB together"
            ]
        );
    }

    #[test]
    fn sounds_are_of_a_format_by_name_and_by_content() {
        for ending in SOUND_ENDINGS {
            assert_eq!(refusals(vec![file(&format!("sounds/A{}", ending.to_uppercase()), 1)], 0), [""; 0]);
        }
        let must = "must be MP3, WAV, OGG, WebM, M4A, AAC or FLAC";
        assert_eq!(
            refusals(vec![file("sounds/a.mid", 1)], 0),
            [format!("sounds/a.mid: sounds/a.mid {must}")]
        );
        let disguised = BundleFile { is_sound: false, ..file("sounds/a.mp3", 1) };
        assert_eq!(refusals(vec![disguised], 0), [format!("sounds/a.mp3: sounds/a.mp3 {must}")]);
    }

    #[test]
    fn sounds_number_at_most_fifty() {
        let files = || vec![file("sounds/a.mp3", 1)];
        assert_eq!(refusals(files(), 50), [""; 0]);
        let message = "sounds: sounds must have at most 50 entries, which is the limit of this extension";
        assert_eq!(refusals(files(), 51), [message]);
        assert_eq!(refusals(Vec::new(), 1), ["sounds[0].file: sounds/a.mp3 is not in the bundle"]);
    }
}
