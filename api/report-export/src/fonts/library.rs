//! Families of fonts, and the family that a character is drawn with.

use std::{
    collections::HashMap,
    path::Path,
    sync::{Arc, OnceLock},
};

use fontdb::{Database as FontDatabase, FaceInfo, Stretch, Style};
use unicode_script::{Script, UnicodeScript};

use super::coverage::Coverage;
use crate::Failure;

/// Families for everything without a script of its own, the first that is installed.
const MAIN: [&str; 3] = ["Noto Sans", "DejaVu Sans", "Liberation Sans"];
const EMOJI: &str = "Noto Color Emoji";
const CJK: &str = "Noto Sans CJK ";
const REGULAR: u16 = 400;
const BOLD: u16 = 700;
/// Lightest weight that stands out from a regular one.
const MIN_BOLD: u16 = 600;

type Bytes = Arc<dyn AsRef<[u8]> + Send + Sync>;

/// A face of a family.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct FaceId {
    family: usize,
    is_bold: bool,
}

/// A file in memory, and the place of the face in it.
#[derive(Clone)]
pub(crate) struct Face {
    pub data: Bytes,
    pub index: u32,
}

struct Family {
    name: String,
    regular: Face,
    bold: Option<Face>,
    /// Read when a character is sought.
    coverage: OnceLock<Coverage>,
}

/// Families by preference.
pub(crate) struct Library {
    families: Vec<Family>,
    by_name: HashMap<String, usize>,
    main: usize,
    emoji: Option<usize>,
}

impl Family {
    fn covers(&self, c: char) -> bool {
        let read = || Coverage::of((*self.regular.data).as_ref(), self.regular.index);
        self.coverage.get_or_init(read).contains(c)
    }
}

impl Library {
    /// Reads the families below a folder.
    ///
    /// # Errors
    /// No family has letters.
    pub fn load(folder: &Path) -> Result<Self, Failure> {
        let mut database = FontDatabase::new();
        database.load_fonts_dir(folder);
        let mut families = families(&mut database);
        families.sort_by(|one, other| (rank(&one.name), &one.name).cmp(&(rank(&other.name), &other.name)));
        let by_name: HashMap<_, _> =
            families.iter().enumerate().map(|(at, family)| (family.name.clone(), at)).collect();
        let main = MAIN
            .iter()
            .find_map(|name| by_name.get(*name).copied())
            .or_else(|| families.iter().position(|family| family.covers('a')))
            .ok_or_else(|| format!("no font with letters below {}", folder.display()))?;
        let emoji = by_name.get(EMOJI).copied();
        tracing::info!(families = families.len(), folder = %folder.display(), "fonts are loaded");
        Ok(Self { families, by_name, main, emoji })
    }

    /// File of a face.
    pub fn face(&self, id: FaceId) -> Option<&Face> {
        let family = self.families.get(id.family)?;
        Some(family.bold.as_ref().filter(|_| id.is_bold).unwrap_or(&family.regular))
    }

    /// Face of the main family.
    pub fn main(&self, is_bold: bool) -> FaceId {
        FaceId { family: self.main, is_bold }
    }

    /// Face of coloured emoji, when it has the character.
    pub fn emoji(&self, c: char) -> Option<FaceId> {
        self.emoji.filter(|at| self.has(*at, c)).map(|family| FaceId { family, is_bold: false })
    }

    /// True for a face of coloured emoji.
    pub fn is_emoji(&self, id: FaceId) -> bool {
        self.emoji == Some(id.family)
    }

    /// True when the family of a face has the character.
    pub fn covers(&self, id: FaceId, c: char) -> bool {
        self.has(id.family, c)
    }

