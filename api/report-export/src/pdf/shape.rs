//! Lines of text: directions, fonts and glyphs (reference/history.md#fonts).
//!
//! A line is split by direction (Unicode bidirectional algorithm), then by font and script; each piece is shaped by
//! itself. Lengths are in units of the font size.

use std::{collections::HashMap, ops::Range};

use krilla::text::{GlyphId, KrillaGlyph};
use rustybuzz::{Direction, UnicodeBuffer};
use unicode_bidi::BidiInfo;
use unicode_properties::{EmojiStatus, UnicodeEmoji};
use unicode_script::{Script, UnicodeScript};
use unicode_segmentation::UnicodeSegmentation;

use crate::{
    fonts::{FaceId, Library, han_variant},
    visible::visible,
};

/// Characters of a text that are set at most.
const MAX_CHARS: usize = 1000;
/// Stands for a character that no font has.
const BOX: char = '□';
const ELLIPSIS: char = '…';

/// A line of text, ready to be drawn at any size.
pub(super) struct Line {
    /// Text that the glyphs stand for.
    pub text: String,
    /// Pieces from left to right.
    pub runs: Vec<Run>,
    pub width: f32,
    /// Beginnings of clusters in the text with the width of what stands before them, in the order of the text.
    offsets: Vec<(usize, f32)>,
}

/// Piece of a line in one font.
pub(super) struct Run {
    pub face: FaceId,
    pub glyphs: Vec<KrillaGlyph>,
    pub width: f32,
}

/// Part of a text with one font and script, in the order of the text.
struct Segment {
    range: Range<usize>,
    face: FaceId,
    /// `None` while only signs of every script were seen.
    script: Option<Script>,
}

/// Makes lines with the fonts of a library.
pub(super) struct Shaper<'f> {
    library: &'f Library,
    faces: HashMap<FaceId, Option<rustybuzz::Face<'f>>>,
}

impl<'f> Shaper<'f> {
    /// Makes lines with these fonts.
    pub fn new(library: &'f Library) -> Self {
        Self { library, faces: HashMap::new() }
    }

