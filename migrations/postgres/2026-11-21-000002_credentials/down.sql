DROP TABLE surface_tokens, popout_tokens, system_keys, account_service_keys, user_api_keys;
