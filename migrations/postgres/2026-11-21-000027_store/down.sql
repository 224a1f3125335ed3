DROP INDEX extension_files_object;
DROP TABLE unclaimed_objects;
DROP TABLE extension_uploads;
DROP TABLE extension_feedback;
DROP TABLE extension_access_grants;
DROP TABLE extension_testers;
DROP TABLE extension_reviews;
DROP FUNCTION rate_extension;

ALTER TABLE extension_installs DROP COLUMN offered_version_id;

DROP INDEX extensions_words;
DROP INDEX extensions_name;
DROP INDEX extensions_rating;
DROP INDEX extensions_newest;
DROP INDEX extensions_popular;
ALTER TABLE extensions
    DROP COLUMN is_listed,
    DROP COLUMN rating_sum,
    DROP COLUMN slug_changed_at,
    DROP COLUMN support_url,
    DROP COLUMN tags,
    DROP COLUMN screenshots,
    DROP COLUMN icon_key,
    DROP COLUMN pricing_interval,
    DROP COLUMN pricing_amount;
