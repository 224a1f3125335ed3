//! Profiles, joined from the data of the account, the platform and the notes of moderators.

use api_core::{Cx, Result, access::AccountCaller, graphql::Int64};
use chrono::{DateTime, Utc};
use live_model::Badge;
use platforms::UserProfile;

use super::{
    GqlUnifiedProfile,
    db::{self, KnownUser},
    enrichment::{self, Enriched, Freshness},
    subject::Subject,
};

/// Standing that the badges of a message show.
#[derive(Debug, Clone, Copy, Default)]
struct BadgeRoles {
    is_moderator: Option<bool>,
    is_vip: Option<bool>,
    is_subscriber: Option<bool>,
}

/// Profile of a user; `None` when neither the account nor the platform knows the user.
pub(super) async fn of(
    cx: &Cx,
    caller: &AccountCaller,
    subject: &Subject,
    freshness: Freshness,
) -> Result<Option<GqlUnifiedProfile>> {
    let known = db::known(&mut *caller.timeseries().await?, subject).await?;
    let enriched = enrichment::of(cx, subject, &known, freshness).await?;
    let notes = db::count_notes(&mut *caller.db().await?, subject).await?;
    if known.message_count.is_none() && enriched.profile.is_none() && notes == 0 {
        return Ok(None);
    }
    Ok(Some(unified(subject, known, enriched, notes, cx.state().clock.now())))
}

fn unified(
    subject: &Subject,
    known: KnownUser,
    enriched: Enriched,
    notes: i64,
    now: DateTime<Utc>,
) -> GqlUnifiedProfile {
    let badge_roles = BadgeRoles::of(known.badges.as_ref());
    let Enriched { profile, enriched_at } = enriched;
    let profile: UserProfile = profile.unwrap_or_default();
    GqlUnifiedProfile {
        platform: subject.platform.slug().to_owned(),
        platform_user_id: subject.user_id.clone(),
        username: profile.username.or(known.username),
        display_name: profile.display_name.or(known.display_name),
        avatar_url: profile.avatar_url.or(known.avatar_url),
        description: profile.description,
        account_created_at: profile.account_created_at.map(Into::into),
        broadcaster_type: profile.broadcaster_type,
        is_follower: profile.is_follower,
        followed_at: profile.followed_at.map(Into::into),
        is_moderator: profile.is_moderator.or(badge_roles.is_moderator),
        is_vip: profile.is_vip.or(badge_roles.is_vip),
        is_subscriber: profile.is_subscriber.or(badge_roles.is_subscriber),
        subscriber_tier: profile.subscriber_tier,
        is_banned: profile.is_banned,
        ban_reason: profile.ban_reason,
        timeout_until: profile.timeout_until.filter(|until| *until > now).map(Into::into),
        message_count: Int64(known.message_count.unwrap_or_default()),
        first_seen_at: known.first_seen_at.map(Into::into),
        last_seen_at: known.last_seen_at.map(Into::into),
        enriched_at: enriched_at.map(Into::into),
        notes_count: Int64(notes),
    }
}

impl BadgeRoles {
    fn of(badges: Option<&serde_json::Value>) -> Self {
        let badges: Option<Vec<Badge>> =
            badges.and_then(|badges| serde_json::from_value(badges.clone()).ok());
        let Some(badges) = badges else { return Self::default() };
        let has = |names: &[&str]| badges.iter().any(|badge| names.contains(&badge.id.as_str()));
        Self {
            is_moderator: Some(has(&["moderator", "mod", "lead_moderator"])),
            is_vip: Some(has(&["vip"])),
            is_subscriber: Some(has(&["subscriber", "founder", "member"])),
        }
    }
}
