//! `channel.chat.message`.

use live_model::{Badge, Emote, Fragment, FragmentKind};

use super::{ChatLine, Unreadable, fields::Fields};

/// Frame around the text of a `/me` message.
const ACTION_START: &str = "\u{1}ACTION ";
const ACTION_END: char = '\u{1}';

pub(super) fn chat_line(event: &Fields<'_>) -> Result<ChatLine, Unreadable> {
    let message = event.object("message")?;
    let mut fragments: Vec<Fragment> = message.objects("fragments").iter().map(fragment).collect();
    let mut text = message.optional_text("text").unwrap_or_default();
    let is_action = strip_action(&mut text, &mut fragments);
    // Pages show the fragments and handlers read the text: both must agree.
    if fragments.iter().map(|fragment| fragment.text.as_str()).collect::<String>() != text {
        fragments = vec![Fragment::text(text.clone())];
    }
    Ok(ChatLine {
        message_id: event.text("message_id")?,
        user_id: event.text("chatter_user_id")?,
        username: event.text("chatter_user_login")?,
        display_name: event.text("chatter_user_name")?,
        color: event.optional_text("color"),
        badges: event.objects("badges").iter().filter_map(badge).collect(),
        emotes: emotes(&fragments),
        text,
        fragments,
        reply_to: event.optional_object("reply").and_then(|reply| reply.optional_text("parent_message_id")),
        is_action,
        is_from_elsewhere: is_from_elsewhere(event),
        // The payload has no time; the delivery's is the platform's.
        sent_at: None,
    })
}

fn is_from_elsewhere(event: &Fields<'_>) -> bool {
    let source = event.optional_text("source_broadcaster_user_id");
    source.is_some() && source != event.optional_text("broadcaster_user_id")
}

fn fragment(fragment: &Fields<'_>) -> Fragment {
    let text = fragment.optional_text("text").unwrap_or_default();
    let emote_id = fragment.optional_object("emote").and_then(|emote| emote.optional_text("id"));
    let user_id = fragment.optional_object("mention").and_then(|mention| mention.optional_text("user_id"));
    let bits = fragment.optional_object("cheermote").and_then(|cheermote| cheermote.number("bits"));
    let kind = match (&emote_id, &user_id, bits) {
        (Some(_), _, _) => FragmentKind::Emote,
        (_, Some(_), _) => FragmentKind::Mention,
        (_, _, Some(_)) => FragmentKind::Cheermote,
        _ => FragmentKind::Text,
    };
    Fragment { kind, text, emote_id, user_id, bits }
}

fn badge(badge: &Fields<'_>) -> Option<Badge> {
    Some(Badge {
        id: badge.optional_text("set_id")?,
        version: badge.optional_text("id").unwrap_or_default(),
        info: badge.optional_text("info"),
    })
}

/// Returns each emote once, in the order of first occurrence.
fn emotes(fragments: &[Fragment]) -> Vec<Emote> {
    let mut emotes: Vec<Emote> = Vec::new();
    for fragment in fragments {
        if let Some(id) = &fragment.emote_id
            && !emotes.iter().any(|known| known.id == *id)
        {
            emotes.push(Emote { id: id.clone(), name: fragment.text.clone() });
        }
    }
    emotes
}

