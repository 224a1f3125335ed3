DROP TABLE crawler_channels, crawler_watchlist, crawler_scope, watchlist_entries, public_sweeps, public_emote_marks,
    public_emote_ranges, public_emote_days, public_emotes, public_game_marks, public_game_ranges, public_game_days,
    public_games, public_panels, public_profile_changes, public_streams, public_channel_marks, public_channel_ranges,
    public_channel_days, public_channels, public_channel_settings;
