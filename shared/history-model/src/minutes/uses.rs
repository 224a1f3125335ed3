//! Emotes and animated pictures in a line of chat.

use live_model::{ChatMessage, FragmentKind};
use serde::Serialize;

/// Number of different emotes, and of different pictures, that count of one line.
const MAX_USES: usize = 50;
/// Length of an id and of a name, in bytes; longer ones do not count.
const MAX_LENGTH: usize = 100;
/// Length of an address of a picture, in bytes; longer ones do not count.
const MAX_URL_LENGTH: usize = 300;

/// Emote and the number of its uses in a line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct EmoteUse<'a> {
    /// Id of the provider.
    pub id: &'a str,
    /// Word that the emote replaces.
    pub name: &'a str,
    /// Provider: the slug of the platform.
    pub provider: &'a str,
    /// Uses in the line.
    pub count: i64,
}

/// Animated picture and the number of its uses in a line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct GifUse {
    /// Id of the provider.
    pub id: String,
    /// Address without query and fragment.
    pub url: String,
    /// `tenor` or `giphy`.
    pub provider: &'static str,
    /// Words of the address, where it has some.
    pub alt: Option<String>,
    /// Uses in the line.
    pub count: i64,
}

/// Returns the emotes of a line with their uses; `None` without any.
#[must_use]
pub fn emotes(message: &ChatMessage) -> Option<Vec<EmoteUse<'_>>> {
    let provider = message.platform.as_str();
    let parts = message.fragments.iter().filter(|fragment| fragment.kind == FragmentKind::Emote);
    let in_parts = parts.filter_map(|part| Some((part.emote_id.as_deref()?, part.text.as_str())));
    let mut uses: Vec<EmoteUse<'_>> = Vec::new();
    for (id, text) in in_parts {
        // A fragment may have the form of the platform; the list has the name.
        let known = message.emotes.iter().find(|emote| emote.id == id);
        let name = known.map_or(text, |emote| emote.name.as_str());
        add(&mut uses, EmoteUse { id, name, provider, count: 1 });
    }
    // Emotes without a fragment occur at least once.
    for emote in &message.emotes {
        if !uses.iter().any(|known| known.id == emote.id) {
            add(&mut uses, EmoteUse { id: &emote.id, name: &emote.name, provider, count: 1 });
        }
    }
    (!uses.is_empty()).then_some(uses)
}

fn add<'a>(uses: &mut Vec<EmoteUse<'a>>, new: EmoteUse<'a>) {
    if let Some(known) = uses.iter_mut().find(|known| known.id == new.id) {
        known.count += 1;
    } else if uses.len() < MAX_USES && is_short(new.id) && is_short(new.name) {
        uses.push(new);
    }
}

fn is_short(text: &str) -> bool {
    (1..=MAX_LENGTH).contains(&text.len())
}

/// Returns the animated pictures that a text links to, with their uses; `None` without any.
#[must_use]
pub fn gifs(text: &str) -> Option<Vec<GifUse>> {
    let mut uses: Vec<GifUse> = Vec::new();
    for new in text.split_whitespace().filter_map(gif) {
        if let Some(known) = uses.iter_mut().find(|known| known.is_same(&new)) {
            known.count += 1;
        } else if uses.len() < MAX_USES {
            uses.push(new);
        }
    }
    (!uses.is_empty()).then_some(uses)
}

/// Returns the addresses of animated pictures in a text, separated by spaces, and nothing else of it.
#[must_use]
pub fn gif_links(text: &str) -> String {
    let links: Vec<String> = text.split_whitespace().filter_map(gif).map(|gif| gif.url).collect();
    links.join(" ")
}

impl GifUse {
    fn is_same(&self, other: &Self) -> bool {
        self.provider == other.provider && self.id == other.id
    }
}

/// Reads a word that is the address of an animated picture.
fn gif(word: &str) -> Option<GifUse> {
    let rest = word.strip_prefix("https://").or_else(|| word.strip_prefix("http://"))?;
    let rest = rest.split(['?', '#']).next()?;
    let (host, path) = rest.split_once('/')?;
    if rest.len() > MAX_URL_LENGTH || !rest.bytes().all(is_allowed) {
        return None;
    }
    let host = host.to_ascii_lowercase();
    let segments: Vec<&str> = path.split('/').filter(|segment| !segment.is_empty()).collect();
    let (provider, id, alt) = match (host.strip_prefix("www.").unwrap_or(&host), segments.as_slice()) {
        // A segment before it names the language of the page.
        ("tenor.com", ["view", page] | [_, "view", page]) => of_page("tenor", page)?,
        ("giphy.com", ["gifs" | "stickers", page]) => of_page("giphy", page)?,
        ("media.tenor.com", [id, ..]) => ("tenor", (*id).to_owned(), None),
        // Newer addresses have one more segment before the id.
        ("media.giphy.com", ["media", id, _] | ["media", _, id, _]) => ("giphy", (*id).to_owned(), None),
        _ => return None,
    };
    (is_short(&id)).then(|| GifUse { id, url: format!("https://{host}/{path}"), provider, alt, count: 1 })
}

