DROP INDEX plan_features_feature;
DROP INDEX account_feature_overrides_feature;
DROP TABLE developer_payouts;
DROP TABLE coupons;
DROP TABLE subscriptions;
DROP TABLE account_usage;
DROP TABLE account_limits;
