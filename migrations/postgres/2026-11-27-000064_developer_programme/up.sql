-- Public data of developers (reference/programme.md#profiles).
ALTER TABLE developer_profiles ADD COLUMN github_url text, ADD COLUMN website_url text,
    ADD COLUMN avatar_key uuid REFERENCES uploads ON DELETE SET NULL,
    ADD COLUMN updated_at timestamptz NOT NULL DEFAULT now();
CREATE INDEX developer_profiles_avatar ON developer_profiles (avatar_key) WHERE avatar_key IS NOT NULL;

-- Applications of people to become developers (reference/programme.md#applications).
CREATE TABLE developer_applications (
    id uuid PRIMARY KEY,
    user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
    application_type text NOT NULL CHECK (application_type IN ('solo', 'team')),
    display_name text NOT NULL CHECK (length(display_name) BETWEEN 1 AND 60),
    -- One namespace with the slugs of developers and teams while it is pending.
    slug text NOT NULL CHECK (length(slug) BETWEEN 3 AND 50),
    description text NOT NULL,
    motivation text NOT NULL,
    what_to_build text NOT NULL,
    github_url text,
    website_url text,
    experience text,
    avatar_key uuid REFERENCES uploads ON DELETE SET NULL,
    status text NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'approved', 'rejected')),
    review_notes text,
    reviewed_by uuid REFERENCES users ON DELETE SET NULL,
    reviewed_at timestamptz,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX developer_applications_pending ON developer_applications (user_id) WHERE status = 'pending';
CREATE UNIQUE INDEX developer_applications_slug ON developer_applications (slug) WHERE status = 'pending';
CREATE INDEX developer_applications_user ON developer_applications (user_id, created_at DESC, id DESC);
CREATE INDEX developer_applications_list ON developer_applications (created_at DESC, id DESC);
CREATE INDEX developer_applications_status ON developer_applications (status, created_at DESC, id DESC);
CREATE INDEX developer_applications_reviewer ON developer_applications (reviewed_by) WHERE reviewed_by IS NOT NULL;
CREATE INDEX developer_applications_avatar ON developer_applications (avatar_key) WHERE avatar_key IS NOT NULL;

-- Verifications of developers (reference/programme.md#verifications).
CREATE TABLE developer_verifications (
    id uuid PRIMARY KEY,
    developer_id uuid NOT NULL UNIQUE REFERENCES developer_profiles ON DELETE CASCADE,
    -- Names, address and numbers, encrypted as one value.
    details bytea NOT NULL,
    document_key uuid REFERENCES uploads ON DELETE SET NULL,
    status text NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'verified', 'rejected')),
    review_notes text,
    reviewed_by uuid REFERENCES users ON DELETE SET NULL,
    reviewed_at timestamptz,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX developer_verifications_list ON developer_verifications (created_at DESC, id DESC);
CREATE INDEX developer_verifications_status ON developer_verifications (status, created_at DESC, id DESC);
CREATE INDEX developer_verifications_reviewer ON developer_verifications (reviewed_by) WHERE reviewed_by IS NOT NULL;
CREATE INDEX developer_verifications_document ON developer_verifications (document_key) WHERE document_key IS NOT NULL;

-- Ways in which developers are paid (reference/programme.md#payout-settings).
CREATE TABLE developer_payout_settings (
    developer_id uuid PRIMARY KEY REFERENCES developer_profiles ON DELETE CASCADE,
    payout_method text CHECK (payout_method IN ('connect', 'paypal_style', 'bank')),
    -- Accounts that money goes to, encrypted as one value.
    details bytea NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now()
);

-- Payments for extensions of developers (reference/programme.md#revenue). Amounts are in cents.
CREATE TABLE developer_revenue (
    id uuid PRIMARY KEY,
    developer_id uuid NOT NULL REFERENCES developer_profiles ON DELETE CASCADE,
    extension_id uuid REFERENCES extensions ON DELETE SET NULL,
    -- Reference of the payment, so that a repeated report counts once.
    payment_reference text NOT NULL UNIQUE CHECK (length(payment_reference) BETWEEN 1 AND 255),
    amount bigint NOT NULL CHECK (amount > 0),
    share bigint NOT NULL CHECK (share BETWEEN 0 AND amount),
    currency text NOT NULL DEFAULT 'EUR',
    paid_at timestamptz NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX developer_revenue_developer ON developer_revenue (developer_id, paid_at) INCLUDE (extension_id, amount, share);
CREATE INDEX developer_revenue_extension ON developer_revenue (extension_id) WHERE extension_id IS NOT NULL;