    /// Fonts of the lines.
    pub fn library(&self) -> &'f Library {
        self.library
    }

    /// The text on one line, as wide as it is.
    pub fn line(&mut self, text: &str, is_bold: bool) -> Line {
        let text = self.drawable(text);
        let mut line = Line { text, runs: Vec::new(), width: 0.0, offsets: Vec::new() };
        for (segment, is_rtl) in self.visual_segments(&line.text, is_bold) {
            if let Some(run) = self.run(&line.text, &segment, is_rtl) {
                line.width += run.width;
                line.runs.push(run);
            }
        }
        line.offsets = offsets(&line.runs);
        line
    }

    /// The text on one line; what does not fit ends in an ellipsis.
    pub fn fit(&mut self, text: &str, is_bold: bool, max_width: f32) -> Line {
        let whole = self.line(text, is_bold);
        if whole.width <= max_width {
            return whole;
        }
        let room = max_width - self.line(&ELLIPSIS.to_string(), is_bold).width;
        let mut kept = whole.fitting(0, room);
        // Letters at the new end may be wider than they were within the text.
        loop {
            let start = whole.text.get(..kept).unwrap_or_default();
            let cut = self.line(&format!("{}{ELLIPSIS}", start.trim_end()), is_bold);
            if cut.width <= max_width || start.is_empty() {
                return cut;
            }
            kept = start.grapheme_indices(true).next_back().map_or(0, |(at, _)| at);
        }
    }

    /// The text on as many lines as it needs, at most `max_lines`; what does not fit ends in an ellipsis.
    pub fn wrap(&mut self, text: &str, is_bold: bool, max_width: f32, max_lines: usize) -> Vec<Line> {
        let whole = self.line(text, is_bold);
        if whole.width <= max_width {
            return vec![whole];
        }
        let (mut lines, mut rest) = (Vec::new(), 0);
        while lines.len() + 1 < max_lines {
            let end = whole.line_end(rest, max_width);
            let Some(part) = whole.text.get(rest..end).filter(|_| end < whole.text.len()) else { break };
            lines.push(self.line(part.trim(), is_bold));
            rest = end;
        }
        let last = whole.text.get(rest..).unwrap_or_default();
        lines.push(self.fit(last.trim(), is_bold, max_width));
        lines
    }

    /// The text with a box for each character that no font has.
    fn drawable(&self, text: &str) -> String {
        let text = visible(text);
        let han = han_variant(&text);
        let is_drawn = |c: char| is_ignorable(c) || self.library.find(c, false, han).is_some();
        text.chars().take(MAX_CHARS).map(|c| if is_drawn(c) { c } else { BOX }).collect()
    }

    /// Segments from left to right, each with its direction.
    fn visual_segments(&self, text: &str, is_bold: bool) -> Vec<(Segment, bool)> {
        let bidi = BidiInfo::new(text, None);
        let han = han_variant(text);
        let mut found = Vec::new();
        for paragraph in &bidi.paragraphs {
            let (levels, runs) = bidi.visual_runs(paragraph, paragraph.range.clone());
            for range in runs {
                let is_rtl = levels.get(range.start).is_some_and(unicode_bidi::Level::is_rtl);
                let mut segments = self.segments(text, range, is_bold, han);
                if is_rtl {
                    segments.reverse();
                }
                found.extend(segments.into_iter().map(|segment| (segment, is_rtl)));
            }
        }
        found
    }

    /// Segments of a part of the text, in its order.
    fn segments(&self, text: &str, range: Range<usize>, is_bold: bool, han: &str) -> Vec<Segment> {
        let (start, part) = (range.start, text.get(range).unwrap_or_default());
        let mut segments: Vec<Segment> = Vec::new();
        for (at, cluster) in part.grapheme_indices(true) {
            let face = self.face_of(cluster, segments.last().map(|last| last.face), is_bold, han);
            let script = cluster.chars().map(|c| c.script()).find(|script| !is_shared(*script));
            let end = start + at + cluster.len();
            match segments.last_mut() {
                Some(last) if last.face == face && is_compatible(last.script, script) => {
                    last.range.end = end;
                    last.script = last.script.or(script);
                }
                _ => segments.push(Segment { range: start + at..end, face, script }),
            }
        }
        segments
    }

    /// Face of a cluster. Signs of every script take the face of what stands before them.
    fn face_of(&self, cluster: &str, before: Option<FaceId>, is_bold: bool, han: &str) -> FaceId {
        let base = cluster.chars().find(|c| !is_ignorable(*c)).unwrap_or(' ');
        if is_emoji(base, cluster)
            && let Some(emoji) = self.library.emoji(base)
        {
            return emoji;
        }
        let before = before.filter(|face| !self.library.is_emoji(*face) && self.library.covers(*face, base));
        before
            .filter(|_| is_shared(base.script()))
            .or_else(|| self.library.find(base, is_bold, han))
            .unwrap_or_else(|| self.library.main(is_bold))
    }

    fn run(&mut self, text: &str, segment: &Segment, is_rtl: bool) -> Option<Run> {
        let face = self.face(segment.face)?;
        let scale = 1.0 / face.units_per_em().max(1) as f32;
        let part = text.get(segment.range.clone())?;
        let mut buffer = UnicodeBuffer::new();
        buffer.push_str(part);
        buffer.set_direction(if is_rtl { Direction::RightToLeft } else { Direction::LeftToRight });
        let shaped = rustybuzz::shape(face, &[], buffer);
        let infos = shaped.glyph_infos();
        let mut starts: Vec<usize> = infos.iter().map(|info| info.cluster as usize).collect();
        starts.sort_unstable();
        let mut run = Run { face: segment.face, glyphs: Vec::with_capacity(infos.len()), width: 0.0 };
        for (info, position) in infos.iter().zip(shaped.glyph_positions()) {
            let start = info.cluster as usize;
            let end =
                starts.get(starts.partition_point(|other| *other <= start)).copied().unwrap_or(part.len());
            let length = |units: i32| units as f32 * scale;
            run.width += length(position.x_advance);
            run.glyphs.push(KrillaGlyph::new(
                GlyphId::new(info.glyph_id),
                length(position.x_advance),
                length(position.x_offset),
                length(position.y_offset),
                length(position.y_advance),
                segment.range.start + start..segment.range.start + end,
                None,
            ));
        }
        Some(run)
    }

    fn face(&mut self, id: FaceId) -> Option<&rustybuzz::Face<'f>> {
        let library = self.library;
        let read = || {
            let face = library.face(id)?;
            rustybuzz::Face::from_slice((*face.data).as_ref(), face.index)
        };
        self.faces.entry(id).or_insert_with(read).as_ref()
    }
}

