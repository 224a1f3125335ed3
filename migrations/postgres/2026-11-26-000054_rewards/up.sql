-- Rewards of channel points (reference/rewards.md#rewards).
CREATE TABLE rewards (
    id uuid PRIMARY KEY,
    account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
    platform text NOT NULL,
    -- Id of the reward at the platform.
    platform_reward_id text NOT NULL CHECK (length(platform_reward_id) BETWEEN 1 AND 255),
    -- True for a reward that Lumio created at the platform: only such a reward can be changed there.
    is_managed boolean NOT NULL,
    title text NOT NULL CHECK (length(title) BETWEEN 1 AND 45),
    cost integer NOT NULL CHECK (cost BETWEEN 1 AND 1000000),
    enabled boolean NOT NULL DEFAULT true,
    action jsonb NOT NULL DEFAULT '{}',
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE (account_id, platform, platform_reward_id)
);
CREATE INDEX rewards_list ON rewards (account_id, created_at, id);

-- Redemptions whose action was begun, each once. Rows expire.
CREATE TABLE reward_redemptions (
    reward_id uuid NOT NULL REFERENCES rewards ON DELETE CASCADE,
    account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
    -- Id of the redemption at the platform.
    redemption_id text NOT NULL,
    -- Null while the action runs.
    outcome text CHECK (outcome IN ('fulfilled', 'refunded', 'failed')),
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (reward_id, redemption_id)
);
CREATE INDEX reward_redemptions_account ON reward_redemptions (account_id);
CREATE INDEX reward_redemptions_expiry ON reward_redemptions (created_at);
