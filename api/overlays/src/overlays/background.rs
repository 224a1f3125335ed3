//! Background of an overlay: a color that is safe within a style sheet (reference/overlays.md#overlays).

use api_core::{ApiError, Result};

/// Length of a background, in characters (reference/overlays.md#overlays).
pub(super) const MAX_BACKGROUND_LENGTH: usize = 64;
/// Background of an overlay that is created without one.
pub(super) const TRANSPARENT: &str = "transparent";

/// Color keywords of CSS.
const NAMES: &str = "aliceblue antiquewhite aqua aquamarine azure beige bisque black blanchedalmond blue \
    blueviolet brown burlywood cadetblue chartreuse chocolate coral cornflowerblue cornsilk crimson cyan \
    darkblue darkcyan darkgoldenrod darkgray darkgreen darkgrey darkkhaki darkmagenta darkolivegreen \
    darkorange darkorchid darkred darksalmon darkseagreen darkslateblue darkslategray darkslategrey \
    darkturquoise darkviolet deeppink deepskyblue dimgray dimgrey dodgerblue firebrick floralwhite \
    forestgreen fuchsia gainsboro ghostwhite gold goldenrod gray green greenyellow grey honeydew hotpink \
    indianred indigo ivory khaki lavender lavenderblush lawngreen lemonchiffon lightblue lightcoral lightcyan \
    lightgoldenrodyellow lightgray lightgreen lightgrey lightpink lightsalmon lightseagreen lightskyblue \
    lightslategray lightslategrey lightsteelblue lightyellow lime limegreen linen magenta maroon \
    mediumaquamarine mediumblue mediumorchid mediumpurple mediumseagreen mediumslateblue mediumspringgreen \
    mediumturquoise mediumvioletred midnightblue mintcream mistyrose moccasin navajowhite navy oldlace olive \
    olivedrab orange orangered orchid palegoldenrod palegreen paleturquoise palevioletred papayawhip \
    peachpuff peru pink plum powderblue purple rebeccapurple red rosybrown royalblue saddlebrown salmon \
    sandybrown seagreen seashell sienna silver skyblue slateblue slategray slategrey snow springgreen \
    steelblue tan teal thistle tomato transparent turquoise violet wheat white whitesmoke yellow yellowgreen";

/// Checks a background.
pub(super) fn checked(text: &str) -> Result<String> {
    let text = text.trim();
    if text.len() <= MAX_BACKGROUND_LENGTH && is_color(&text.to_ascii_lowercase()) {
        return Ok(text.to_owned());
    }
    Err(ApiError::invalid("background must be transparent or a CSS color"))
}

fn is_color(text: &str) -> bool {
    if let Some(digits) = text.strip_prefix('#') {
        return matches!(digits.len(), 3 | 4 | 6 | 8) && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    }
    match text.strip_suffix(')').and_then(|call| call.split_once('(')) {
        Some((function @ ("rgb" | "rgba" | "hsl" | "hsla"), arguments)) => {
            are_components(arguments, function.starts_with("hsl"))
        }
        Some(_) => false,
        None => NAMES.split_ascii_whitespace().any(|name| name == text),
    }
}

/// True for three components and an optional alpha, with commas, or with spaces and a slash.
fn are_components(arguments: &str, has_hue: bool) -> bool {
    let parts: Vec<&str> = if arguments.contains(',') {
        arguments.split(',').map(str::trim).collect()
    } else {
        match arguments.split_once('/') {
            Some((color, alpha)) => {
                let color: Vec<&str> = color.split_ascii_whitespace().collect();
                if color.len() != 3 {
                    return false;
                }
                [&color[..], &[alpha.trim()]].concat()
            }
            None => {
                let color: Vec<&str> = arguments.split_ascii_whitespace().collect();
                if color.len() != 3 {
                    return false;
                }
                color
            }
        }
    };
    matches!(parts.len(), 3 | 4)
        && parts.iter().enumerate().all(|(place, part)| match part.strip_suffix("deg") {
            Some(degrees) => has_hue && place == 0 && is_number(degrees),
            None => is_number(part.strip_suffix('%').unwrap_or(part)),
        })
}

/// True for a plain decimal number.
fn is_number(text: &str) -> bool {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, "0"));
    let are_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    are_digits(whole)
        && are_digits(fraction)
        && !fraction.is_empty()
        && (!whole.is_empty() || digits.starts_with('.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn background_is_a_color_of_css() {
        for color in [
            "transparent",
            "RebeccaPurple",
            "#abc",
            "#ABCD",
            "#aabbcc",
            "#aabbccdd",
            "rgb(1,2,3)",
            "rgb(1 2 3)",
            "rgba(1, 2, 3, 0.5)",
            "rgb(1 2 3 / 50%)",
            "hsl(120deg 100% 50% / .5)",
            "hsla(-10.5, 10%, 20%, 1)",
        ] {
            assert_eq!(checked(color).as_deref(), Ok(color));
        }
        assert_eq!(checked(" #abc ").as_deref(), Ok("#abc"));
    }

    #[test]
    fn background_cannot_leave_its_place_in_a_style() {
        for wrong in [
            "",
            "#",
            "#ab",
            "#abcde",
            "#ggg",
            "red;",
            "red}",
            "blurple",
            "inherit",
            "url(x)",
            "rgb()",
            "rgb(1,2)",
            "rgb(1,,3)",
            "rgb(1,2,3,4,5)",
            "rgb(1 2 3 4)",
            "rgb(1 2 / 3)",
            "rgb(1 2 3 / )",
            "rgb(1deg 2 3)",
            "rgb(1,2,3);color:red",
            "rgb(1,2,3)/*)",
            "rgb(var(--x),2,3)",
            "rgb(1.,2,3)",
            "rgb(1e3,2,3)",
            "rgb(calc(1),2,3)",
            "</style>",
            "#abc\u{0}",
        ] {
            assert!(checked(wrong).is_err(), "{wrong}");
        }
        assert!(checked(&format!("rgb(1,2,{}3)", "0".repeat(56))).is_err());
        assert!(checked(&format!("rgb(1,2,{}3)", "0".repeat(54))).is_ok());
    }
}
