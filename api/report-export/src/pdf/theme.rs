//! Sizes and colours of the document. Lengths are points, from the upper left corner of an A4 page.

/// Red, green and blue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Color(pub u8, pub u8, pub u8);

pub(super) const PAGE_WIDTH: f32 = 595.0;
pub(super) const PAGE_HEIGHT: f32 = 842.0;
/// Space around the content.
pub(super) const MARGIN: f32 = 44.0;
pub(super) const CONTENT_WIDTH: f32 = PAGE_WIDTH - 2.0 * MARGIN;
/// End of the content above the page's number.
pub(super) const CONTENT_BOTTOM: f32 = PAGE_HEIGHT - 56.0;
/// Base line of the page's number.
pub(super) const FOOT: f32 = PAGE_HEIGHT - 28.0;

pub(super) const INK: Color = Color(23, 27, 36);
pub(super) const MUTED: Color = Color(96, 104, 120);
pub(super) const FAINT: Color = Color(222, 226, 233);
pub(super) const PANEL: Color = Color(245, 246, 249);
pub(super) const ACCENT: Color = Color(74, 85, 214);
/// Line of all platforms together.
pub(super) const ALL_VIEWERS: Color = Color(31, 41, 60);
pub(super) const MESSAGES: Color = Color(15, 118, 110);
/// Moments of the chart.
pub(super) const MARKER: Color = Color(180, 83, 9);

/// Colour of a platform's line.
pub(super) fn platform_color(platform: &str) -> Color {
    match platform {
        "twitch" => Color(145, 70, 255),
        "youtube" => Color(214, 40, 40),
        "kick" => Color(46, 154, 22),
        "trovo" => Color(25, 140, 160),
        _ => Color(120, 120, 60),
    }
}
