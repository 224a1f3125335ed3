DROP TABLE limit_request_events;
DROP TABLE limit_requests;
DROP TABLE extension_limits;
DROP TABLE developer_limits;
