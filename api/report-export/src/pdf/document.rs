//! Order of the document.

use history_model::report::Report;

use super::{
    cards,
    chart::{self, Chart, Curve},
    paper::{Area, Paper},
    series::Series,
    shape::Shaper,
    table,
    theme::{ACCENT, ALL_VIEWERS, CONTENT_WIDTH, INK, MARGIN, MESSAGES, MUTED, PAGE_WIDTH, platform_color},
    writer,
};
use crate::{
    Failure,
    content::{
        Content,
        figures::{date, platform_name},
    },
    fonts::Library,
    visible::visible,
};

const TITLE_SIZE: f32 = 20.0;
const TITLE_LINES: usize = 3;

/// Makes the document.
pub(super) fn render(report: &Report, series: &Series, library: &Library) -> Result<Vec<u8>, Failure> {
    let content = Content::of(report);
    let (mut paper, mut shaper) = (Paper::new(), Shaper::new(library));
    title(&mut paper, &mut shaper, &content);
    cards::draw(&mut paper, &mut shaper, &content.figures);
    chart::draw(&mut paper, &mut shaper, series, &viewers(report, series));
    chart::draw(&mut paper, &mut shaper, series, &messages(series));
    for table in &content.tables {
        table::draw(&mut paper, &mut shaper, table);
    }
    let foot = format!("Stream report · {}", date(report.session.started_at));
    writer::write(paper.into_pages(), &mut shaper, &visible(&content.title), &foot)
}

fn title(paper: &mut Paper, shaper: &mut Shaper<'_>, content: &Content) {
    const HEAD_SIZE: f32 = 8.0;
    const SUBTITLE_SIZE: f32 = 9.5;
    const LINE_HEIGHT: f32 = TITLE_SIZE * 1.3;
    paper.rectangle(Area { x: 0.0, y: 0.0, width: PAGE_WIDTH, height: 6.0 }, ACCENT);
    paper.text(shaper.line("STREAM REPORT", true), (MARGIN, paper.y + 2.0), HEAD_SIZE, ACCENT, None);
    paper.y += 12.0;
    for line in shaper.wrap(&content.title, true, CONTENT_WIDTH / TITLE_SIZE, TITLE_LINES) {
        let area = Area { x: MARGIN, y: paper.y, width: CONTENT_WIDTH, height: LINE_HEIGHT };
        paper.text(line, (MARGIN, paper.y + TITLE_SIZE), TITLE_SIZE, INK, Some(area));
        paper.y += LINE_HEIGHT;
    }
    let subtitles = shaper.wrap(&content.subtitle, false, CONTENT_WIDTH / SUBTITLE_SIZE, 2);
    for line in subtitles {
        let area = Area { x: MARGIN, y: paper.y, width: CONTENT_WIDTH, height: 14.0 };
        paper.text(line, (MARGIN, paper.y + 10.5), SUBTITLE_SIZE, MUTED, Some(area));
        paper.y += 14.0;
    }
    paper.y += 12.0;
}

/// A line for each platform, and one for all where there are several.
fn viewers<'r>(report: &'r Report, series: &Series) -> Chart<'r> {
    let platforms = series.viewers();
    let all = (platforms.len() > 1).then(|| Curve {
        name: "All platforms".to_owned(),
        color: ALL_VIEWERS,
        values: series.all_viewers(),
        width: 1.3,
    });
    let each = platforms.into_iter().map(|(platform, values)| Curve {
        name: platform_name(platform),
        color: platform_color(platform),
        values,
        width: 1.0,
    });
    let curves = all.into_iter().chain(each).collect();
    Chart { title: "Viewers", curves, is_filled: false, markers: &report.chart_markers }
}

fn messages(series: &Series) -> Chart<'static> {
    let values = series.messages();
    let has_values = values.iter().any(Option::is_some);
    let curve = Curve { name: "Messages per minute".to_owned(), color: MESSAGES, values, width: 1.0 };
    let curves = has_values.then_some(curve).into_iter().collect();
    Chart { title: "Messages by minute", curves, is_filled: true, markers: &[] }
}
