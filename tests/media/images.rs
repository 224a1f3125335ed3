//! Images whose header states long sides (reference/media.md#types).

use lumio_tests::TestApp;

use super::{PNG, send, unclaimed_count, used};

const JPEG: &[u8] = include_bytes!("../fixtures/media/pixel.jpg");
const GIF: &[u8] = include_bytes!("../fixtures/media/pixel.gif");
const WEBP: &[u8] = include_bytes!("../fixtures/media/pixel.webp");
const AVIF: &[u8] = include_bytes!("../fixtures/media/pixel.avif");

/// The image with other bytes behind a mark and a number of bytes.
fn with(image: &[u8], mark: &[u8], behind: usize, bytes: &[u8]) -> Vec<u8> {
    let mark_at = image.windows(mark.len()).position(|window| window == mark);
    let from = mark_at.expect("the mark of the header") + mark.len() + behind;
    [&image[..from], bytes, &image[from + bytes.len()..]].concat()
}

/// The AVIF with one more item, which is smaller than 8,192 pixels a side and longer.
fn with_item(width: u32, height: u32) -> Vec<u8> {
    let square = with(AVIF, b"ispe", 4, &[8192_u32.to_be_bytes(), 8192_u32.to_be_bytes()].concat());
    // In the place of the bits of a pixel and the codec: the name, the version and flags, and the sides.
    let bytes = [*b"ispe", [0; 4], width.to_be_bytes(), height.to_be_bytes()].concat();
    let size = with(&square, b"ispe", 12, &28_u32.to_be_bytes());
    with(&size, b"ispe", 16, &bytes)
}

#[tokio::test]
async fn create_upload_refuses_long_sides_in_the_header_of_every_format() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let long = 100_000_u32.to_be_bytes();
    // Formats with sides of two bytes state the longest that they can.
    let longest = u16::MAX.to_be_bytes();
    for (name, content) in [
        ("wide.png", with(PNG, b"IHDR", 0, &long)),
        ("high.png", with(PNG, b"IHDR", 4, &long)),
        ("high.jpg", with(JPEG, b"\xff\xc0", 3, &longest)),
        ("wide.jpg", with(JPEG, b"\xff\xc0", 5, &longest)),
        ("wide.gif", with(GIF, b"GIF89a", 0, &longest)),
        ("high.gif", with(GIF, b"GIF89a", 2, &longest)),
        ("wide-frame.gif", with(GIF, b",", 4, &longest)),
        ("high-frame.gif", with(GIF, b",", 6, &longest)),
        ("wide.webp", with(WEBP, b"\x9d\x01\x2a", 0, &[0xff, 0x3f])),
        ("wide.avif", with(AVIF, b"ispe", 4, &long)),
        ("high.avif", with(AVIF, b"ispe", 8, &long)),
        ("wide-item.avif", with_item(100_000, 1)),
    ] {
        let fields = [("purpose", None, b"other".as_slice()), ("file", Some(name), content.as_slice())];
        let refused = send(&owner, "/v1/uploads", &fields).await;
        assert_eq!(refused.status, 400, "{name}: {}", refused.text);
        refused.refused("VALIDATION_ERROR", "file must be an image of 1 to 8192 pixels a side");
    }
    assert_eq!((used(&app, owner.account_id).await, unclaimed_count(&app).await), (0, 0));
    app.stop().await;
}
