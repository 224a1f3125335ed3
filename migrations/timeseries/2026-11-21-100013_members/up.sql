-- Rows that are erased with an account are found by the account
-- (reference/accounts.md#erasure-after-dissolution).

CREATE INDEX extension_errors_account ON extension_errors (account_id, occurred_at);
CREATE INDEX extension_logs_account ON extension_logs (account_id, created_at);
CREATE INDEX extension_invocations_account ON extension_invocations (account_id, bucket_minute);
