//! Inputs and results of handlers (reference/handlers.md#inputs-and-results).

use super::doc;

/// Interface with its fields: name, type and text.
pub(super) struct Interface {
    pub name: &'static str,
    /// Type parameters, or nothing.
    parameters: &'static str,
    description: &'static str,
    pub fields: &'static [(&'static str, &'static str, &'static str)],
}

pub(super) const INTERFACES: [Interface; 15] = [
    Interface {
        name: "Auth",
        parameters: "",
        description: "Caller of a handler.",
        fields: &[
            ("surface", "Surface", "Place that the call comes from."),
            (
                "role",
                "\"owner\" | \"editor\" | \"viewer\" | \"anonymous\"",
                "Rights of the caller in the account.",
            ),
            ("accountId", "string", ""),
            ("installId", "string", ""),
            ("userId", "string | null", "Person of Lumio; null for chatters and automations."),
            ("platformUserId", "string | null", "Platform's id of the chatter."),
            ("platformUserName", "string | null", "Displayed name of the chatter."),
        ],
    },
    Interface {
        name: "Chatter",
        parameters: "",
        description: "Person on a platform.",
        fields: &[
            ("id", "string", "Platform's id."),
            ("username", "string | null", ""),
            ("displayName", "string | null", ""),
            ("platform", "Platform | null", ""),
            ("roles", "Role[]", "Roles in the channel, highest first; none for events."),
            ("isModerator", "boolean", "True for broadcasters too."),
            ("isVip", "boolean", ""),
            ("isSubscriber", "boolean", ""),
            ("isFollower", "boolean", ""),
        ],
    },
    Interface {
        name: "Badge",
        parameters: "",
        description: "Badge beside a name.",
        fields: &[("id", "string", ""), ("version", "string", ""), ("info", "string | null", "")],
    },
    Interface {
        name: "Emote",
        parameters: "",
        description: "Emote in a message.",
        fields: &[("id", "string", ""), ("name", "string", "Word that it replaces.")],
    },
    Interface {
        name: "Message",
        parameters: "",
        description: "Chat message.",
        fields: &[
            ("id", "string", "Platform's id."),
            ("platform", "Platform", ""),
            ("channelId", "string | null", ""),
            ("text", "string", ""),
            ("user", "Chatter", ""),
            ("emotes", "Emote[]", ""),
            ("badges", "Badge[]", ""),
            ("isAction", "boolean", "True when written with `/me`."),
            ("replyTo", "string | null", "Platform's id of the message that it replies to."),
            ("sentAt", "string", "RFC 3339."),
        ],
    },
    Interface {
        name: "CommandInput",
        parameters: "",
        description: "Input of a command.",
        fields: &[
            ("trigger", "\"command\"", ""),
            ("command", "string", "Name of the command."),
            ("alias", "string | null", "Alias that was used; null when the name was."),
            ("args", "string[]", "Words after the name; at most 100."),
            ("argsText", "string", "Text after the name."),
            ("message", "Message", ""),
        ],
    },
    Interface {
        name: "KeywordInput",
        parameters: "",
        description: "Input of a keyword.",
        fields: &[
            ("trigger", "\"keyword\"", ""),
            ("value", "string", "Keyword."),
            ("groups", "never[]", ""),
            ("message", "Message", ""),
        ],
    },
    Interface {
        name: "PatternInput",
        parameters: "",
        description: "Input of a pattern.",
        fields: &[
            ("trigger", "\"pattern\"", ""),
            ("regex", "string", "Pattern."),
            ("groups", "(string | null)[]", "The whole match, then each group; null for one without part."),
            ("message", "Message", ""),
        ],
    },
    Interface {
        name: "ModerateInput",
        parameters: "",
        description: "Input of moderation.",
        fields: &[("trigger", "\"moderate\"", ""), ("message", "Message", "")],
    },
    Interface {
        name: "EventInput",
        parameters: "<Type extends EventType = EventType>",
        description: "Input of an event.",
        fields: &[("trigger", "\"event\"", ""), ("event", "AccountEvent<Type>", "")],
    },
    Interface {
        name: "AccountEvent",
        parameters: "<Type extends EventType = EventType>",
        description: "Event of the account.",
        fields: &[
            ("id", "string", ""),
            ("account_id", "string", ""),
            ("event_type", "Type", ""),
            ("platform", "string | null", ""),
            ("platform_user_id", "string | null", "Platform's id of the person who caused it."),
            ("username", "string | null", ""),
            ("display_name", "string | null", ""),
            ("avatar_url", "string | null", ""),
            ("amount", "number | null", "Bits, viewers, gifts, or minor units of `currency`."),
            ("currency", "string | null", "`bits`, `points` or three capital letters."),
            ("message", "string | null", "Text that the person sent with it."),
            ("data", "EventData[Type]", "Keys of the type."),
            ("is_test", "boolean", ""),
            ("occurred_at", "string", "RFC 3339."),
        ],
    },
    Interface {
        name: "TimerInput",
        parameters: "",
        description: "Input of a timer.",
        fields: &[
            ("trigger", "\"timer\"", ""),
            ("name", "string", "Name of the timer."),
            ("platform", "string", ""),
            ("run", "number", "Number of the run; it grows."),
        ],
    },
    Interface {
        name: "PollInput",
        parameters: "<State = any, Settings = any>",
        description: "Input of a trigger node that is polled.",
        fields: &[
            ("source", "\"poll\"", ""),
            ("state", "State | null", "State of the last call."),
            ("config", "Settings", "Settings of the node."),
        ],
    },
    Interface {
        name: "WebhookInput",
        parameters: "<State = any, Settings = any>",
        description: "Input of a trigger node that receives webhooks.",
        fields: &[
            ("source", "\"webhook\"", ""),
            ("body", "any", ""),
            ("headers", "{ [name: string]: string }", ""),
            ("state", "State | null", "State of the last call."),
            ("config", "Settings", "Settings of the node."),
        ],
    },
    Interface {
        name: "NodeInput",
        parameters: "<Settings = any, Payload = any>",
        description: "Input of an action or logic node.",
        fields: &[
            ("source", "\"automation\"", ""),
            ("automation_id", "string", ""),
            ("is_test", "boolean", ""),
            ("config", "Settings", "Settings of the node, with their templates filled in."),
            ("input", "Payload", "Payload of the automation's trigger."),
        ],
    },
];

pub(super) fn text() -> String {
    let mut text = String::new();
    for Interface { name, parameters, description, fields } in &INTERFACES {
        text.push_str(&doc("  ", description));
        text.push_str(&format!("  interface {name}{parameters} {{\n"));
        for (name, kind, description) in *fields {
            text.push_str(&doc("    ", description));
            text.push_str(&format!("    readonly {name}: {kind};\n"));
        }
        text.push_str("  }\n\n");
    }
    text
}