impl Line {
    /// Width of the text before a place.
    fn offset(&self, at: usize) -> f32 {
        let after = self.offsets.partition_point(|(start, _)| *start < at);
        self.offsets.get(after).map_or(self.width, |(_, width)| *width)
    }

    /// End of the longest part from `start` on that is not wider, at a border between characters.
    fn fitting(&self, start: usize, max_width: f32) -> usize {
        let part = self.text.get(start..).unwrap_or_default();
        let ends = part.grapheme_indices(true).map(|(at, cluster)| start + at + cluster.len());
        ends.take_while(|end| self.offset(*end) - self.offset(start) <= max_width).last().unwrap_or(start)
    }

    /// End of the line that begins at `start`: after a word, or within a word that is wider than the line.
    fn line_end(&self, start: usize, max_width: f32) -> usize {
        let part = self.text.get(start..).unwrap_or_default();
        let mut best = start;
        for (at, word) in part.split_word_bound_indices() {
            let end = start + at + word.trim_end().len();
            if self.offset(end) - self.offset(start) > max_width {
                break;
            }
            best = start + at + word.len();
        }
        if best > start {
            return best;
        }
        let first = part.graphemes(true).next().map_or(0, str::len);
        self.fitting(start, max_width).max(start + first)
    }
}

/// Beginnings of clusters with the width before each, in the order of the text.
fn offsets(runs: &[Run]) -> Vec<(usize, f32)> {
    let mut clusters: Vec<(usize, f32)> = Vec::new();
    for glyph in runs.iter().flat_map(|run| &run.glyphs) {
        clusters.push((glyph.text_range.start, glyph.x_advance));
    }
    clusters.sort_by_key(|(start, _)| *start);
    let mut before = 0.0;
    for (_, width) in &mut clusters {
        before += std::mem::replace(width, before);
    }
    clusters.dedup_by_key(|(start, _)| *start);
    clusters
}

/// True for scripts of signs that every script uses.
fn is_shared(script: Script) -> bool {
    matches!(script, Script::Common | Script::Inherited | Script::Unknown)
}

fn is_compatible(one: Option<Script>, other: Option<Script>) -> bool {
    one.is_none() || other.is_none() || one == other
}

/// True for joiners and selectors, which change others and are not drawn.
fn is_ignorable(c: char) -> bool {
    matches!(
        c,
        '\u{200C}' | '\u{200D}' | '\u{34F}' | '\u{FE00}'..='\u{FE0F}' | '\u{E0020}'..='\u{E007F}'
            | '\u{E0100}'..='\u{E01EF}'
    )
}

/// True for a cluster that is drawn in colours unless the text asks otherwise.
fn is_emoji(base: char, cluster: &str) -> bool {
    let is_coloured = matches!(
        base.emoji_status(),
        EmojiStatus::EmojiPresentation
            | EmojiStatus::EmojiPresentationAndModifierBase
            | EmojiStatus::EmojiPresentationAndEmojiComponent
            | EmojiStatus::EmojiPresentationAndModifierAndEmojiComponent
    );
    let is_selected = cluster.contains('\u{FE0F}') && base.is_emoji_char();
    is_selected || (is_coloured && !cluster.contains('\u{FE0E}'))
}
