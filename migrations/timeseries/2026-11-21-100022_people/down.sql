DROP INDEX events_recipient, events_gifter, events_subject;
DROP TABLE youtube_membership_tiers, platform_user_profiles, platform_users;
