DROP INDEX privacy_erasures_interrupted;
ALTER TABLE privacy_erasures DROP COLUMN account_ids, DROP COLUMN entered_accounts;
