-- Public statistics of channels, games and emotes, watchlists and the crawler (reference/public-stats.md).
-- Rows of channels belong to the platform's channel and to no account: several accounts may have connected it,
-- or none.

-- Settings of an account for its channel on a platform.
CREATE TABLE public_channel_settings (
    account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
    platform text NOT NULL,
    platform_channel_id text NOT NULL,
    channel_name text,
    is_public boolean NOT NULL DEFAULT true,
    show_top_chatters boolean NOT NULL DEFAULT false,
    opted_out_via text,
    updated_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (account_id, platform)
);
CREATE INDEX public_channel_settings_channel ON public_channel_settings (platform, platform_channel_id);

CREATE TABLE public_channels (
    platform text NOT NULL,
    platform_channel_id text NOT NULL,
    login text,
    display_name text,
    avatar_url text,
    broadcaster_type text,
    language text,
    source text NOT NULL CHECK (source IN ('first_party', 'external_crawler')),
    is_live boolean NOT NULL DEFAULT false,
    current_viewers bigint,
    -- The last game, also after the end of a stream.
    current_game_id text,
    current_game text,
    current_title text,
    current_broadcast_id text,
    live_since timestamptz,
    -- Last observation of the live state.
    live_seen_at timestamptz,
    -- Exact after the end of a stream; at most ten minutes old before it.
    last_streamed_at timestamptz,
    followers bigint,
    followers_at timestamptz,
    -- An account opted out.
    is_hidden boolean NOT NULL DEFAULT false,
    first_seen_at timestamptz NOT NULL,
    profile_at timestamptz,
    -- Last observation by an account that has connected the channel.
    first_party_at timestamptz,
    -- Names of a hidden channel, in lower case and without '@': the crawler requests nothing about them.
    hidden_names text[] NOT NULL DEFAULT '{}',
    PRIMARY KEY (platform, platform_channel_id)
) WITH (fillfactor = 75);
CREATE INDEX public_channels_hidden_names ON public_channels USING gin (hidden_names) WHERE is_hidden;
CREATE INDEX public_channels_login ON public_channels (platform, lower(login));
-- Live channels: those that went silent, and those of a game.
CREATE INDEX public_channels_live ON public_channels (platform, platform_channel_id) WHERE is_live;
CREATE INDEX public_channels_game ON public_channels (platform, current_game_id) WHERE is_live;

-- Roll-ups of the UTC days of a channel, kept for ever.
CREATE TABLE public_channel_days (
    platform text NOT NULL,
    platform_channel_id text NOT NULL,
    day date NOT NULL,
    source text NOT NULL CHECK (source IN ('first_party', 'external_crawler')),
    live_secs bigint NOT NULL,
    -- Viewers by seconds; divided by live_secs it is the average.
    viewer_secs bigint NOT NULL,
    peak_viewers bigint NOT NULL,
    message_count bigint NOT NULL,
    -- The last one of the day.
    follower_count bigint,
    sample_count bigint NOT NULL,
    PRIMARY KEY (platform, platform_channel_id, day)
);

-- The last 7, 30 and 90 UTC days of a channel, today included. A channel without days in a range has no row.
CREATE TABLE public_channel_ranges (
    range_days smallint NOT NULL CHECK (range_days IN (7, 30, 90)),
    platform text NOT NULL,
    platform_channel_id text NOT NULL,
    avg_viewers double precision NOT NULL,
    peak_viewers bigint NOT NULL,
    live_secs bigint NOT NULL,
    total_messages bigint NOT NULL,
    PRIMARY KEY (range_days, platform, platform_channel_id)
);

-- Channels whose days changed, or left a range, until their ranges are made again.
CREATE TABLE public_channel_marks (
    platform text NOT NULL,
    platform_channel_id text NOT NULL,
    PRIMARY KEY (platform, platform_channel_id)
);

CREATE TABLE public_streams (
    platform text NOT NULL,
    broadcast_id text NOT NULL,
    platform_channel_id text NOT NULL,
    source text NOT NULL CHECK (source IN ('first_party', 'external_crawler')),
    title text,
    game_id text,
    category text,
    language text,
    started_at timestamptz NOT NULL,
    ended_at timestamptz,
    duration_secs bigint,
    peak_viewers bigint,
    avg_viewers double precision,
    total_messages bigint NOT NULL DEFAULT 0,
    emote_count bigint NOT NULL DEFAULT 0,
    top_emotes jsonb NOT NULL DEFAULT '[]',
    gif_count bigint NOT NULL DEFAULT 0,
    top_gifs jsonb NOT NULL DEFAULT '[]',
    -- Only of first-party streams; shown where the channel's settings allow it at the time of reading.
    top_chatters jsonb,
    -- Viewers by seconds and seconds of the visits of the crawler, which make its average.
    viewer_secs bigint NOT NULL DEFAULT 0,
    viewed_secs bigint NOT NULL DEFAULT 0,
    last_seen_at timestamptz,
    PRIMARY KEY (platform, broadcast_id)
) WITH (fillfactor = 85);
CREATE INDEX public_streams_channel ON public_streams (platform, platform_channel_id, started_at DESC, broadcast_id DESC);
-- Streams of the crawler that have not ended.
CREATE INDEX public_streams_open ON public_streams (platform, broadcast_id)
    WHERE ended_at IS NULL AND source = 'external_crawler';
