//! The variables of a command's response (specification C B11.2).

use std::borrow::Cow;

/// What stands for the variables of a response.
#[derive(Debug, Clone, Copy)]
pub struct Values<'a> {
    /// `{user}`: the chatter's display name.
    pub user: &'a str,
    /// `{channel}`: the channel's display name.
    pub channel: &'a str,
    /// `{platform}`: the name of the platform.
    pub platform: &'a str,
    /// `{uptime}`: how long the stream is live, in words.
    pub uptime: &'a str,
    /// `{song}`: what is playing.
    pub song: &'a str,
    /// `{count}`: how often the command was used.
    pub count: i64,
}

/// Fills in the variables: `{user} {channel} {platform} {uptime} {song} {count} {random:a,b,c}`. Other text in braces
/// stays, and what a value holds is not looked at again. `seed` decides what `{random:…}` picks, so that the same line
/// is answered the same however often it is handled.
#[must_use]
pub fn expand(template: &str, values: &Values<'_>, mut seed: u64) -> String {
    let mut text = String::with_capacity(template.len());
    let mut rest = template;
    while let Some(open) = rest.find('{') {
        let (before, from_brace) = rest.split_at(open);
        text.push_str(before);
        let inside = from_brace[1..].split_once('}').filter(|(name, _)| !name.contains('{'));
        match inside.and_then(|(name, after)| Some((value(name, values, &mut seed)?, after))) {
            Some((value, after)) => {
                text.push_str(&value);
                rest = after;
            }
            None => {
                text.push('{');
                rest = &from_brace[1..];
            }
        }
    }
    text.push_str(rest);
    text
}

fn value<'a>(name: &'a str, values: &Values<'a>, seed: &mut u64) -> Option<Cow<'a, str>> {
    if let Some(choices) = name.strip_prefix("random:") {
        return Some(Cow::Borrowed(pick(choices, seed)));
    }
    Some(match name {
        "user" => Cow::Borrowed(values.user),
        "channel" => Cow::Borrowed(values.channel),
        "platform" => Cow::Borrowed(values.platform),
        "uptime" => Cow::Borrowed(values.uptime),
        "song" => Cow::Borrowed(values.song),
        "count" => Cow::Owned(values.count.to_string()),
        _ => return None,
    })
}

fn pick<'a>(choices: &'a str, seed: &mut u64) -> &'a str {
    let count = choices.split(',').count();
    let index = usize::try_from(next(seed) % count as u64).unwrap_or_default();
    choices.split(',').nth(index).unwrap_or_default().trim()
}

/// SplitMix64: each choice of a response is another one.
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
    fn every_variable_is_filled_in_once() {
        let all = "{user} {channel} {platform} {uptime} {song} {count}";
        assert_eq!(expand(all, &VALUES, 1), "Ada {count} Grace twitch 2h 5m nothing 7");
    }

    #[test]
    fn what_is_no_variable_stays() {
        for text in ["", "plain", "{", "}", "{}", "{nobody}", "{ user }", "{user", "a {{ b", "über {x} 漢字"]
        {
            assert_eq!(expand(text, &VALUES, 1), text);
        }
        assert_eq!(expand("{{count}}", &VALUES, 1), "{7}");
        assert_eq!(expand("{x {count}", &VALUES, 1), "{x 7");
    }

    #[test]
    fn random_picks_every_choice_and_the_same_for_the_same_seed() {
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
