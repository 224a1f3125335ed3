//! Pages with what is drawn on them. They are written when their number is known.

use super::{
    shape::Line,
    theme::{CONTENT_BOTTOM, Color, MARGIN},
};

/// Rectangle: left, top, width, height.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Area {
    pub x: f32,
    pub y: f32,
    pub width: f32,
    pub height: f32,
}

/// Connected points.
pub(super) type Points = Vec<(f32, f32)>;

/// Something to draw.
pub(super) enum Mark {
    Text {
        line: Line,
        /// Beginning of the base line.
        at: (f32, f32),
        size: f32,
        color: Color,
        /// Nothing is drawn outside of it.
        clip: Option<Area>,
    },
    Fill {
        points: Points,
        color: Color,
        /// 1 covers what is below.
        opacity: f32,
    },
    Stroke {
        parts: Vec<Points>,
        color: Color,
        width: f32,
        is_dashed: bool,
    },
}

/// Pages, and the place on the last one where the next block begins.
pub(super) struct Paper {
    pages: Vec<Vec<Mark>>,
    pub y: f32,
}

impl Paper {
    /// Begins with an empty page.
    pub fn new() -> Self {
        Self { pages: vec![Vec::new()], y: MARGIN }
    }

    /// Begins a page unless this one has room for a block of that height.
    pub fn reserve(&mut self, height: f32) {
        if self.y + height > CONTENT_BOTTOM && self.y > MARGIN {
            self.pages.push(Vec::new());
            self.y = MARGIN;
        }
    }

    /// True when this page has no room for a block of that height.
    pub fn is_full(&self, height: f32) -> bool {
        self.y + height > CONTENT_BOTTOM
    }

    /// Draws a line of text from the beginning of its base line; nothing is drawn outside of `clip`.
    pub fn text(&mut self, line: Line, at: (f32, f32), size: f32, color: Color, clip: Option<Area>) {
        self.draw(Mark::Text { line, at, size, color, clip });
    }

    /// Fills a rectangle.
    pub fn rectangle(&mut self, area: Area, color: Color) {
        self.draw(Mark::Fill { points: area.corners(), color, opacity: 1.0 });
    }

    /// Draws a straight line.
    pub fn line(&mut self, from: (f32, f32), to: (f32, f32), color: Color, width: f32) {
        self.draw(Mark::Stroke { parts: vec![vec![from, to]], color, width, is_dashed: false });
    }

    /// Draws on the last page.
    pub fn draw(&mut self, mark: Mark) {
        if let Some(page) = self.pages.last_mut() {
            page.push(mark);
        }
    }

    /// Pages in their order.
    pub fn into_pages(self) -> Vec<Vec<Mark>> {
        self.pages
    }
}

impl Area {
    fn corners(self) -> Points {
        let (right, bottom) = (self.x + self.width, self.y + self.height);
        vec![(self.x, self.y), (right, self.y), (right, bottom), (self.x, bottom)]
    }
}