-- Chatters that are erased.
CREATE INDEX public_streams_chatters ON public_streams USING gin (top_chatters jsonb_path_ops)
    WHERE top_chatters IS NOT NULL;

CREATE TABLE public_profile_changes (
    id uuid PRIMARY KEY,
    platform text NOT NULL,
    platform_channel_id text NOT NULL,
    change_type text NOT NULL CHECK (change_type IN ('bio', 'link', 'team')),
    old_value text,
    new_value text,
    changed_at timestamptz NOT NULL
);
CREATE INDEX public_profile_changes_channel ON public_profile_changes (platform, platform_channel_id, changed_at DESC, id DESC);
CREATE INDEX public_profile_changes_expiry ON public_profile_changes (changed_at);

CREATE TABLE public_panels (
    platform text NOT NULL,
    platform_channel_id text NOT NULL,
    panel_id text NOT NULL,
    content text NOT NULL,
    images jsonb NOT NULL DEFAULT '[]',
    first_seen_at timestamptz NOT NULL,
    last_seen_at timestamptz NOT NULL,
    removed_at timestamptz,
    PRIMARY KEY (platform, platform_channel_id, panel_id)
);
CREATE INDEX public_panels_expiry ON public_panels (removed_at) WHERE removed_at IS NOT NULL;

CREATE TABLE public_games (
    platform text NOT NULL,
    game_id text NOT NULL,
    name text NOT NULL,
    box_art_url text,
    live_viewers bigint NOT NULL DEFAULT 0,
    live_channels bigint NOT NULL DEFAULT 0,
    updated_at timestamptz NOT NULL,
    PRIMARY KEY (platform, game_id)
);
CREATE INDEX public_games_name ON public_games (platform, lower(name));
-- Games whose live figures must fall to zero.
CREATE INDEX public_games_live ON public_games (platform, game_id) WHERE live_channels > 0;

-- Roll-ups of the UTC days of a game, kept for ever.
CREATE TABLE public_game_days (
    platform text NOT NULL,
    game_id text NOT NULL,
    day date NOT NULL,
    viewer_secs bigint NOT NULL,
    -- Slots of five minutes in which a channel was live in the game.
    slot_count bigint NOT NULL,
    peak_viewers bigint NOT NULL,
    peak_channels bigint NOT NULL,
    PRIMARY KEY (platform, game_id, day)
);

CREATE TABLE public_game_ranges (
    range_days smallint NOT NULL CHECK (range_days IN (7, 30, 90)),
    platform text NOT NULL,
    game_id text NOT NULL,
    -- Average over the slots in which a channel was live in the game.
    avg_viewers double precision NOT NULL,
    peak_viewers bigint NOT NULL,
    hours_watched double precision NOT NULL,
    -- Peak of the channels of a slot.
    channels bigint NOT NULL,
    PRIMARY KEY (range_days, platform, game_id)
);

CREATE TABLE public_game_marks (
    platform text NOT NULL,
    game_id text NOT NULL,
    PRIMARY KEY (platform, game_id)
);

CREATE TABLE public_emotes (
    provider text NOT NULL CHECK (provider IN ('twitch', '7tv', 'bttv', 'ffz', 'youtube', 'kick')),
    emote_id text NOT NULL,
    name text NOT NULL,
    url text,
    animated boolean NOT NULL DEFAULT false,
    first_seen_at timestamptz NOT NULL,
    PRIMARY KEY (provider, emote_id)
);

CREATE TABLE public_emote_days (
    provider text NOT NULL,
    emote_id text NOT NULL,
    platform text NOT NULL,
    platform_channel_id text NOT NULL,
    day date NOT NULL,
    usage_count bigint NOT NULL CHECK (usage_count > 0),
    PRIMARY KEY (provider, emote_id, platform, day, platform_channel_id)
);
-- Emotes of a channel's day, which are replaced as a whole.
CREATE INDEX public_emote_days_channel ON public_emote_days (platform, platform_channel_id, day);

