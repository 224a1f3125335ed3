-- Plans, limits, subscriptions, coupons and payouts (reference/billing.md#plans).

-- Limits that operators set for one account beside its plan; null is the plan's own limit.
CREATE TABLE account_limits (
    account_id uuid PRIMARY KEY REFERENCES accounts ON DELETE CASCADE,
    max_overlays bigint CHECK (max_overlays >= 0),
    max_storage_bytes bigint CHECK (max_storage_bytes >= 0),
    max_upload_size_bytes bigint CHECK (max_upload_size_bytes >= 0),
    max_integrations bigint CHECK (max_integrations >= 0),
    chat_retention_days bigint CHECK (chat_retention_days >= 0),
    custom_bot_allowed boolean,
    obs_remote_allowed boolean,
    copyright_detection_allowed boolean,
    notes text,
    updated_by uuid REFERENCES users ON DELETE SET NULL,
    updated_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX account_limits_updated_by ON account_limits (updated_by);

-- Used part of a limit, written in the transaction of the use.
CREATE TABLE account_usage (
    account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
    quota text NOT NULL CHECK (quota IN ('overlays', 'storage_bytes', 'integrations')),
    used bigint NOT NULL CHECK (used >= 0),
    PRIMARY KEY (account_id, quota)
);

-- One row for an account that is, or was, on a paid plan.
CREATE TABLE subscriptions (
    id uuid PRIMARY KEY,
    account_id uuid NOT NULL UNIQUE REFERENCES accounts ON DELETE CASCADE,
    plan_id uuid NOT NULL REFERENCES plans ON DELETE CASCADE,
    status text NOT NULL CHECK (status IN ('active', 'past_due', 'cancelled')),
    renews_at timestamptz,
    cancelled_at timestamptz,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX subscriptions_list ON subscriptions (created_at DESC, id DESC);
CREATE INDEX subscriptions_status ON subscriptions (status, created_at DESC, id DESC);
CREATE INDEX subscriptions_plan ON subscriptions (plan_id, created_at DESC, id DESC);

CREATE TABLE coupons (
    id uuid PRIMARY KEY,
    code text NOT NULL UNIQUE CHECK (code ~ '^[A-Z0-9][A-Z0-9_-]*$' AND length(code) BETWEEN 3 AND 40),
    percent_off integer CHECK (percent_off BETWEEN 1 AND 100),
    -- Minor units of the plan's currency.
    amount_off bigint CHECK (amount_off > 0),
    duration text NOT NULL CHECK (duration IN ('once', 'forever')),
    max_redemptions integer CHECK (max_redemptions > 0),
    redeemed integer NOT NULL DEFAULT 0 CHECK (redeemed >= 0),
    expires_at timestamptz,
    is_active boolean NOT NULL DEFAULT true,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    CHECK ((percent_off IS NULL) <> (amount_off IS NULL))
);
CREATE INDEX coupons_list ON coupons (created_at DESC, id DESC);

-- Payouts that developers requested. An operator moves the status.
CREATE TABLE developer_payouts (
    id uuid PRIMARY KEY,
    developer_id uuid NOT NULL REFERENCES developer_profiles ON DELETE CASCADE,
    -- Minor units.
    amount bigint NOT NULL CHECK (amount > 0),
    currency text NOT NULL DEFAULT 'EUR',
    method text NOT NULL CHECK (method IN ('connect', 'paypal_style', 'bank')),
    status text NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'processing', 'paid', 'failed')),
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    paid_at timestamptz,
    CHECK ((status = 'paid') = (paid_at IS NOT NULL))
);
-- A developer with a pending payout cannot request another.
CREATE UNIQUE INDEX developer_payouts_pending ON developer_payouts (developer_id) WHERE status = 'pending';
CREATE INDEX developer_payouts_developer ON developer_payouts (developer_id, created_at DESC, id DESC);
CREATE INDEX developer_payouts_list ON developer_payouts (created_at, id);
CREATE INDEX developer_payouts_status ON developer_payouts (status, created_at, id);

CREATE INDEX account_feature_overrides_feature ON account_feature_overrides (feature_id);
CREATE INDEX plan_features_feature ON plan_features (feature_id);
