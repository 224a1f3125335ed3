//! Size limits of a bundle's parts (specification B §8).

use shared::extensions::Manifest;

use super::{Bundle, MANIFEST, MOST_ERRORS, SERVER, SOURCE, shortened};
use crate::envelope::FieldError;

const MIB: u64 = 1024 * 1024;
const LARGEST_COMPILED: u64 = 5 * MIB;
const LARGEST_ASSETS: u64 = 20 * MIB;
const LARGEST_SOUND: u64 = 10 * MIB;
const LARGEST_SOUNDS: u64 = 50 * MIB;
/// MP3, WAV, OGG, WebM, M4A, AAC, FLAC.
const SOUND_ENDINGS: [&str; 7] = [".mp3", ".wav", ".ogg", ".webm", ".m4a", ".aac", ".flac"];

/// Checks every part, and that the sounds and targets of the manifest are in the bundle.
///
/// # Errors
/// Parts that are too large or missing; at most 100.
pub(super) fn check(bundle: &Bundle, manifest: &Manifest) -> Result<(), Vec<FieldError>> {
    let mut errors = Vec::new();
    compiled(bundle, &mut errors);
    assets(bundle, &mut errors);
    sounds(bundle, manifest, &mut errors);
    targets(bundle, manifest, &mut errors);
    errors.truncate(MOST_ERRORS);
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}

fn compiled(bundle: &Bundle, errors: &mut Vec<FieldError>) {
    for file in &bundle.files {
        if file.gzipped_bytes.is_some_and(|bytes| bytes > LARGEST_COMPILED) {
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
    if total > LARGEST_ASSETS {
        errors.push(FieldError::new("assets", "static assets are larger than 20 MB together"));
    }
}

fn sounds(bundle: &Bundle, manifest: &Manifest, errors: &mut Vec<FieldError>) {
    let mut total = 0;
    for file in bundle.files.iter().filter(|file| file.path.starts_with("sounds/")) {
        total += file.size_bytes;
        if file.size_bytes > LARGEST_SOUND {
            errors.push(FieldError::new(&file.path, format!("{} is larger than 10 MB", file.path)));
        }
        let name = file.path.to_ascii_lowercase();
        if !SOUND_ENDINGS.iter().any(|ending| name.ends_with(ending)) {
            errors.push(FieldError::new(
                &file.path,
                format!("{} must be MP3, WAV, OGG, WebM, M4A, AAC or FLAC", file.path),
            ));
        }
    }
    if total > LARGEST_SOUNDS {
        errors.push(FieldError::new("sounds", "sounds are larger than 50 MB together"));
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

fn targets(bundle: &Bundle, manifest: &Manifest, errors: &mut Vec<FieldError>) {
    use shared::extensions::Target;
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
