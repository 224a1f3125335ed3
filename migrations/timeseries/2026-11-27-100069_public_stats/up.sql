-- Samples of channels and slots of games (reference/public-stats.md#samples). Their daily roll-ups are in the
-- primary database.

SELECT timeseries_create('channel_samples', $$
    platform text NOT NULL,
    platform_channel_id text NOT NULL,
    -- A sample stands for the time from here for its weight.
    at timestamptz NOT NULL,
    source text NOT NULL CHECK (source IN ('first_party', 'external_crawler')),
    -- Null: the channel was not live, or its viewers are unknown.
    viewer_count bigint CHECK (viewer_count >= 0),
    message_count bigint NOT NULL DEFAULT 0 CHECK (message_count >= 0),
    game_id text,
    game_name text,
    weight_secs integer NOT NULL CHECK (weight_secs BETWEEN 1 AND 3600),
    follower_count bigint CHECK (follower_count >= 0),
    PRIMARY KEY (platform, platform_channel_id, at, source)
$$, 'at', interval '1 day', interval '90 days');
-- Samples of a slot of five minutes, and those before it that reach into it.
CREATE INDEX channel_samples_games ON channel_samples (platform, at) WHERE game_id IS NOT NULL;
CREATE INDEX channel_samples_long ON channel_samples (platform, at) WHERE game_id IS NOT NULL AND weight_secs > 300;

-- Channel-days whose samples changed, until they are rolled up.
CREATE TABLE channel_marks (
    platform text NOT NULL,
    platform_channel_id text NOT NULL,
    day date NOT NULL,
    marked_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (platform, platform_channel_id, day)
);
-- The oldest first.
CREATE INDEX channel_marks_oldest ON channel_marks (marked_at);

SELECT timeseries_create('game_slots', $$
    platform text NOT NULL,
    game_id text NOT NULL,
    -- Start of five minutes.
    slot timestamptz NOT NULL,
    -- Sum over the channels of the average of each.
    viewers bigint NOT NULL,
    -- Viewers by seconds.
    viewer_secs bigint NOT NULL,
    channels bigint NOT NULL,
    PRIMARY KEY (platform, game_id, slot)
$$, 'slot', interval '7 days', interval '90 days');
-- Games of a slot, which is replaced as a whole.
CREATE INDEX game_slots_slot ON game_slots (platform, slot);

-- Slots whose samples changed, until they are rolled up.
CREATE TABLE slot_marks (
    platform text NOT NULL,
    slot timestamptz NOT NULL,
    marked_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (platform, slot)
);
CREATE INDEX slot_marks_oldest ON slot_marks (slot);
