//! Subscriptions of a session.

use diesel::{insert_into, prelude::*};
use diesel_async::RunQueryDsl;
use platform_credentials::tokens::{Holder, Unavailable};
use platforms::{PlatformError, twitch::EventSubTopic};
use shared::schema::webhook_subscriptions;

use super::super::{Interruption, Reader};

/// Subscribes to every topic, with the channel's own token. Topics without a grant are recorded and skipped.
///
/// # Errors
/// An unavailable Twitch, or no topic that it delivers.
pub(super) async fn subscribe(reader: &Reader, session_id: &str) -> Result<(), Interruption> {
    let mut made = 0;
    for topic in EventSubTopic::all_of(&reader.channel.channel_id) {
        let (id, refusal) = match ask(reader, session_id, &topic).await {
            Ok(id) => (Some(id), None),
            Err(Unavailable::Platform(PlatformError::Conflict { .. })) => (None, None),
            Err(Unavailable::Platform(
                PlatformError::Rejected { message } | PlatformError::Forbidden { message },
            )) => (None, Some(message)),
            Err(error) => return Err(error.into()),
        };
        made += usize::from(refusal.is_none());
        note(reader, topic.subscription_type(), id, refusal).await?;
    }
    if made == 0 {
        return Err(Interruption::Refused("Twitch delivers nothing of the channel".into()));
    }
    Ok(())
}

async fn ask(reader: &Reader, session_id: &str, topic: &EventSubTopic) -> Result<String, Unavailable> {
    let (context, channel) = (&reader.context, &reader.channel);
    let twitch = context.platforms.twitch();
    let made = context
        .tokens
        .call(Holder::Channel(channel.connection_id), |access| async move {
            let client_id = access.client_id.as_deref();
            twitch.create_eventsub_socket_subscription(client_id, &access.token, topic, session_id).await
        })
        .await?;
    Ok(made.id)
}

/// Records Twitch's reply. The records of a disconnected channel are deleted with it.
async fn note(
    reader: &Reader,
    event_type: &str,
    id: Option<String>,
    refusal: Option<String>,
) -> Result<(), Interruption> {
    use webhook_subscriptions::dsl;
    let (context, channel) = (&reader.context, &reader.channel);
    let now = context.clock.now();
    let mut connection = context.databases.postgres.get().await?;
    let recorded = insert_into(dsl::webhook_subscriptions)
        .values((
            dsl::connection_id.eq(channel.connection_id),
            dsl::account_id.eq(channel.account_id),
            dsl::event_type.eq(event_type),
            dsl::platform_subscription_id.eq(&id),
            dsl::refusal.eq(&refusal),
            dsl::updated_at.eq(now),
        ))
        .on_conflict((dsl::connection_id, dsl::event_type))
        .do_update()
        .set((dsl::platform_subscription_id.eq(&id), dsl::refusal.eq(&refusal), dsl::updated_at.eq(now)))
        .execute(&mut *connection)
        .await;
    match recorded {
        Err(diesel::result::Error::DatabaseError(
            diesel::result::DatabaseErrorKind::ForeignKeyViolation,
            _,
        )) => Ok(()),
        other => other.map(drop).map_err(|error| Interruption::from(shared::Error::from(error))),
    }
}