    /// Face of the preferred family that has the character; `han` is the variant of Chinese characters
    /// ([`han_variant`]).
    pub fn find(&self, c: char, is_bold: bool, han: &str) -> Option<FaceId> {
        let script = c.script();
        let named = match script {
            Script::Common | Script::Inherited => None,
            Script::Han | Script::Hiragana | Script::Katakana | Script::Hangul | Script::Bopomofo => {
                Some(format!("{CJK}{han}"))
            }
            _ => Some(format!("Noto Sans {}", script.full_name().replace('_', " "))),
        };
        let named = named.and_then(|name| self.by_name.get(&name).copied()).filter(|at| self.has(*at, c));
        let family = named
            .or_else(|| self.has(self.main, c).then_some(self.main))
            .or_else(|| self.families.iter().position(|family| family.covers(c)))?;
        Some(FaceId { family, is_bold })
    }

    fn has(&self, family: usize, c: char) -> bool {
        self.families.get(family).is_some_and(|family| family.covers(c))
    }
}

/// Variant of Chinese characters that fits a text: Japanese with kana, Korean with hangul, else Chinese.
pub(crate) fn han_variant(text: &str) -> &'static str {
    let has = |scripts: &[Script]| text.chars().any(|c| scripts.contains(&c.script()));
    if has(&[Script::Hiragana, Script::Katakana]) {
        "JP"
    } else if has(&[Script::Hangul]) {
        "KR"
    } else if has(&[Script::Bopomofo]) {
        "TC"
    } else {
        "SC"
    }
}

/// Upright families of normal width, each with a regular face and perhaps a bold one.
fn families(database: &mut FontDatabase) -> Vec<Family> {
    let mut by_name: HashMap<String, Vec<FaceInfo>> = HashMap::new();
    for face in database.faces().filter(|face| is_usable(face)) {
        if let Some((name, _)) = face.families.first() {
            by_name.entry(name.clone()).or_default().push(face.clone());
        }
    }
    let family = |(name, faces): (String, Vec<FaceInfo>)| {
        let regular = faces.iter().min_by_key(|face| face.weight.0.abs_diff(REGULAR))?;
        let bold = faces.iter().filter(|face| face.weight.0 >= MIN_BOLD);
        let bold = bold.min_by_key(|face| face.weight.0.abs_diff(BOLD)).map(|face| face.id);
        let regular = mapped(database, regular.id)?;
        Some(Family {
            name,
            regular,
            bold: bold.and_then(|id| mapped(database, id)),
            coverage: OnceLock::new(),
        })
    };
    by_name.into_iter().filter_map(family).collect()
}

/// True for what texts are set in. The flag of monospaced fonts is no help: that of emoji has it.
fn is_usable(face: &FaceInfo) -> bool {
    let is_monospaced = face.families.first().is_some_and(|(name, _)| name.contains(" Mono"));
    face.style == Style::Normal && face.stretch == Stretch::Normal && !is_monospaced
}

#[expect(unsafe_code, reason = "a mapped file must not be cut; package managers replace fonts by new files")]
fn mapped(database: &mut FontDatabase, id: fontdb::ID) -> Option<Face> {
    // SAFETY: fonts of the system are installed as new files beside the old ones, whose content stays while mapped.
    let (data, index) = unsafe { database.make_shared_face_data(id) }?;
    Some(Face { data, index })
}

/// Place of a family among those that are searched for a character.
fn rank(name: &str) -> u8 {
    if MAIN.contains(&name) {
        0
    } else if ["Noto Sans Symbols", "Noto Sans Symbols2", "Noto Sans Math"].contains(&name) {
        1
    } else if name == EMOJI {
        2
    } else if name.starts_with(CJK) {
        3
    } else if name.starts_with("Noto Sans ") {
        4
    } else if name.starts_with("Noto ") {
        5
    } else {
        6
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn han_variant_follows_the_other_letters() {
        for (text, variant) in
            [("漢字", "SC"), ("漢字かな", "JP"), ("漢字 한글", "KR"), ("ㄅ漢", "TC"), ("abc", "SC")]
        {
            assert_eq!(han_variant(text), variant, "{text}");
        }
    }

    #[test]
    fn library_without_fonts_is_an_error() {
        let folder = std::env::temp_dir().join("lumio-no-fonts-here");
        let error = Library::load(&folder).err().unwrap_or_default();
        assert!(error.contains("no font with letters") && error.contains("lumio-no-fonts-here"), "{error}");
    }
}