/// Reads `words-of-the-title-id`.
fn of_page(provider: &'static str, page: &str) -> Option<(&'static str, String, Option<String>)> {
    let (words, id) = page.rsplit_once('-').unwrap_or(("", page));
    let words = words.split('-').filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ");
    (!id.is_empty()).then(|| (provider, id.to_owned(), (!words.is_empty()).then_some(words)))
}

const fn is_allowed(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_' | b'/' | b'%' | b'~')
}

#[cfg(test)]
mod tests {
    use chrono::DateTime;
    use live_model::{Emote, Fragment};
    use uuid::Uuid;

    use super::*;

    fn message(fragments: Vec<Fragment>, emotes: Vec<Emote>) -> ChatMessage {
        ChatMessage {
            id: Uuid::nil(),
            account_id: Uuid::nil(),
            platform: "twitch".into(),
            platform_message_id: "m".into(),
            platform_user_id: "u".into(),
            username: "ada".into(),
            display_name: "Ada".into(),
            color: None,
            badges: Vec::new(),
            text: String::new(),
            fragments,
            emotes,
            reply_to: None,
            is_deleted: false,
            is_action: false,
            sent_at: DateTime::UNIX_EPOCH,
            forgets_user: false,
            counted_as: None,
        }
    }

    fn kappa() -> Emote {
        Emote { id: "25".into(), name: "Kappa".into() }
    }

    #[test]
    fn emotes_are_counted_by_their_fragments() {
        let parts =
            vec![Fragment::emote("Kappa", "25"), Fragment::text(" hi "), Fragment::emote("Kappa", "25")];
        let line = message(parts, vec![kappa()]);
        let expected = EmoteUse { id: "25", name: "Kappa", provider: "twitch", count: 2 };
        assert_eq!(emotes(&line), Some(vec![expected]));
        assert_eq!(emotes(&message(vec![Fragment::text("hi")], Vec::new())), None);
    }

    #[test]
    fn emotes_without_a_fragment_count_once_and_hostile_ones_never() {
        let long = Emote { id: "x".repeat(MAX_LENGTH + 1), name: "long".into() };
        let line = message(Vec::new(), vec![kappa(), long]);
        assert_eq!(emotes(&line).map(|uses| uses.len()), Some(1));
        let many: Vec<Emote> = (0..100).map(|id| Emote { id: id.to_string(), name: "e".into() }).collect();
        assert_eq!(emotes(&message(Vec::new(), many)).map(|uses| uses.len()), Some(MAX_USES));
    }

    #[test]
    fn emotes_survive_in_a_row_that_is_only_counted() {
        let parts =
            vec![Fragment::text("secret "), Fragment::emote("Kappa", "25"), Fragment::emote("Kappa", "25")];
        let row = message(parts, vec![kappa()]).counted_only(7, "");
        assert!(row.text.is_empty() && row.username.is_empty() && row.counted_as == Some(7));
        assert!(row.fragments.iter().all(|part| part.kind == FragmentKind::Emote));
        assert_eq!(emotes(&row).map(|uses| uses.iter().map(|one| one.count).sum::<i64>()), Some(2));
    }

    #[test]
    fn gifs_are_found_in_links_of_their_providers() {
        let read = |text: &str| gifs(text).map(|uses| uses.into_iter().next().unwrap());
        let tenor = read("see https://tenor.com/view/funny-cat-gif-12345?ref=me ok").unwrap();
        assert_eq!((tenor.id.as_str(), tenor.provider), ("12345", "tenor"));
        assert_eq!(tenor.url, "https://tenor.com/view/funny-cat-gif-12345");
        assert_eq!(tenor.alt.as_deref(), Some("funny cat gif"));
        assert_eq!(read("https://media.tenor.com/AbC_d/cat.gif").unwrap().id, "AbC_d");
        assert_eq!(read("https://tenor.com/de/view/katze-77").unwrap().id, "77");
        assert_eq!(read("https://giphy.com/gifs/cat-xT0").unwrap().id, "xT0");
        let media = read("HTTP https://media.giphy.com/media/xT0/giphy.gif").unwrap();
        assert_eq!((media.id.as_str(), media.provider, media.alt), ("xT0", "giphy", None));
        assert_eq!(read("https://media.giphy.com/media/v1.abc/xT0/giphy.gif").unwrap().id, "xT0");
    }

    #[test]
    fn gifs_ignore_other_links_and_hostile_ones() {
        let long = format!("https://tenor.com/view/{}-1", "a".repeat(MAX_URL_LENGTH));
        for text in [
            "tenor.com/view/cat-1",
            "https://tenor.com.evil.example/view/cat-1",
            "https://evil.example/tenor.com/view/cat-1",
            "https://tenor.com/view/<script>-1",
            "https://user@tenor.com/view/cat-1",
            "https://tenor.com/",
            "https://giphy.com/gifs/cat-",
            "javascript:https://tenor.com/view/cat-1",
            &long,
        ] {
            assert_eq!(gifs(text), None, "{text}");
        }
    }

    #[test]
    fn gif_links_keep_nothing_else_of_a_text() {
        let text = "hello https://tenor.com/view/cat-1 https://example.com https://tenor.com/view/cat-1";
        assert_eq!(gif_links(text), "https://tenor.com/view/cat-1 https://tenor.com/view/cat-1");
        assert_eq!(gifs(&gif_links(text)), gifs(text));
        assert_eq!(gif_links("secret"), "");
    }
}