CREATE TABLE public_emote_ranges (
    range_days smallint NOT NULL CHECK (range_days IN (7, 30, 90)),
    platform text NOT NULL,
    provider text NOT NULL,
    emote_id text NOT NULL,
    usage_count bigint NOT NULL,
    channel_count bigint NOT NULL,
    PRIMARY KEY (range_days, platform, provider, emote_id)
);

CREATE TABLE public_emote_marks (
    platform text NOT NULL,
    provider text NOT NULL,
    emote_id text NOT NULL,
    PRIMARY KEY (platform, provider, emote_id)
);

-- Passes over all channels, games and emotes when the UTC day changes, and passes with an interval.
CREATE TABLE public_sweeps (
    sweep text PRIMARY KEY,
    -- The ranges end with this day.
    day date NOT NULL,
    previous_day date NOT NULL,
    -- Last key that was done; null when the sweep of the day is complete.
    after_key text[],
    run_at timestamptz NOT NULL DEFAULT '-infinity'
);
INSERT INTO public_sweeps (sweep, day, previous_day) VALUES
    ('channels', '2000-01-01', '2000-01-01'),
    ('games', '2000-01-01', '2000-01-01'),
    ('emotes', '2000-01-01', '2000-01-01'),
    ('live_games', '2000-01-01', '2000-01-01');

CREATE TABLE watchlist_entries (
    id uuid PRIMARY KEY,
    user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
    platform text NOT NULL,
    platform_channel_id text NOT NULL,
    added_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE (user_id, platform, platform_channel_id)
);

