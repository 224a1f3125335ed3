-- Without the columns, money of teams would be paid to their owners.
DO $$
BEGIN
    IF EXISTS (SELECT FROM developer_revenue WHERE team_id IS NOT NULL)
        OR EXISTS (SELECT FROM developer_payouts WHERE team_id IS NOT NULL)
        OR EXISTS (SELECT FROM developer_team_payout_settings)
    THEN
        RAISE EXCEPTION 'teams have revenue, payouts or payout settings, so their balances cannot be reverted';
    END IF;
END
$$;

DROP TABLE developer_team_payout_settings;
DROP INDEX developer_payouts_pending;
ALTER TABLE developer_payouts DROP COLUMN team_id, DROP COLUMN requested_by;
CREATE UNIQUE INDEX developer_payouts_pending ON developer_payouts (developer_id) WHERE status = 'pending';
ALTER TABLE developer_revenue DROP COLUMN team_id;
