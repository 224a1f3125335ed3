//! Pages as PDF.

use std::collections::HashMap;

use krilla::{
    Document, SerializeSettings,
    color::rgb,
    geom::{Path, PathBuilder, Point, Rect},
    metadata::Metadata,
    num::NormalizedF32,
    page::PageSettings,
    paint::{Fill, FillRule, LineCap, LineJoin, Stroke, StrokeDash},
    surface::Surface,
    text::Font,
};

use super::{
    paper::{Area, Mark, Points},
    shape::{Line, Shaper},
    theme::{CONTENT_WIDTH, Color, FOOT, MARGIN, MUTED, PAGE_HEIGHT, PAGE_WIDTH},
};
use crate::{
    Failure,
    fonts::{FaceId, Library},
};

const FOOT_SIZE: f32 = 8.0;

/// Writes the pages with their numbers; `foot` is at the bottom of each.
pub(super) fn write(
    pages: Vec<Vec<Mark>>,
    shaper: &mut Shaper<'_>,
    title: &str,
    foot: &str,
) -> Result<Vec<u8>, Failure> {
    let settings = SerializeSettings { enable_tagging: false, ..SerializeSettings::default() };
    let mut document = Document::new_with(settings);
    let mut fonts = Fonts { library: shaper.library(), known: HashMap::new() };
    let count = pages.len();
    for (at, marks) in pages.iter().enumerate() {
        let size = PageSettings::from_wh(PAGE_WIDTH, PAGE_HEIGHT).ok_or("a page has no size")?;
        let mut page = document.start_page_with(size);
        let mut surface = page.surface();
        for mark in marks {
            draw(&mut surface, mark, &mut fonts)?;
        }
        let foot = shaper.fit(foot, false, CONTENT_WIDTH / FOOT_SIZE / 2.0);
        draw_line(&mut surface, &foot, (MARGIN, FOOT), FOOT_SIZE, MUTED, &mut fonts)?;
        let number = shaper.line(&format!("{} / {count}", at + 1), false);
        let x = MARGIN + CONTENT_WIDTH - number.width * FOOT_SIZE;
        draw_line(&mut surface, &number, (x, FOOT), FOOT_SIZE, MUTED, &mut fonts)?;
        surface.finish();
        page.finish();
    }
    let metadata =
        Metadata::new().title(title.to_owned()).creator("Lumio".to_owned()).language("en".to_owned());
    document.set_metadata(metadata);
    document.finish().map_err(|error| error.to_string())
}

/// Fonts of the document.
struct Fonts<'f> {
    library: &'f Library,
    known: HashMap<FaceId, Font>,
}

impl Fonts<'_> {
    fn get(&mut self, id: FaceId) -> Result<Font, Failure> {
        if let Some(font) = self.known.get(&id) {
            return Ok(font.clone());
        }
        let face = self.library.face(id).ok_or("a face is missing")?;
        let font = Font::new(face.data.clone().into(), face.index).ok_or("a font cannot be read")?;
        self.known.insert(id, font.clone());
        Ok(font)
    }
}

fn draw(surface: &mut Surface<'_>, mark: &Mark, fonts: &mut Fonts<'_>) -> Result<(), Failure> {
    match mark {
        Mark::Text { line, at, size, color, clip } => {
            let clip = clip.as_ref().and_then(rectangle);
            if let Some(clip) = &clip {
                surface.push_clip_path(clip, &FillRule::NonZero);
            }
            let drawn = draw_line(surface, line, *at, *size, *color, fonts);
            // The surface must be as before, also after a failure.
            if clip.is_some() {
                surface.pop();
            }
            drawn?;
        }
        Mark::Fill { points, color, opacity } => {
            if let Some(path) = path(std::slice::from_ref(points), true) {
                surface.set_stroke(None);
                surface.set_fill(Some(fill(*color, *opacity)));
                surface.draw_path(&path);
            }
        }
        Mark::Stroke { parts, color, width, is_dashed } => {
            if let Some(path) = path(parts, false) {
                surface.set_fill(None);
                surface.set_stroke(Some(stroke(*color, *width, *is_dashed)));
                surface.draw_path(&path);
            }
        }
    }
    Ok(())
}

fn draw_line(
    surface: &mut Surface<'_>,
    line: &Line,
    (x, y): (f32, f32),
    size: f32,
    color: Color,
    fonts: &mut Fonts<'_>,
) -> Result<(), Failure> {
    surface.set_stroke(None);
    surface.set_fill(Some(fill(color, 1.0)));
    let mut x = x;
    for run in &line.runs {
        let font = fonts.get(run.face)?;
        surface.draw_glyphs(Point::from_xy(x, y), &run.glyphs, font, &line.text, size, false);
        x += run.width * size;
    }
    Ok(())
}

fn fill(color: Color, opacity: f32) -> Fill {
    let opacity = NormalizedF32::new(opacity).unwrap_or(NormalizedF32::ONE);
    Fill { paint: rgb::Color::new(color.0, color.1, color.2).into(), opacity, rule: FillRule::NonZero }
}

fn stroke(color: Color, width: f32, is_dashed: bool) -> Stroke {
    Stroke {
        paint: rgb::Color::new(color.0, color.1, color.2).into(),
        width,
        line_cap: LineCap::Butt,
        line_join: LineJoin::Round,
        dash: is_dashed.then(|| StrokeDash { array: vec![2.0, 2.0], offset: 0.0 }),
        ..Stroke::default()
    }
}

/// Path through the points of each part; `None` when there is nothing to draw.
fn path(parts: &[Points], is_closed: bool) -> Option<Path> {
    let mut builder = PathBuilder::new();
    for points in parts {
        for (at, (x, y)) in points.iter().enumerate() {
            if at == 0 {
                builder.move_to(*x, *y);
            } else {
                builder.line_to(*x, *y);
            }
        }
        if is_closed {
            builder.close();
        }
    }
    builder.finish()
}

fn rectangle(area: &Area) -> Option<Path> {
    let mut builder = PathBuilder::new();
    builder.push_rect(Rect::from_xywh(area.x, area.y, area.width, area.height)?);
    builder.finish()
}