-- Scope of the crawler, one row.
CREATE TABLE crawler_scope (
    id boolean PRIMARY KEY DEFAULT true CHECK (id),
    enabled boolean NOT NULL DEFAULT true,
    platforms text[] NOT NULL DEFAULT '{twitch,youtube,kick,trovo}',
    min_viewers integer NOT NULL DEFAULT 0 CHECK (min_viewers >= 0),
    -- Empty: every language.
    languages text[] NOT NULL DEFAULT '{}',
    max_channels integer NOT NULL DEFAULT 50000 CHECK (max_channels > 0),
    interval_secs integer NOT NULL DEFAULT 300 CHECK (interval_secs BETWEEN 60 AND 3600),
    updated_by uuid REFERENCES users ON DELETE SET NULL,
    updated_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX crawler_scope_updater ON crawler_scope (updated_by);
INSERT INTO crawler_scope DEFAULT VALUES;

-- Channels that are crawled outside of the scope.
CREATE TABLE crawler_watchlist (
    id uuid PRIMARY KEY,
    platform text NOT NULL,
    -- Id or login on the platform.
    channel text NOT NULL CHECK (length(channel) BETWEEN 1 AND 100),
    note text CHECK (length(note) BETWEEN 1 AND 500),
    created_by uuid REFERENCES users ON DELETE SET NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    -- Channel that the crawler found for the entry, which outlives a renaming, and the time of the next attempt.
    platform_channel_id text,
    resolve_next_at timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX crawler_watchlist_channel ON crawler_watchlist (platform, lower(channel));
CREATE INDEX crawler_watchlist_creator ON crawler_watchlist (created_by);
CREATE INDEX crawler_watchlist_found ON crawler_watchlist (platform, platform_channel_id);

-- Schedule of the crawler, and the last profile of each channel.
CREATE TABLE crawler_channels (
    platform text NOT NULL,
    platform_channel_id text NOT NULL,
    -- Time of the next visit. Null: the channel is dormant until a directory lists it again.
    next_at timestamptz,
    -- Copy that visits the channel, and the end of its claim.
    lease_owner uuid,
    lease_until timestamptz,
    -- Visits that failed one after another.
    failures integer NOT NULL DEFAULT 0,
    -- An entry of the watch list names it.
    is_watched boolean NOT NULL DEFAULT false,
    -- Last time that the platform listed it or was requested about it.
    visited_at timestamptz,
    -- Broadcasts that were live then; of YouTube only, where they are visited by their ids.
    broadcast_ids text[] NOT NULL DEFAULT '{}',
    -- Playlist of the newest videos, and the time of its next reading; of YouTube only.
    uploads_id text,
    uploads_next_at timestamptz,
    -- Time of the next reading of the profile. Null: none until the channel is listed again.
    profile_next_at timestamptz,
    profiled_at timestamptz,
    -- The profile as last read. Null: not yet, or not reported by the platform.
    bio text,
    links text[],
    teams text[],
    PRIMARY KEY (platform, platform_channel_id)
) WITH (fillfactor = 75);
CREATE INDEX crawler_channels_due ON crawler_channels (platform, next_at) WHERE next_at IS NOT NULL;
CREATE INDEX crawler_channels_profiles ON crawler_channels (platform, profile_next_at) WHERE profile_next_at IS NOT NULL;
CREATE INDEX crawler_channels_watched ON crawler_channels (platform, platform_channel_id) WHERE is_watched;
-- Dormant channels, which are deleted after a time.
CREATE INDEX crawler_channels_dormant ON crawler_channels (visited_at) WHERE next_at IS NULL;

-- Indexes of the public lists (reference/public-stats.md#lists). Each order is walked in an index that holds all
-- columns of the walk; that of one platform in one that begins with it, so that a walk meets no row of others. Live
-- figures change with every observation, so no index holds them.
CREATE INDEX public_channels_hidden ON public_channels (platform, platform_channel_id) WHERE is_hidden;
CREATE INDEX public_channels_followers
    ON public_channels (followers DESC NULLS LAST, platform, platform_channel_id) WHERE NOT is_hidden;
CREATE INDEX public_channels_streamed
    ON public_channels (last_streamed_at DESC NULLS LAST, platform, platform_channel_id) WHERE NOT is_hidden;
CREATE INDEX public_channels_platform_followers
    ON public_channels (platform, followers DESC NULLS LAST, platform_channel_id) WHERE NOT is_hidden;
CREATE INDEX public_channels_platform_streamed
    ON public_channels (platform, last_streamed_at DESC NULLS LAST, platform_channel_id) WHERE NOT is_hidden;
CREATE INDEX public_channels_login_search
    ON public_channels (lower(login) text_pattern_ops) INCLUDE (login, platform, platform_channel_id);
CREATE INDEX public_channels_name_search
    ON public_channels (lower(display_name) text_pattern_ops) INCLUDE (display_name, platform, platform_channel_id);
CREATE INDEX public_channel_ranges_average
    ON public_channel_ranges (range_days, avg_viewers DESC, platform, platform_channel_id);
CREATE INDEX public_channel_ranges_peak
    ON public_channel_ranges (range_days, peak_viewers DESC, platform, platform_channel_id);
CREATE INDEX public_channel_ranges_live
    ON public_channel_ranges (range_days, live_secs DESC, platform, platform_channel_id);
CREATE INDEX public_channel_ranges_messages
    ON public_channel_ranges (range_days, total_messages DESC, platform, platform_channel_id);
CREATE INDEX public_channel_ranges_platform_average
    ON public_channel_ranges (range_days, platform, avg_viewers DESC, platform_channel_id);
CREATE INDEX public_channel_ranges_platform_peak
    ON public_channel_ranges (range_days, platform, peak_viewers DESC, platform_channel_id);
CREATE INDEX public_channel_ranges_platform_live
    ON public_channel_ranges (range_days, platform, live_secs DESC, platform_channel_id);
CREATE INDEX public_channel_ranges_platform_messages
    ON public_channel_ranges (range_days, platform, total_messages DESC, platform_channel_id);
CREATE INDEX public_games_viewers ON public_games (live_viewers DESC, platform, game_id);
CREATE INDEX public_games_channels ON public_games (live_channels DESC, platform, game_id);
CREATE INDEX public_games_order ON public_games (lower(name), platform, game_id) INCLUDE (name);
CREATE INDEX public_games_search ON public_games (lower(name) text_pattern_ops) INCLUDE (name, platform, game_id);
CREATE INDEX public_game_ranges_watched ON public_game_ranges (range_days, hours_watched DESC, platform, game_id);
CREATE INDEX public_emotes_order ON public_emotes (lower(name), provider, emote_id) INCLUDE (name);
CREATE INDEX public_emotes_search ON public_emotes (lower(name) text_pattern_ops) INCLUDE (name, provider, emote_id);
CREATE INDEX public_emote_ranges_usage
    ON public_emote_ranges (range_days, usage_count DESC, platform, provider, emote_id);
CREATE INDEX public_emote_ranges_channels
    ON public_emote_ranges (range_days, channel_count DESC, platform, provider, emote_id);
CREATE INDEX public_emote_ranges_filtered_usage
    ON public_emote_ranges (range_days, platform, provider, usage_count DESC, emote_id);
CREATE INDEX public_emote_ranges_filtered_channels
    ON public_emote_ranges (range_days, platform, provider, channel_count DESC, emote_id);
CREATE INDEX crawler_watchlist_newest ON crawler_watchlist (created_at DESC, id DESC);