fn strip_action(text: &mut String, fragments: &mut [Fragment]) -> bool {
    let Some(inner) = text.strip_prefix(ACTION_START) else { return false };
    *text = inner.trim_end_matches(ACTION_END).to_owned();
    if let Some(first) = fragments.first_mut() {
        first.text = first.text.strip_prefix(ACTION_START).unwrap_or(&first.text).to_owned();
    }
    if let Some(last) = fragments.last_mut() {
        last.text = last.text.trim_end_matches(ACTION_END).to_owned();
    }
    true
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    /// Returns the documented example, with an emote, a mention, a cheermote and a reply.
    fn documented() -> Value {
        json!({
            "broadcaster_user_id": "1971641", "broadcaster_user_login": "streamer", "broadcaster_user_name": "streamer",
            "chatter_user_id": "4145994", "chatter_user_login": "viptest", "chatter_user_name": "VIPtest",
            "message_id": "cc106a89-1814-919d-454c-f4f2f970aae7",
            "message": {
                "text": "@Streamer Hi Kappa Cheer100 Kappa",
                "fragments": [
                    { "type": "mention", "text": "@Streamer", "cheermote": null, "emote": null,
                      "mention": { "user_id": "1971641", "user_login": "streamer", "user_name": "Streamer" } },
                    { "type": "text", "text": " Hi ", "cheermote": null, "emote": null, "mention": null },
                    { "type": "emote", "text": "Kappa", "cheermote": null, "mention": null,
                      "emote": { "id": "25", "emote_set_id": "0", "owner_id": "0", "format": ["static"] } },
                    { "type": "text", "text": " ", "cheermote": null, "emote": null, "mention": null },
                    { "type": "cheermote", "text": "Cheer100", "emote": null, "mention": null,
                      "cheermote": { "prefix": "cheer", "bits": 100, "tier": 100 } },
                    { "type": "text", "text": " ", "cheermote": null, "emote": null, "mention": null },
                    { "type": "emote", "text": "Kappa", "cheermote": null, "mention": null,
                      "emote": { "id": "25", "emote_set_id": "0", "owner_id": "0", "format": ["static"] } },
                ],
            },
            "color": "#00FF7F",
            "badges": [
                { "set_id": "moderator", "id": "1", "info": "" },
                { "set_id": "subscriber", "id": "12", "info": "16" },
            ],
            "message_type": "text", "cheer": { "bits": 100 },
            "reply": { "parent_message_id": "p1", "parent_message_body": "?", "thread_message_id": "p1" },
            "channel_points_custom_reward_id": null,
            "source_broadcaster_user_id": null, "source_message_id": null, "source_badges": null,
        })
    }

    fn read(event: &Value) -> ChatLine {
        chat_line(&Fields::of(event, "event").unwrap()).unwrap()
    }

    #[test]
    fn twitch_chat_reads_every_part_of_a_message() {
        let line = read(&documented());
        assert_eq!(line.message_id, "cc106a89-1814-919d-454c-f4f2f970aae7");
        assert_eq!(
            (line.user_id.as_str(), line.username.as_str(), line.display_name.as_str()),
            ("4145994", "viptest", "VIPtest")
        );
        assert_eq!((line.color.as_deref(), line.reply_to.as_deref()), (Some("#00FF7F"), Some("p1")));
        assert_eq!(
            line.badges,
            [
                Badge { id: "moderator".into(), version: "1".into(), info: None },
                Badge { id: "subscriber".into(), version: "12".into(), info: Some("16".into()) },
            ]
        );
        assert_eq!(line.emotes, [Emote { id: "25".into(), name: "Kappa".into() }]);
        let kinds: Vec<_> = line.fragments.iter().map(|fragment| fragment.kind).collect();
        use FragmentKind::{Cheermote, Emote as EmoteKind, Mention, Text};
        assert_eq!(kinds, [Mention, Text, EmoteKind, Text, Cheermote, Text, EmoteKind]);
        assert_eq!(
            (line.fragments[0].user_id.as_deref(), line.fragments[4].bits),
            (Some("1971641"), Some(100))
        );
        assert_eq!(
            line.fragments.iter().map(|fragment| fragment.text.as_str()).collect::<String>(),
            line.text
        );
        assert!(!line.is_action && !line.is_from_elsewhere);
    }

    #[test]
    fn twitch_chat_strips_the_marks_of_an_action() {
        let mut event = documented();
        event["message"] = json!({
            "text": "\u{1}ACTION waves\u{1}",
            "fragments": [{ "type": "text", "text": "\u{1}ACTION waves\u{1}" }],
        });
        let line = read(&event);
        assert!(line.is_action);
        assert_eq!((line.text.as_str(), line.fragments[0].text.as_str()), ("waves", "waves"));
    }

    #[test]
    fn twitch_chat_marks_lines_of_a_shared_chat() {
        let mut event = documented();
        event["source_broadcaster_user_id"] = json!("77");
        assert!(read(&event).is_from_elsewhere);
        event["source_broadcaster_user_id"] = json!("1971641");
        assert!(!read(&event).is_from_elsewhere);
    }

    #[test]
    fn twitch_chat_reads_an_empty_color_as_none() {
        let mut event = documented();
        event["color"] = json!("");
        assert_eq!(read(&event).color, None);
    }

    #[test]
    fn twitch_chat_refuses_a_message_without_an_id() {
        let mut event = documented();
        event["message_id"] = Value::Null;
        let error = chat_line(&Fields::of(&event, "event").unwrap()).unwrap_err();
        assert_eq!(error.to_string(), "event has no message_id");
    }
}
