//! Variables in a command's response (reference/bots.md#templates).

use std::borrow::Cow;

use shared::placeholders::{Piece, pieces};

/// Values of the variables.
#[derive(Debug, Clone, Copy)]
pub struct Values<'a> {
    /// `{user}`: the chatter's display name.
    pub user: &'a str,
    /// `{channel}`: the channel's display name.
    pub channel: &'a str,
    /// `{platform}`: the name of the platform.
    pub platform: &'a str,
    /// `{uptime}`: time that the stream is live, in words.
    pub uptime: &'a str,
    /// `{song}`: the song that plays.
    pub song: &'a str,
    /// `{count}`: uses of the command.
    pub count: i64,
}

/// Fills in the variables `{user} {channel} {platform} {uptime} {song} {count} {random:a,b,c}`. Other text in
/// braces stays. Values are not expanded again. `seed` decides the choices of `{random:…}`, so that a
/// repeated message gets the same response.
#[must_use]
pub fn expand(template: &str, values: &Values<'_>, seed: u64) -> String {
    fill(template, |name| values.of(name), seed)
}

/// Fills in the variables that `value` knows, and `{random:a,b,c}`, under the rules of [`expand`].
#[must_use]
pub fn fill<'a>(template: &'a str, value: impl Fn(&str) -> Option<Cow<'a, str>>, mut seed: u64) -> String {
    let mut text = String::with_capacity(template.len());
    for piece in pieces(template, "{", "}") {
        match piece {
            Piece::Text(plain) => text.push_str(plain),
            Piece::Placeholder { source, inside } => match inside.strip_prefix("random:") {
                Some(choices) => text.push_str(pick(choices, &mut seed)),
                None => text.push_str(value(inside).as_deref().unwrap_or(source)),
            },
        }
    }
    text
}

impl<'a> Values<'a> {
    fn of(&self, name: &str) -> Option<Cow<'a, str>> {
        Some(match name {
            "user" => Cow::Borrowed(self.user),
            "channel" => Cow::Borrowed(self.channel),
            "platform" => Cow::Borrowed(self.platform),
            "uptime" => Cow::Borrowed(self.uptime),
            "song" => Cow::Borrowed(self.song),
            "count" => Cow::Owned(self.count.to_string()),
            _ => return None,
        })
    }
}

fn pick<'a>(choices: &'a str, seed: &mut u64) -> &'a str {
    let count = choices.split(',').count();
    let index = usize::try_from(next(seed) % count as u64).unwrap_or_default();
    choices.split(',').nth(index).unwrap_or_default().trim()
}

/// SplitMix64, so that each choice of a response differs.
const fn next(seed: &mut u64) -> u64 {
    *seed = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut mixed = *seed;
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    const VALUES: Values<'_> = Values {
        user: "Ada {count}",
        channel: "Grace",
        platform: "twitch",
        uptime: "2h 5m",
        song: "nothing",
        count: 7,
    };

    #[test]
    fn template_expands_every_variable_once() {
        let all = "{user} {channel} {platform} {uptime} {song} {count}";
        assert_eq!(expand(all, &VALUES, 1), "Ada {count} Grace twitch 2h 5m nothing 7");
    }

    #[test]
    fn template_keeps_text_that_is_no_variable() {
        for text in ["", "plain", "{", "}", "{}", "{nobody}", "{ user }", "{user", "a {{ b", "über {x} 漢字"]
        {
            assert_eq!(expand(text, &VALUES, 1), text);
        }
        assert_eq!(expand("{{count}}", &VALUES, 1), "{7}");
        assert_eq!(expand("{x {count}", &VALUES, 1), "{x 7");
    }

    #[test]
    fn template_random_choice_is_determined_by_the_seed() {
        let picked = |seed| expand("{random: a, b ,c}", &VALUES, seed);
        let mut seen: Vec<String> = (0..64).map(picked).collect();
        assert_eq!(seen, (0..64).map(picked).collect::<Vec<_>>());
        seen.sort_unstable();
        seen.dedup();
        assert_eq!(seen, ["a", "b", "c"]);
        let twice: Vec<String> =
            (0..64).map(|seed| expand("{random:0,1}{random:0,1}", &VALUES, seed)).collect();
        assert!(twice.iter().any(|two| two == "01") && twice.iter().any(|two| two == "11"));
        assert_eq!(expand("{random:}", &VALUES, 1), "");
    }
}
