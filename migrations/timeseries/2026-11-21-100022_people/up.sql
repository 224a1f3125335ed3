-- Chatters of an account's channels, their profiles on platforms, and the membership tiers that were seen
-- (reference/chat.md#platform-users). Stored beside the messages, so that a message and its count are one
-- statement.

CREATE TABLE platform_users (
    account_id uuid NOT NULL,
    platform text NOT NULL,
    platform_user_id text NOT NULL,
    username text NOT NULL,
    display_name text NOT NULL,
    avatar_url text,
    message_count bigint NOT NULL CHECK (message_count >= 0),
    first_seen_at timestamptz NOT NULL,
    last_seen_at timestamptz NOT NULL,
    -- The ten minutes of last_seen_at. The search indexes have this order and the query sorts within a slot:
    -- the order is exact, while another message of the same ten minutes changes no index.
    seen_slot timestamptz NOT NULL GENERATED ALWAYS AS
        (date_bin(interval '10 minutes', last_seen_at, timestamptz '2000-01-01 00:00:00+00')) STORED,
    PRIMARY KEY (account_id, platform, platform_user_id)
) WITH (fillfactor = 75);
-- All data of one person, for an erasure.
CREATE INDEX platform_users_subject ON platform_users (platform, platform_user_id);
-- Prefix search: buckets of 2 to 5 letters in the order of results, and all names in their own order for
-- longer prefixes. A display name is indexed where it is not the username in other letters.
CREATE INDEX platform_users_name2 ON platform_users (account_id, platform, (left(lower(username), 2) COLLATE "C"), seen_slot DESC);
CREATE INDEX platform_users_name3 ON platform_users (account_id, platform, (left(lower(username), 3) COLLATE "C"), seen_slot DESC);
CREATE INDEX platform_users_name4 ON platform_users (account_id, platform, (left(lower(username), 4) COLLATE "C"), seen_slot DESC);
CREATE INDEX platform_users_name5 ON platform_users (account_id, platform, (left(lower(username), 5) COLLATE "C"), seen_slot DESC);
CREATE INDEX platform_users_name ON platform_users (account_id, platform, (lower(username) COLLATE "C"));
CREATE INDEX platform_users_display2 ON platform_users (account_id, platform, (left(lower(display_name), 2) COLLATE "C"), seen_slot DESC)
    WHERE lower(display_name) <> lower(username);
CREATE INDEX platform_users_display3 ON platform_users (account_id, platform, (left(lower(display_name), 3) COLLATE "C"), seen_slot DESC)
    WHERE lower(display_name) <> lower(username);
CREATE INDEX platform_users_display4 ON platform_users (account_id, platform, (left(lower(display_name), 4) COLLATE "C"), seen_slot DESC)
    WHERE lower(display_name) <> lower(username);
CREATE INDEX platform_users_display5 ON platform_users (account_id, platform, (left(lower(display_name), 5) COLLATE "C"), seen_slot DESC)
    WHERE lower(display_name) <> lower(username);
CREATE INDEX platform_users_display ON platform_users (account_id, platform, (lower(display_name) COLLATE "C"))
    WHERE lower(display_name) <> lower(username);

CREATE TABLE platform_user_profiles (
    account_id uuid NOT NULL,
    platform text NOT NULL,
    platform_user_id text NOT NULL,
    profile jsonb NOT NULL,
    enriched_at timestamptz NOT NULL,
    PRIMARY KEY (account_id, platform, platform_user_id)
);
CREATE INDEX platform_user_profiles_subject ON platform_user_profiles (platform, platform_user_id);

CREATE TABLE youtube_membership_tiers (
    account_id uuid NOT NULL,
    -- Text of YouTube beside a member's badge, which names a tier once in an account.
    tooltip text NOT NULL,
    tier_name text NOT NULL,
    badge_url text,
    duration_value integer,
    duration_unit text CHECK (duration_unit IN ('MONTH', 'MONTHS', 'YEAR', 'YEARS')),
    member_months_min integer,
    first_seen_at timestamptz NOT NULL,
    last_seen_at timestamptz NOT NULL,
    PRIMARY KEY (account_id, tooltip)
);

-- Events of one person in all accounts.
CREATE INDEX events_subject ON events (platform, platform_user_id, occurred_at) WHERE platform_user_id IS NOT NULL;
CREATE INDEX events_gifter ON events (platform, (data ->> 'gifter_user_id')) WHERE data ? 'gifter_user_id';
CREATE INDEX events_recipient ON events (platform, (data ->> 'recipient_user_id')) WHERE data ? 'recipient_user_id';
