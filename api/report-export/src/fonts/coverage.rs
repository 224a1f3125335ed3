//! Characters that a font has glyphs for.

use rustybuzz::ttf_parser;

/// Ranges of code points, both ends included, by their beginning.
#[derive(Debug, Default)]
pub(super) struct Coverage(Vec<(u32, u32)>);

impl Coverage {
    /// Coverage of a face; nothing of one that cannot be read.
    pub fn of(data: &[u8], index: u32) -> Self {
        let Ok(face) = ttf_parser::Face::parse(data, index) else { return Self::default() };
        let mut points = Vec::new();
        for table in face.tables().cmap.iter().flat_map(|cmap| cmap.subtables) {
            if table.is_unicode() {
                table.codepoints(|point| {
                    if table.glyph_index(point).is_some_and(|glyph| glyph.0 != 0) {
                        points.push(point);
                    }
                });
            }
        }
        points.sort_unstable();
        Self::of_sorted(&points)
    }

    fn of_sorted(points: &[u32]) -> Self {
        let mut ranges: Vec<(u32, u32)> = Vec::new();
        for point in points {
            match ranges.last_mut() {
                Some((_, end)) if *point <= end.saturating_add(1) => *end = *point,
                _ => ranges.push((*point, *point)),
            }
        }
        Self(ranges)
    }

    /// True when the face has a glyph for the character.
    pub fn contains(&self, c: char) -> bool {
        let point = u32::from(c);
        let after = self.0.partition_point(|(start, _)| *start <= point);
        after.checked_sub(1).and_then(|at| self.0.get(at)).is_some_and(|(_, end)| point <= *end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coverage_contains_its_points_only() {
        let coverage = Coverage::of_sorted(&[65, 66, 66, 67, 100]);
        assert_eq!(coverage.0, [(65, 67), (100, 100)]);
        for (c, is_covered) in
            [('@', false), ('A', true), ('C', true), ('D', false), ('d', true), ('e', false)]
        {
            assert_eq!(coverage.contains(c), is_covered, "{c}");
        }
        assert!(!Coverage::default().contains('A'));
    }
}
