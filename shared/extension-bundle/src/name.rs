//! Names of files in a bundle (reference/extensions.md#bundle).

use std::collections::HashSet;

use unicode_normalization::{UnicodeNormalization, is_nfc};

const MAX_LENGTH: usize = 255;
/// Maximum number of segments of a path. Each folder of a path is stored.
const MAX_DEPTH: usize = 16;

/// Names seen so far. They are compared without case and in one Unicode form, because some systems treat such
/// names as one file.
#[derive(Debug, Default)]
pub(super) struct Names {
    files: HashSet<String>,
    folders: HashSet<String>,
}

impl Names {
    /// Adds the name of a file. Returns it without a leading `./`.
    ///
    /// # Errors
    /// Reason of the refusal.
    pub(super) fn file(&mut self, raw: &[u8]) -> Result<String, String> {
        let name = clean(raw)?;
        let folded = folded(&name);
        if self.folders.contains(&folded) {
            return Err(format!("`{name}` is a file and a folder"));
        }
        self.parents(&name, &folded)?;
        if !self.files.insert(folded) {
            return Err(format!("`{name}` is in the archive twice (names differ at most in case)"));
        }
        Ok(name)
    }

    /// Adds the name of a folder. The root itself (`./`) is one.
    ///
    /// # Errors
    /// Reason of the refusal.
    pub(super) fn folder(&mut self, raw: &[u8]) -> Result<(), String> {
        let raw = raw.strip_suffix(b"/").filter(|raw| !raw.is_empty()).unwrap_or(raw);
        if raw == b"." {
            return Ok(());
        }
        let name = clean(raw)?;
        let folded = folded(&name);
        self.parents(&name, &folded)?;
        if self.files.contains(&folded) {
            return Err(format!("`{name}` is a file and a folder"));
        }
        self.folders.insert(folded);
        Ok(())
    }

    fn parents(&mut self, name: &str, folded: &str) -> Result<(), String> {
        for (end, _) in folded.match_indices('/') {
            let parent = &folded[..end];
            if self.files.contains(parent) {
                return Err(format!("`{name}` lies below a file"));
            }
            if !self.folders.contains(parent) {
                self.folders.insert(parent.to_owned());
            }
        }
        Ok(())
    }
}

fn clean(raw: &[u8]) -> Result<String, String> {
    let name = std::str::from_utf8(raw).map_err(|_malformed| "a file name is not valid UTF-8".to_owned())?;
    let name = name.strip_prefix("./").unwrap_or(name);
    // First, so that the other refusals repeat no longer names.
    if name.len() > MAX_LENGTH {
        return Err(format!("a file name is longer than {MAX_LENGTH} bytes"));
    }
    if name.chars().any(char::is_control) {
        return Err(format!("the file name {name:?} has control characters"));
    }
    if let Some(control) = name.chars().find(|c| is_bidi_control(*c)) {
        return Err(format!("the file name {name:?} has a control of writing direction, {control:?}"));
    }
    if !is_nfc(name) {
        return Err(format!("the file name {name:?} is not in Unicode normalization form C"));
    }
    if name.starts_with('/') || name.contains('\\') || name.as_bytes().get(1) == Some(&b':') {
        return Err(format!("`{name}` is not a relative path with `/`"));
    }
    if name.split('/').any(|part| part == "..") {
        return Err(format!("`{name}` leads out of the archive"));
    }
    if name.is_empty() || name.split('/').any(|part| part.is_empty() || part == ".") {
        return Err(format!("`{name}` is not a plain path"));
    }
    if name.split('/').count() > MAX_DEPTH {
        return Err(format!("`{name}` has more than {MAX_DEPTH} segments"));
    }
    Ok(name.to_owned())
}

/// Common form of all names that some system treats as equal: compatible characters in one case.
fn folded(name: &str) -> String {
    name.nfkc().collect::<String>().to_uppercase().to_lowercase().nfkc().collect()
}

/// True for a control that shows a name in another order than it is written in.
const fn is_bidi_control(c: char) -> bool {
    matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_are_relative_are_accepted() {
        let mut names = Names::default();
        assert_eq!(names.file(b"./server.js").as_deref(), Ok("server.js"));
        assert_eq!(names.folder(b"./"), Ok(()));
        assert_eq!(names.folder(b"assets/"), Ok(()));
        assert_eq!(names.file("assets/é b.png".as_bytes()).as_deref(), Ok("assets/é b.png"));
    }

    #[test]
    fn names_that_lie_are_refused() {
        for wrong in [
            "",
            "/etc/passwd",
            "../x",
            "a/../../x",
            "a/..",
            "./../x",
            "a//b",
            "a/./b",
            "c:/x",
            "a\\b",
            "\\\\host\\x",
            "a\0b",
            "a\nb",
            ".",
            "a/",
            "assets/\u{202e}gnp.js",
            "a\u{2066}b",
            "\u{200f}a",
            "e\u{301}.js",
        ] {
            assert!(Names::default().file(wrong.as_bytes()).is_err(), "{wrong:?}");
        }
        assert!(Names::default().file(b"\xff").is_err());
        assert!(Names::default().file("x".repeat(256).as_bytes()).is_err());
        assert!(Names::default().file(["d"; 16].join("/").as_bytes()).is_ok());
        assert!(Names::default().file(["d"; 17].join("/").as_bytes()).is_err());
        assert!(Names::default().folder(["d"; 17].join("/").as_bytes()).is_err());
        assert!(Names::default().folder(b"../").is_err() && Names::default().folder(b"/").is_err());
    }

    #[test]
    fn names_of_one_file_are_refused_twice() {
        for (first, second) in [
            ("a.js", "a.js"),
            ("a.js", "A.JS"),
            ("a.js", "./a.js"),
            ("x/É", "X/é"),
            ("a", "a/b"),
            ("a/b", "A"),
            ("straße.js", "STRASSE.js"),
            ("ﬁle.js", "file.js"),
            ("Σ.js", "ς.js"),
        ] {
            let mut names = Names::default();
            names.file(first.as_bytes()).unwrap();
            assert!(names.file(second.as_bytes()).is_err(), "{first} and {second}");
        }
    }
}
