-- What is erased with an account is found by the account (specification C §3, dissolve).

CREATE INDEX extension_errors_account ON extension_errors (account_id, occurred_at);
CREATE INDEX extension_logs_account ON extension_logs (account_id, created_at);
CREATE INDEX extension_invocations_account ON extension_invocations (account_id, bucket_minute);
