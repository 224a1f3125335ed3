//! GraphQL fields of `notifications`.

use api_core::{Cx, Result, http::Success};
use juniper::graphql_object;
use uuid::Uuid;

use super::{
    NotificationChannel, NotificationList, NotificationPreference, NotificationsQuery,
    UpdateNotificationPreferenceInput,
};

/// Query fields.
pub struct NotificationQueries;
/// Mutation fields.
pub struct NotificationMutations;

#[graphql_object(context = Cx, scalar = juniper::DefaultScalarValue)]
impl NotificationQueries {
    async fn notifications(
        ctx: &Cx,
        unread: Option<bool>,
        limit: Option<i32>,
        before: Option<Uuid>,
    ) -> Result<NotificationList> {
        let query = NotificationsQuery { unread, limit: limit.map(i64::from), before };
        super::notifications(ctx, Ok(query)).await
    }

    async fn unread_notification_count(ctx: &Cx) -> Result<i32> {
        super::unread_notification_count(ctx).await
    }

    async fn notification_preferences(ctx: &Cx) -> Result<Vec<NotificationPreference>> {
        super::notification_preferences(ctx).await
    }
}

#[graphql_object(context = Cx, scalar = juniper::DefaultScalarValue)]
impl NotificationMutations {
    async fn mark_notification_read(ctx: &Cx, id: Uuid) -> Result<Success> {
        super::mark_notification_read(ctx, Ok(id)).await?;
        Ok(Success::DONE)
    }

    async fn mark_all_notifications_read(ctx: &Cx) -> Result<Success> {
        super::mark_all_notifications_read(ctx).await?;
        Ok(Success::DONE)
    }

    async fn run_notification_action(ctx: &Cx, id: Uuid, key: String) -> Result<Success> {
        super::run_notification_action(ctx, Ok(id), &key).await?;
        Ok(Success::DONE)
    }

    async fn delete_notification(ctx: &Cx, id: Uuid) -> Result<bool> {
        super::delete_notification(ctx, Ok(id)).await?;
        Ok(true)
    }

    async fn update_notification_preference(
        ctx: &Cx,
        notification_type: String,
        channel: NotificationChannel,
    ) -> Result<NotificationPreference> {
        let input = UpdateNotificationPreferenceInput { channel };
        super::update_notification_preference(ctx, &notification_type, Ok(input)).await
    }
}
