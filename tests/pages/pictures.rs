//! Pictures of the page: coverage by pixels, and comparison with committed pictures. The browser itself decodes them.
//! `LUMIO_UPDATE_PICTURES=1` writes the committed ones.

use std::{path::PathBuf, time::Duration};

use base64::{Engine, engine::general_purpose::STANDARD};
use lumio_tests::browser::Browser;
use serde_json::json;

/// Functions that read pictures. Cells are averages of squares, so that the shapes of letters do not matter.
const READ: &str = "const draw = async (data, width, height, [x, y, w, h]) => {
        const image = new Image();
        image.src = `data:image/png;base64,${data}`;
        await image.decode();
        const canvas = new OffscreenCanvas(width, height);
        const context = canvas.getContext('2d');
        context.imageSmoothingQuality = 'high';
        context.drawImage(image, x / 2, y / 2, w / 2, h / 2, 0, 0, width, height);
        return context.getImageData(0, 0, width, height).data;
    };";
/// Side of a compared cell in pixels of the page.
const CELL_SIZE: u32 = 60;
/// Largest difference of a colour in a cell that counts as equal, of 255.
const TOLERANCE: u32 = 40;
/// Largest share of cells that may differ: edges fall into cells differently.
const MAX_DIFFERING: f64 = 0.1;

/// Rectangle of the page: `x`, `y`, width, height.
pub type Place = (u32, u32, u32, u32);

/// Share of the pixels of a rectangle that are not transparent.
pub async fn coverage(browser: &mut Browser, (x, y, width, height): Place) -> f64 {
    let picture = browser.picture().await;
    let script = format!(
        "(async () => {{ {READ}
            const pixels = await draw({picture}, {w}, {h}, [{x}, {y}, {width}, {height}]);
            let drawn = 0;
            for (let at = 3; at < pixels.length; at += 4) if (pixels[at] > 8) drawn += 1;
            return drawn / (pixels.length / 4);
        }})()",
        picture = json!(picture),
        w = width / 2,
        h = height / 2,
    );
    browser.value(&script).await.as_f64().expect("a share")
}

/// Waits until a rectangle is covered by at least this share: animations take their time.
pub async fn until_covered(browser: &mut Browser, place: Place, share: f64) {
    lumio_tests::eventually("the pixels are drawn", async || coverage(browser, place).await >= share).await;
}

/// Asserts that these parts of the page look like those of the committed picture.
pub async fn compare(browser: &mut Browser, name: &str, parts: &[(&str, Place)]) {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(format!("pages/pictures/{name}.png"));
    if std::env::var("LUMIO_UPDATE_PICTURES").as_deref() == Ok("1") {
        let picture = STANDARD.decode(browser.picture().await).expect("Base64");
        std::fs::write(&path, picture).expect("the picture is written");
        return;
    }
    let expected = STANDARD.encode(std::fs::read(&path).expect("a committed picture"));
    // Animations end within a second.
    let mut different = Vec::new();
    for _ in 0..10 {
        let picture = browser.picture().await;
        different.clear();
        for (part, place) in parts {
            let share = difference(browser, &picture, &expected, *place).await;
            if share > MAX_DIFFERING {
                different.push(format!("{part}: {:.0} per cent of its cells", share * 100.0));
            }
        }
        if different.is_empty() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(500)).await;
    }
    let drawn = std::env::temp_dir().join(format!("lumio-{name}.png"));
    std::fs::write(&drawn, STANDARD.decode(browser.picture().await).expect("Base64")).expect("a file");
    panic!("{different:?} differ from {}, see {}", path.display(), drawn.display());
}

/// Share of the cells of a rectangle in which two pictures differ.
async fn difference(browser: &mut Browser, picture: &str, expected: &str, place: Place) -> f64 {
    let (x, y, width, height) = place;
    let (columns, rows) = (width / CELL_SIZE, height / CELL_SIZE);
    let script = format!(
        "(async () => {{ {READ}
            const [one, other] = await Promise.all([{picture}, {expected}]
                .map((data) => draw(data, {columns}, {rows}, [{x}, {y}, {width}, {height}])));
            let cells = 0;
            for (let at = 0; at < one.length; at += 4) {{
                const distance = [0, 1, 2, 3].map((channel) => {{
                    const weight = channel === 3 ? [1, 1] : [one[at + 3] / 255, other[at + 3] / 255];
                    return Math.abs(one[at + channel] * weight[0] - other[at + channel] * weight[1]);
                }});
                if (Math.max(...distance) > {TOLERANCE}) cells += 1;
            }}
            return cells / (one.length / 4);
        }})()",
        picture = json!(picture),
        expected = json!(expected),
    );
    browser.value(&script).await.as_f64().expect("a share")
}
