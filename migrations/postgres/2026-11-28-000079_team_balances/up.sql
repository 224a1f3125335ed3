-- Balances of teams (reference/programme.md#balances-of-teams). What a team that is gone earned and was paid is its owner's.
ALTER TABLE developer_revenue ADD COLUMN team_id uuid REFERENCES developer_teams ON DELETE SET NULL;
CREATE INDEX developer_revenue_team ON developer_revenue (team_id) WHERE team_id IS NOT NULL;

ALTER TABLE developer_payouts ADD COLUMN team_id uuid REFERENCES developer_teams ON DELETE SET NULL,
    -- Person who requested the payout. Null: an older payout, or the person is gone.
    ADD COLUMN requested_by uuid REFERENCES users ON DELETE SET NULL;
CREATE UNIQUE INDEX developer_payouts_team_pending ON developer_payouts (team_id) WHERE status = 'pending';
CREATE INDEX developer_payouts_team ON developer_payouts (team_id) WHERE team_id IS NOT NULL;
-- A payout of a team may be pending beside one of its owner.
DROP INDEX developer_payouts_pending;
CREATE UNIQUE INDEX developer_payouts_pending ON developer_payouts (developer_id)
    WHERE status = 'pending' AND team_id IS NULL;

-- Ways in which teams are paid.
CREATE TABLE developer_team_payout_settings (
    team_id uuid PRIMARY KEY REFERENCES developer_teams ON DELETE CASCADE,
    payout_method text CHECK (payout_method IN ('connect', 'paypal_style', 'bank')),
    -- Accounts that money goes to, encrypted as one value.
    details bytea NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now()
);
