//! Descriptions of the arguments of root fields, which have no comment in the code.

use arcstr::ArcStr;
use juniper::{
    Registry,
    meta::{Argument, Field, MetaType},
};

/// Descriptions by argument, for fields whose argument of that name has another meaning than elsewhere.
const OF_FIELDS: [(&str, &str, &str); 13] = [
    ("createIdeaTag", "name", "Name of the tag: 2 to 30 characters of `a-z`, `0-9` and `-`."),
    ("dryRunAutomation", "input", "Payload of the trigger."),
    ("executeAutomation", "input", "Payload of the trigger."),
    ("extensionErrors", "before", "Id of an error: only those before it. Not with `offset`."),
    ("extensionInstallLogs", "before", "Id of a line: only those before it. Not with `offset`."),
    ("runNotificationAction", "key", "Key of the action."),
    ("updateAutomationEdges", "version", "Version of the automation that the caller has seen."),
    ("updateAutomationGraph", "version", "Version of the automation that the caller has seen."),
    ("updateAutomationNodes", "version", "Version of the automation that the caller has seen."),
    ("updateIdeaComment", "body", "New text of the comment."),
    ("updateIdeaStatus", "status", "New status."),
    ("updateNotificationPreference", "channel", "Way on which notifications reach the person."),
    ("updateOverlayLayers", "version", "Version of the overlay that the caller has seen. Absent: any."),
];

/// Descriptions by name, for every other field.
const NAMES: [(&str, &str); 81] = [
    ("accountId", "Id of an account."),
    ("after", "Last account of the page before."),
    ("archiveId", "Id of an archive of the account."),
    ("artist", "Artist of the song."),
    ("automationId", "Id of an automation."),
    ("awaitsListing", "True for versions that wait to be listed, false for the others; all when absent."),
    ("before", "Id of a notification: only older ones."),
    ("broadcastId", "The platform's id of a broadcast."),
    ("channel", "The platform's id or the login of a channel."),
    ("channelId", "The platform's id of a channel."),
    ("code", "Code of an invite or a coupon."),
    ("cursor", "`nextCursor` of the page before. Not with `page`."),
    ("deliveryId", "Id of a delivery of a webhook."),
    ("directive", "Directive, for example `script-src`; every directive when absent."),
    ("edges", "All edges of the graph."),
    ("endpointId", "Id of a webhook endpoint."),
    ("event", "Keys of an event that starts the dry run."),
    ("eventId", "Event of the account that happened."),
    ("eventType", "Type of an event; every type when absent."),
    ("extensionId", "Id of an extension."),
    ("featureId", "Id of a feature flag."),
    ("from", "Beginning of the period; 365 days before its end when absent."),
    ("function", "Name of a function that the extension exports."),
    ("gameId", "The platform's id of a game."),
    ("granted", "True grants the permission, false denies it."),
    ("id", "Id of the object that the operation is about."),
    ("ideaId", "Id of an idea."),
    ("installId", "Id of an install of an extension."),
    ("inviteId", "Id of an invite."),
    ("isActive", "True for active ones, false for the others; all when absent."),
    ("isrc", "International code of the recording (ISRC)."),
    ("key", "Name of a secret."),
    ("label", "New name, 1 to 100 characters."),
    ("layerId", "Id of a layer."),
    ("layers", "All layers, from back to front."),
    ("limit", "Largest number of entries."),
    ("loginConnectionId", "Id of a login connection."),
    ("memberId", "Id of a member of the team."),
    ("membershipId", "Id of a membership: one person in one account."),
    ("name", "Name of a bot module."),
    ("nodes", "All nodes of the graph."),
    ("notificationType", "Type of notifications."),
    ("offset", "Number of entries to skip."),
    ("operation", "Name of an operation."),
    ("overlayId", "Id of an overlay."),
    ("page", "Number of the page, from 1."),
    ("password", "Password of the shared link, where it has one."),
    ("permission", "Permission, `resource:action`."),
    ("planId", "Id of a plan."),
    ("platform", "Platform by its name in lower case, such as `twitch`."),
    ("platformUserId", "The platform's id of a user."),
    ("platforms", "Only users of these platforms."),
    ("position", "Position in the list, from 0."),
    ("provider", "Provider of logins by its name in lower case, such as `twitch`."),
    ("q", "Text to search for."),
    ("query", "Text to search for."),
    ("reason", "Reason of the change, for the audit log."),
    ("reconnectRequired", "New value of the flag; false when absent. True is for staff only."),
    ("reportId", "Id of a report of a stream."),
    ("returnTo", "Address to return to after the authorization."),
    ("reviewId", "Id of a review."),
    ("rid", "Id of a role of the team."),
    ("roleId", "Id of a role."),
    ("runId", "Id of a run of an automation."),
    ("search", "Text that the entries contain or begin with, in any case."),
    ("since", "Only entries at or after this time."),
    ("slug", "Slug of a profile."),
    ("spotifyTrackId", "Spotify's id of a track."),
    ("status", "Only entries in this state; every state when absent."),
    ("subject", "Person or key whose access is explained; the caller when absent."),
    ("teamId", "Team of developers that is paid; the caller when absent."),
    ("title", "Title of the song."),
    ("to", "End of the period, which is not part of it; now when absent."),
    ("token", "Token of a shared link."),
    ("triggerNodeId", "Trigger node that starts; the first manual one when absent, else the first one."),
    ("type", "Name of a system widget, or slug of an extension; every type when absent."),
    ("unread", "True: unread notifications only."),
    ("url", "Address of a track: `https://open.spotify.com/track/…` or `spotify:track:…`."),
    ("userId", "Id of a person."),
    ("version", "Version: three numbers with dots between them."),
    ("widgetId", "Id of a widget."),
];

/// Adds a description to every argument without one: by its field, its name or its type.
pub fn describe<S>(field: &mut Field<S>, registry: &Registry<S>) {
    let name = field.name.clone();
    for argument in field.arguments.iter_mut().flatten() {
        if argument.description.is_none() {
            argument.description = of_argument(&name, argument, registry);
        }
    }
}

fn of_argument<S>(field: &str, argument: &Argument<S>, registry: &Registry<S>) -> Option<ArcStr> {
    let of_field = OF_FIELDS.iter().find(|(known, name, _)| *known == field && *name == argument.name);
    let of_name = || NAMES.iter().find(|(known, _)| *known == argument.name).map(|(_, text)| *text);
    let text = of_field.map(|(.., text)| *text).or_else(of_name);
    text.map(ArcStr::from).or_else(|| {
        let named = registry.types.get(argument.arg_type.innermost_name());
        named.and_then(MetaType::description).cloned()
    })
}
