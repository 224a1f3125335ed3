//! Tables as the migrations create them. A test generates this file from the migrated databases.

diesel::table! {
    account_archives (id) {
        id -> Uuid,
        account_id -> Uuid,
        requested_by -> Nullable<Uuid>,
        status -> Text,
        secrets_key -> Nullable<Text>,
        storage_key -> Nullable<Text>,
        size_bytes -> Nullable<Int8>,
        sha256 -> Nullable<Text>,
        error -> Nullable<Text>,
        attempt -> Nullable<Uuid>,
        attempts -> Int4,
        created_at -> Timestamptz,
        started_at -> Nullable<Timestamptz>,
        finished_at -> Nullable<Timestamptz>,
        expires_at -> Nullable<Timestamptz>,
    }
}

diesel::table! {
    account_feature_overrides (account_id, feature_id) {
        account_id -> Uuid,
        feature_id -> Uuid,
        enabled -> Bool,
        reason -> Nullable<Text>,
        set_by -> Nullable<Uuid>,
        created_at -> Timestamptz,
    }
}

diesel::table! {
    account_limits (account_id) {
        account_id -> Uuid,
        max_overlays -> Nullable<Int8>,
        max_storage_bytes -> Nullable<Int8>,
        max_upload_size_bytes -> Nullable<Int8>,
        max_integrations -> Nullable<Int8>,
        chat_retention_days -> Nullable<Int8>,
        custom_bot_allowed -> Nullable<Bool>,
        obs_remote_allowed -> Nullable<Bool>,
        copyright_detection_allowed -> Nullable<Bool>,
        notes -> Nullable<Text>,
        updated_by -> Nullable<Uuid>,
        updated_at -> Timestamptz,
    }
}

diesel::table! {
    account_permission_overrides (account_id, permission) {
        account_id -> Uuid,
        permission -> Text,
        granted -> Bool,
        reason -> Nullable<Text>,
        set_by -> Nullable<Uuid>,
        created_at -> Timestamptz,
    }
}

diesel::table! {
    account_roles (id) {
        id -> Uuid,
        account_id -> Uuid,
        slug -> Text,
        name -> Text,
        description -> Nullable<Text>,
        color -> Nullable<Text>,
        is_system -> Bool,
        position -> Int4,
        permissions -> Array<Text>,
        created_at -> Timestamptz,
        updated_at -> Timestamptz,
    }
}

diesel::table! {
    account_service_keys (id) {
        id -> Uuid,
        account_id -> Uuid,
        created_by -> Nullable<Uuid>,
        key_hash -> Bytea,
        key_prefix -> Text,
        label -> Text,
        permissions -> Array<Text>,
        created_at -> Timestamptz,
        updated_at -> Timestamptz,
        expires_at -> Nullable<Timestamptz>,
        last_used_at -> Nullable<Timestamptz>,
    }
}

diesel::table! {
    account_settings (account_id) {
        account_id -> Uuid,
        locale -> Text,
        timezone -> Text,
        currency -> Text,
        command_prefix -> Text,
        chat_default_platforms -> Array<Text>,
        chat_show_timestamps -> Bool,
        chat_highlight_mentions -> Bool,
        chat_font_size -> Int4,
        alerts_muted -> Bool,
        alerts_volume -> Int4,
        store_chat -> Bool,
        store_user_profiles -> Bool,
        default_overlay_id -> Nullable<Uuid>,
        updated_at -> Timestamptz,
    }
}

diesel::table! {
    account_usage (account_id, quota) {
        account_id -> Uuid,
        quota -> Text,
        used -> Int8,
    }
}

diesel::table! {
    accounts (id) {
        id -> Uuid,
        name -> Text,
        slug -> Text,
        description -> Nullable<Text>,
        owner_id -> Uuid,
        plan_id -> Uuid,
        primary_login_connection_id -> Nullable<Uuid>,
        created_at -> Timestamptz,
        updated_at -> Timestamptz,
    }
}

diesel::table! {
    admin_role_members (role_id, user_id) {
        role_id -> Uuid,
        user_id -> Uuid,
        assigned_at -> Timestamptz,
    }
}

diesel::table! {
    admin_roles (id) {
        id -> Uuid,
        name -> Text,
        description -> Nullable<Text>,
        is_system -> Bool,
        permissions -> Array<Text>,
        created_at -> Timestamptz,
        updated_at -> Timestamptz,
        seed -> Nullable<Text>,
    }
}

diesel::table! {
    app_credentials (id) {
        id -> Uuid,
        account_id -> Uuid,
        platform -> Text,
        kind -> Text,
        client_id -> Text,
        client_secret -> Bytea,
        created_at -> Timestamptz,
        updated_at -> Timestamptz,
    }
}

diesel::table! {
    audit_chains (account_id) {
        account_id -> Uuid,
        began_at -> Timestamptz,
        oldest_at -> Timestamptz,
        is_signed -> Bool,
        refused_at -> Nullable<Timestamptz>,
    }
}

diesel::table! {
    audit_checkpoints (account_id, seq) {
        account_id -> Uuid,
        seq -> Int8,
        hash -> Bytea,
        signed_at -> Timestamptz,
        is_anchor -> Bool,
        public_key -> Nullable<Bytea>,
        signature -> Nullable<Bytea>,
        began_at -> Nullable<Timestamptz>,
    }
}

diesel::table! {
    audit_links (account_id, seq) {
        account_id -> Uuid,
        seq -> Int8,
        entry_id -> Uuid,
        created_at -> Timestamptz,
        salt -> Nullable<Bytea>,
        commitment -> Bytea,
        content -> Bytea,
        hash -> Bytea,
    }
}

diesel::table! {
    audit_log (id) {
        id -> Uuid,
        scope -> Text,
        account_id -> Nullable<Uuid>,
        actor_type -> Text,
        actor_id -> Nullable<Uuid>,
        action -> Text,
        resource_type -> Text,
        resource_id -> Nullable<Text>,
        metadata -> Jsonb,
        ip -> Nullable<Text>,
        created_at -> Timestamptz,
    }
}

diesel::table! {
    automation_edges (automation_id, id) {
        account_id -> Uuid,
        automation_id -> Uuid,
        id -> Uuid,
        source_node_id -> Uuid,
        source_handle -> Text,
        target_node_id -> Uuid,
        position -> Int4,
    }
}

diesel::table! {
    automation_nodes (automation_id, id) {
        account_id -> Uuid,
        automation_id -> Uuid,
        id -> Uuid,
        node_type -> Text,
        label -> Nullable<Text>,
        config -> Jsonb,
        x -> Float8,
        y -> Float8,
        install_id -> Nullable<Uuid>,
        position -> Int4,
    }
}

diesel::table! {
    automation_runs (id) {
        id -> Uuid,
        account_id -> Uuid,
        automation_id -> Uuid,
        status -> Text,
        trigger -> Jsonb,
        dedupe_key -> Text,
        error -> Nullable<Text>,
        started_at -> Nullable<Timestamptz>,
        finished_at -> Nullable<Timestamptz>,
        created_at -> Timestamptz,
        depth -> Int2,
        graph -> Nullable<Jsonb>,
        context -> Jsonb,
        wake_at -> Nullable<Timestamptz>,
        busy_ms -> Int8,
        cancel_requested_at -> Nullable<Timestamptz>,
        lease_until -> Nullable<Timestamptz>,
        lease_owner -> Nullable<Uuid>,
        is_test -> Bool,
        parent_run_id -> Nullable<Uuid>,
        publish_end_at -> Nullable<Timestamptz>,
    }
}

diesel::table! {
    automation_steps (run_id, position) {
        account_id -> Uuid,
        run_id -> Uuid,
        position -> Int4,
        node_id -> Uuid,
        status -> Text,
        input -> Jsonb,
        output -> Nullable<Jsonb>,
        result -> Nullable<Jsonb>,
        branch -> Nullable<Text>,
        error -> Nullable<Text>,
        started_at -> Timestamptz,
        duration_ms -> Nullable<Int8>,
        claimed_at -> Nullable<Timestamptz>,
        answer -> Nullable<Jsonb>,
    }
}

diesel::table! {
    automation_trigger_registrations (id) {
        id -> Uuid,
        account_id -> Uuid,
        automation_id -> Uuid,
        node_id -> Uuid,
        install_id -> Uuid,
        mode -> Text,
        poll_interval_seconds -> Int4,
        config -> Jsonb,
        state -> Jsonb,
        enabled -> Bool,
        created_at -> Timestamptz,
        updated_at -> Timestamptz,
        webhook_secret -> Nullable<Bytea>,
        webhook_secret_hash -> Nullable<Bytea>,
    }
}

diesel::table! {
    automations (id) {
        id -> Uuid,
        account_id -> Uuid,
        name -> Text,
        description -> Nullable<Text>,
        enabled -> Bool,
        trigger_types -> Array<Text>,
        version -> Int4,
        last_run_at -> Nullable<Timestamptz>,
        run_count -> Int8,
        created_by -> Nullable<Uuid>,
        created_at -> Timestamptz,
        updated_at -> Timestamptz,
        next_run_at -> Nullable<Timestamptz>,
    }
}

diesel::table! {
    bot_command_overrides (account_id, command_id) {
        account_id -> Uuid,
        command_id -> Uuid,
        response -> Nullable<Text>,
        platforms -> Nullable<Array<Text>>,
        min_role -> Nullable<Text>,
        cooldown_global -> Nullable<Int4>,
        cooldown_user -> Nullable<Int4>,
        enabled -> Nullable<Bool>,
        updated_at -> Timestamptz,
    }
}

diesel::table! {
    bot_command_replies (account_id, event_id) {
        account_id -> Uuid,
        event_id -> Uuid,
        command_id -> Uuid,
        result -> Nullable<Jsonb>,
        created_at -> Timestamptz,
    }
}

diesel::table! {
    bot_command_uses (account_id, command_id) {
        account_id -> Uuid,
        command_id -> Uuid,
        use_count -> Int8,
    }
}

diesel::table! {
    bot_commands (id) {
        id -> Uuid,
        account_id -> Nullable<Uuid>,
        name -> Text,
        aliases -> Array<Text>,
        description -> Text,
        response_type -> Text,
        response -> Text,
        automation_id -> Nullable<Uuid>,
        platforms -> Array<Text>,
        min_role -> Text,
        cooldown_global -> Int4,
        cooldown_user -> Int4,
        enabled -> Bool,
        created_at -> Timestamptz,
        updated_at -> Timestamptz,
    }
}

diesel::table! {
    bot_connections (id) {
        id -> Uuid,
        account_id -> Nullable<Uuid>,
        platform -> Text,
        bot_user_id -> Text,
        bot_username -> Text,
        display_name -> Text,
        avatar_url -> Nullable<Text>,
        scopes -> Array<Text>,
        credential_source -> Text,
        credential_app -> Text,
        client_id -> Nullable<Text>,
        access_token -> Nullable<Bytea>,
        refresh_token -> Nullable<Bytea>,
        expires_at -> Nullable<Timestamptz>,
        reconnect_required -> Bool,
        flagged_at -> Nullable<Timestamptz>,
        token_version -> Int8,
        connected_by -> Nullable<Uuid>,
        connected_at -> Timestamptz,
        updated_at -> Timestamptz,
    }
}

diesel::table! {
    bot_pauses (account_id, platform) {
        account_id -> Uuid,
        platform -> Text,
        paused_at -> Timestamptz,
    }
}

diesel::table! {
    channel_connections (id) {
        id -> Uuid,
        account_id -> Uuid,
        platform -> Text,
        platform_channel_id -> Text,
        channel_name -> Text,
        display_name -> Text,
        avatar_url -> Nullable<Text>,
        scopes -> Array<Text>,
        credential_source -> Text,
        access_token -> Nullable<Bytea>,
        refresh_token -> Nullable<Bytea>,
        bot_enabled -> Bool,
        reconnect_required -> Bool,
        expires_at -> Nullable<Timestamptz>,
        connected_by -> Nullable<Uuid>,
        connected_at -> Timestamptz,
        updated_at -> Timestamptz,
        credential_app -> Text,
        client_id -> Nullable<Text>,
        flagged_at -> Nullable<Timestamptz>,
        token_version -> Int8,
        channel_since -> Nullable<Timestamptz>,
    }
}

diesel::table! {
    channel_statuses (id) {
        id -> Uuid,
        account_id -> Uuid,
        platform -> Text,
        broadcast_id -> Nullable<Text>,
        is_online -> Bool,
        broadcast_status -> Nullable<Text>,
        stream_title -> Nullable<Text>,
        category -> Nullable<Text>,
        viewer_count -> Nullable<Int8>,
        like_count -> Nullable<Int8>,
        total_views -> Nullable<Int8>,
        started_at -> Nullable<Timestamptz>,
        scheduled_start -> Nullable<Timestamptz>,
        live_chat_id -> Nullable<Text>,
        updated_at -> Timestamptz,
    }
}

diesel::table! {
    connection_events (connection_id, event_type) {
        connection_id -> Uuid,
        event_type -> Text,
        last_event_at -> Timestamptz,
    }
}

diesel::table! {
    connection_readers (connection_id) {
        connection_id -> Uuid,
        state -> Text,
        detail -> Nullable<Text>,
        since -> Timestamptz,
    }
}

diesel::table! {
    copyright_candidates (id) {
        id -> Uuid,
        song_id -> Uuid,
        vote -> Text,
        status -> Text,
        created_at -> Timestamptz,
    }
}

diesel::table! {
    copyright_votes (id) {
        id -> Uuid,
        song_id -> Uuid,
        user_id -> Uuid,
        account_id -> Uuid,
        vote -> Text,
        reason -> Nullable<Text>,
        created_at -> Timestamptz,
        updated_at -> Timestamptz,
        given_title -> Nullable<Text>,
        given_artist -> Nullable<Text>,
    }
}

diesel::table! {
    coupons (id) {
        id -> Uuid,
        code -> Text,
        percent_off -> Nullable<Int4>,
        amount_off -> Nullable<Int8>,
        duration -> Text,
        max_redemptions -> Nullable<Int4>,
        redeemed -> Int4,
        expires_at -> Nullable<Timestamptz>,
        is_active -> Bool,
        created_at -> Timestamptz,
        updated_at -> Timestamptz,
    }
}

diesel::table! {
    crawler_channels (platform, platform_channel_id) {
        platform -> Text,
        platform_channel_id -> Text,
        next_at -> Nullable<Timestamptz>,
        lease_owner -> Nullable<Uuid>,
        lease_until -> Nullable<Timestamptz>,
        failures -> Int4,
        is_watched -> Bool,
        visited_at -> Nullable<Timestamptz>,
        broadcast_ids -> Array<Text>,
        uploads_id -> Nullable<Text>,
        uploads_next_at -> Nullable<Timestamptz>,
        profile_next_at -> Nullable<Timestamptz>,
        profiled_at -> Nullable<Timestamptz>,
        bio -> Nullable<Text>,
        links -> Nullable<Array<Text>>,
        teams -> Nullable<Array<Text>>,
    }
}

diesel::table! {
    crawler_scope (id) {
        id -> Bool,
        enabled -> Bool,
        platforms -> Array<Text>,
        min_viewers -> Int4,
        languages -> Array<Text>,
        max_channels -> Int4,
        interval_secs -> Int4,
        updated_by -> Nullable<Uuid>,
        updated_at -> Timestamptz,
    }
}

diesel::table! {
    crawler_watchlist (id) {
        id -> Uuid,
        platform -> Text,
        channel -> Text,
        note -> Nullable<Text>,
        created_by -> Nullable<Uuid>,
        created_at -> Timestamptz,
        platform_channel_id -> Nullable<Text>,
        resolve_next_at -> Timestamptz,
    }
}

diesel::table! {
    csp_reports (id) {
        id -> Uuid,
        document_uri -> Text,
        blocked_uri -> Text,
        violated_directive -> Text,
        disposition -> Nullable<Text>,
        source_file -> Nullable<Text>,
        line_number -> Nullable<Int4>,
        column_number -> Nullable<Int4>,
        status_code -> Nullable<Int4>,
        user_agent -> Nullable<Text>,
        received_at -> Timestamptz,
    }
}

diesel::table! {
    developer_applications (id) {
        id -> Uuid,
        user_id -> Uuid,
        application_type -> Text,
        display_name -> Text,
        slug -> Text,
        description -> Text,
        motivation -> Text,
        what_to_build -> Text,
        github_url -> Nullable<Text>,
        website_url -> Nullable<Text>,
        experience -> Nullable<Text>,
        avatar_key -> Nullable<Uuid>,
        status -> Text,
        review_notes -> Nullable<Text>,
        reviewed_by -> Nullable<Uuid>,
        reviewed_at -> Nullable<Timestamptz>,
        created_at -> Timestamptz,
        updated_at -> Timestamptz,
    }
}

diesel::table! {
    developer_limits (developer_id, limit_key) {
        developer_id -> Uuid,
        limit_key -> Text,
        value -> Int8,
        updated_at -> Timestamptz,
    }
}

diesel::table! {
    developer_payout_settings (developer_id) {
        developer_id -> Uuid,
        payout_method -> Nullable<Text>,
        details -> Bytea,
        created_at -> Timestamptz,
        updated_at -> Timestamptz,
    }
}

diesel::table! {
    developer_payouts (id) {
        id -> Uuid,
        developer_id -> Uuid,
        amount -> Int8,
        currency -> Text,
        method -> Text,
        status -> Text,
        created_at -> Timestamptz,
        updated_at -> Timestamptz,
        paid_at -> Nullable<Timestamptz>,
        team_id -> Nullable<Uuid>,
        requested_by -> Nullable<Uuid>,
    }
}

diesel::table! {
    developer_profiles (id) {
        id -> Uuid,
        user_id -> Uuid,
        display_name -> Text,
        slug -> Text,
        description -> Nullable<Text>,
        verified -> Bool,
        created_at -> Timestamptz,
        github_url -> Nullable<Text>,
        website_url -> Nullable<Text>,
        avatar_key -> Nullable<Uuid>,
        updated_at -> Timestamptz,
    }
}

diesel::table! {
    developer_revenue (id) {
        id -> Uuid,
        developer_id -> Uuid,
        extension_id -> Nullable<Uuid>,
        payment_reference -> Text,
        amount -> Int8,
        share -> Int8,
        currency -> Text,
        paid_at -> Timestamptz,
        created_at -> Timestamptz,
        team_id -> Nullable<Uuid>,
    }
}

diesel::table! {
    developer_team_invites (id) {
        id -> Uuid,
        team_id -> Uuid,
        role_id -> Uuid,
        code -> Text,
        email -> Nullable<Text>,
        max_uses -> Int4,
        use_count -> Int4,
        expires_at -> Timestamptz,
        created_by -> Uuid,
        created_at -> Timestamptz,
    }
}

diesel::table! {
    developer_team_members (id) {
        id -> Uuid,
        team_id -> Uuid,
        user_id -> Uuid,
        role_id -> Uuid,
        joined_at -> Timestamptz,
    }
}

diesel::table! {
    developer_team_payout_settings (team_id) {
        team_id -> Uuid,
        payout_method -> Nullable<Text>,
        details -> Bytea,
        created_at -> Timestamptz,
        updated_at -> Timestamptz,
    }
}

diesel::table! {
    developer_team_roles (id) {
        id -> Uuid,
        team_id -> Uuid,
        slug -> Text,
        name -> Text,
        description -> Nullable<Text>,
        permissions -> Array<Text>,
        is_system -> Bool,
        created_at -> Timestamptz,
        updated_at -> Timestamptz,
    }
}

diesel::table! {
    developer_teams (id) {
        id -> Uuid,
        owner_id -> Uuid,
        name -> Text,
        slug -> Text,
        description -> Nullable<Text>,
        github_url -> Nullable<Text>,
        website_url -> Nullable<Text>,
        avatar_key -> Nullable<Text>,
        created_at -> Timestamptz,
        updated_at -> Timestamptz,
    }
}

diesel::table! {
    developer_verifications (id) {
        id -> Uuid,
        developer_id -> Uuid,
        details -> Bytea,
        document_key -> Nullable<Uuid>,
        status -> Text,
        review_notes -> Nullable<Text>,
        reviewed_by -> Nullable<Uuid>,
        reviewed_at -> Nullable<Timestamptz>,
        created_at -> Timestamptz,
        updated_at -> Timestamptz,
    }
}

diesel::table! {
    discord_guild_channels (discord_guild_id, feature) {
        discord_guild_id -> Uuid,
        feature -> Text,
        channel_id -> Text,
    }
}

diesel::table! {
    discord_guilds (id) {
        id -> Uuid,
        account_id -> Uuid,
        guild_id -> Text,
        name -> Text,
        icon_url -> Nullable<Text>,
        connected_by -> Nullable<Uuid>,
        connected_at -> Timestamptz,
        updated_at -> Timestamptz,
    }
}

diesel::table! {
    extension_access_grants (extension_id, account_id) {
        extension_id -> Uuid,
        account_id -> Uuid,
        granted_by -> Nullable<Uuid>,
        created_at -> Timestamptz,
    }
}

diesel::table! {
    extension_actions (install_id, invocation_id) {
        invocation_id -> Text,
        install_id -> Uuid,
        account_id -> Uuid,
        action -> Text,
        result -> Nullable<Jsonb>,
        created_at -> Timestamptz,
    }
}

diesel::table! {
    extension_approvals (version_id, reviewer_id) {
        version_id -> Uuid,
        reviewer_id -> Uuid,
        created_at -> Timestamptz,
    }
}

diesel::table! {
    extension_feedback (id) {
        id -> Uuid,
        extension_id -> Uuid,
        version_id -> Uuid,
        account_id -> Uuid,
        user_id -> Uuid,
        category -> Text,
        body -> Text,
        created_at -> Timestamptz,
    }
}

diesel::table! {
    extension_files (id) {
        id -> Uuid,
        version_id -> Uuid,
        file_path -> Text,
        content_type -> Text,
        size_bytes -> Int8,
        content_hash -> Text,
        storage_key -> Text,
        created_at -> Timestamptz,
    }
}

diesel::table! {
    extension_installs (id) {
        id -> Uuid,
        account_id -> Uuid,
        extension_id -> Uuid,
        version_id -> Uuid,
        pinned_version -> Nullable<Text>,
        enabled -> Bool,
        killed_at -> Nullable<Timestamptz>,
        config -> Jsonb,
        granted_permissions -> Array<Text>,
        installed_by -> Nullable<Uuid>,
        created_at -> Timestamptz,
        updated_at -> Timestamptz,
        exempt_roles -> Array<Text>,
        offered_version_id -> Nullable<Uuid>,
        stop_told_at -> Nullable<Timestamptz>,
    }
}

diesel::table! {
    extension_limits (extension_id, limit_key) {
        extension_id -> Uuid,
        limit_key -> Text,
        value -> Int8,
        updated_at -> Timestamptz,
    }
}

diesel::table! {
    extension_reviews (id) {
        id -> Uuid,
        extension_id -> Uuid,
        user_id -> Uuid,
        rating -> Int4,
        title -> Text,
        body -> Text,
        developer_reply -> Nullable<Text>,
        created_at -> Timestamptz,
        updated_at -> Timestamptz,
    }
}

diesel::table! {
    extension_rows (id) {
        id -> Uuid,
        extension_id -> Uuid,
        account_id -> Uuid,
        install_id -> Nullable<Uuid>,
        table_name -> Text,
        data -> Jsonb,
        bytes -> Int8,
        created_at -> Timestamptz,
        updated_at -> Timestamptz,
    }
}

diesel::table! {
    extension_secrets (extension_id, key) {
        extension_id -> Uuid,
        key -> Text,
        value -> Bytea,
        created_at -> Timestamptz,
        updated_at -> Timestamptz,
    }
}

diesel::table! {
    extension_storage (install_id) {
        install_id -> Uuid,
        account_id -> Uuid,
        extension_id -> Uuid,
        value -> Jsonb,
        version -> Int8,
        updated_at -> Timestamptz,
    }
}

diesel::table! {
    extension_testers (extension_id, user_id) {
        extension_id -> Uuid,
        user_id -> Uuid,
        invited_by -> Nullable<Uuid>,
        created_at -> Timestamptz,
    }
}

diesel::table! {
    extension_uninstalls (install_id) {
        install_id -> Uuid,
        account_id -> Uuid,
        extension_id -> Uuid,
        uninstalled_at -> Timestamptz,
    }
}

diesel::table! {
    extension_uploads (id) {
        id -> Uuid,
        extension_id -> Uuid,
        account_id -> Uuid,
        filename -> Text,
        content_type -> Text,
        size_bytes -> Int8,
        sha256 -> Text,
        storage_key -> Text,
        created_at -> Timestamptz,
        abandoned_at -> Nullable<Timestamptz>,
    }
}

diesel::table! {
    extension_usage (extension_id, scope, subject, owner) {
        extension_id -> Uuid,
        scope -> Text,
        subject -> Uuid,
        owner -> Text,
        account_id -> Nullable<Uuid>,
        bytes -> Int8,
        keys -> Int8,
    }
}

diesel::table! {
    extension_values (extension_id, scope, subject, owner, key) {
        extension_id -> Uuid,
        scope -> Text,
        subject -> Uuid,
        owner -> Text,
        key -> Text,
        account_id -> Nullable<Uuid>,
        value -> Jsonb,
        bytes -> Int8,
        updated_at -> Timestamptz,
    }
}

diesel::table! {
    extension_versions (id) {
        id -> Uuid,
        extension_id -> Uuid,
        version -> Text,
        status -> Text,
        changelog -> Text,
        manifest -> Jsonb,
        bundle_size_bytes -> Int8,
        handler_code -> Nullable<Text>,
        breaking -> Bool,
        needs_enhanced_review -> Bool,
        submitted_by -> Nullable<Uuid>,
        submitted_at -> Timestamptz,
        approved_at -> Nullable<Timestamptz>,
        review_notes -> Nullable<Text>,
    }
}

diesel::table! {
    extensions (id) {
        id -> Uuid,
        short_id -> Text,
        slug -> Text,
        owner_developer_id -> Nullable<Uuid>,
        name -> Text,
        short_description -> Text,
        description -> Text,
        category -> Nullable<Text>,
        visibility -> Text,
        status -> Text,
        pricing_type -> Text,
        install_count -> Int4,
        rating_avg -> Float8,
        rating_count -> Int4,
        listed_at -> Nullable<Timestamptz>,
        published_at -> Nullable<Timestamptz>,
        current_version_id -> Nullable<Uuid>,
        created_at -> Timestamptz,
        updated_at -> Timestamptz,
        pricing_amount -> Nullable<Int8>,
        pricing_interval -> Nullable<Text>,
        icon_key -> Nullable<Text>,
        screenshots -> Array<Text>,
        tags -> Array<Text>,
        support_url -> Nullable<Text>,
        slug_changed_at -> Nullable<Timestamptz>,
        rating_sum -> Int8,
        is_listed -> Bool,
        suspended_at -> Nullable<Timestamptz>,
        suspended_from -> Nullable<Text>,
        suspension_reason -> Nullable<Text>,
        owner_team_id -> Nullable<Uuid>,
    }
}

diesel::table! {
    feature_flags (id) {
        id -> Uuid,
        key -> Text,
        label -> Text,
        description -> Text,
        category -> Text,
        globally_enabled -> Bool,
        default_for_accounts -> Bool,
        created_at -> Timestamptz,
        updated_at -> Timestamptz,
    }
}

diesel::table! {
    idea_categories (id) {
        id -> Uuid,
        name -> Text,
        label -> Text,
        color -> Text,
        sort_order -> Int4,
        created_at -> Timestamptz,
    }
}

diesel::table! {
    idea_comment_votes (comment_id, user_id) {
        comment_id -> Uuid,
        user_id -> Uuid,
        vote_type -> Text,
        created_at -> Timestamptz,
    }
}

diesel::table! {
    idea_comments (id) {
        id -> Uuid,
        idea_id -> Uuid,
        parent_id -> Nullable<Uuid>,
        author_id -> Uuid,
        body -> Text,
        vote_count_up -> Int4,
        vote_count_down -> Int4,
        reply_count -> Int4,
        score -> Int4,
        created_at -> Timestamptz,
        updated_at -> Timestamptz,
    }
}

diesel::table! {
    idea_mentions (id) {
        id -> Int8,
        user_id -> Uuid,
        idea_id -> Nullable<Uuid>,
        comment_id -> Nullable<Uuid>,
    }
}

diesel::table! {
    idea_tag_links (idea_id, tag_id) {
        idea_id -> Uuid,
        tag_id -> Uuid,
    }
}

diesel::table! {
    idea_tags (id) {
        id -> Uuid,
        name -> Text,
        created_by -> Nullable<Uuid>,
        created_at -> Timestamptz,
    }
}

diesel::table! {
    idea_texts (idea_id) {
        idea_id -> Uuid,
        title -> Text,
        description -> Text,
    }
}

diesel::table! {
    idea_timeline (id) {
        id -> Uuid,
        idea_id -> Uuid,
        actor_id -> Nullable<Uuid>,
        action -> Text,
        old_value -> Nullable<Text>,
        new_value -> Nullable<Text>,
        created_at -> Timestamptz,
    }
}

diesel::table! {
    idea_totals (category_id, status) {
        category_id -> Uuid,
        status -> Text,
        ideas -> Int8,
    }
}

diesel::table! {
    idea_votes (idea_id, user_id) {
        idea_id -> Uuid,
        user_id -> Uuid,
        vote_type -> Text,
        created_at -> Timestamptz,
    }
}

diesel::table! {
    ideas (id) {
        id -> Uuid,
        author_id -> Uuid,
        category_id -> Uuid,
        status -> Text,
        vote_count_up -> Int4,
        vote_count_down -> Int4,
        comment_count -> Int4,
        score -> Int4,
        trend_band -> Int4,
        created_at -> Timestamptz,
        updated_at -> Timestamptz,
    }
}

diesel::table! {
    idempotent_requests (id) {
        id -> Uuid,
        request -> Uuid,
        account_id -> Nullable<Uuid>,
        user_id -> Nullable<Uuid>,
        operation -> Text,
        fingerprint -> Bytea,
        status -> Nullable<Int2>,
        headers -> Nullable<Jsonb>,
        answer -> Nullable<Json>,
        sealed_answer -> Nullable<Bytea>,
        started_at -> Timestamptz,
        created_at -> Timestamptz,
    }
}

diesel::table! {
    integration_configs (id) {
        id -> Uuid,
        account_id -> Uuid,
        integration -> Text,
        external_id -> Nullable<Text>,
        enabled -> Bool,
        created_at -> Timestamptz,
        updated_at -> Timestamptz,
    }
}

diesel::table! {
    invites (id) {
        id -> Uuid,
        account_id -> Uuid,
        code -> Text,
        role_id -> Uuid,
        method -> Text,
        target_user_id -> Nullable<Uuid>,
        email -> Nullable<Text>,
        max_uses -> Nullable<Int4>,
        use_count -> Int4,
        expires_at -> Nullable<Timestamptz>,
        created_by -> Nullable<Uuid>,
        created_at -> Timestamptz,
        created_by_key -> Nullable<Uuid>,
    }
}

diesel::table! {
    limit_request_events (id) {
        id -> Uuid,
        request_id -> Uuid,
        event_type -> Text,
        actor_id -> Nullable<Uuid>,
        details -> Nullable<Jsonb>,
        created_at -> Timestamptz,
    }
}

diesel::table! {
    limit_requests (id) {
        id -> Uuid,
        developer_id -> Uuid,
        requested_by -> Nullable<Uuid>,
        scope -> Text,
        extension_id -> Nullable<Uuid>,
        limit_key -> Text,
        current_value -> Int8,
        requested_value -> Int8,
        reason -> Text,
        status -> Text,
        review_notes -> Nullable<Text>,
        reviewed_by -> Nullable<Uuid>,
        reviewed_at -> Nullable<Timestamptz>,
        created_at -> Timestamptz,
        updated_at -> Timestamptz,
    }
}

diesel::table! {
    listed_songs (id) {
        id -> Uuid,
        account_id -> Nullable<Uuid>,
        list -> Text,
        spotify_track_id -> Nullable<Text>,
        isrc -> Nullable<Text>,
        title -> Text,
        artist -> Text,
        title_key -> Text,
        artist_key -> Text,
        created_at -> Timestamptz,
    }
}

diesel::table! {
    login_assignments (id) {
        id -> Uuid,
        account_id -> Uuid,
        user_id -> Uuid,
        login_connection_id -> Uuid,
        platform -> Text,
        created_at -> Timestamptz,
    }
}

diesel::table! {
    login_connections (id) {
        id -> Uuid,
        user_id -> Uuid,
        platform -> Text,
        provider_user_id -> Text,
        username -> Text,
        display_name -> Text,
        avatar_url -> Nullable<Text>,
        access_token -> Nullable<Bytea>,
        reconnect_required -> Bool,
        created_at -> Timestamptz,
        updated_at -> Timestamptz,
        refresh_token -> Nullable<Bytea>,
        expires_at -> Nullable<Timestamptz>,
        client_id -> Nullable<Text>,
        flagged_at -> Nullable<Timestamptz>,
        token_version -> Int8,
    }
}

diesel::table! {
    mails (id) {
        id -> Uuid,
        user_id -> Nullable<Uuid>,
        address -> Nullable<Text>,
        template -> Jsonb,
        claimed_until -> Nullable<Timestamptz>,
        created_at -> Timestamptz,
    }
}

diesel::table! {
    memberships (id) {
        id -> Uuid,
        account_id -> Uuid,
        user_id -> Uuid,
        role_id -> Uuid,
        joined_at -> Timestamptz,
    }
}

diesel::table! {
    moderation_log (id) {
        id -> Uuid,
        account_id -> Uuid,
        platform -> Nullable<Text>,
        action -> Text,
        target -> Text,
        moderator_type -> Text,
        moderator_id -> Nullable<Uuid>,
        reason -> Nullable<Text>,
        duration_secs -> Nullable<Int4>,
        success -> Bool,
        details -> Nullable<Text>,
        platform_ban_id -> Nullable<Text>,
        created_at -> Timestamptz,
        author_id -> Nullable<Text>,
    }
}

diesel::table! {
    music_alerts (account_id) {
        account_id -> Uuid,
        stream_began_at -> Timestamptz,
        songs -> Array<Text>,
        updated_at -> Timestamptz,
    }
}

diesel::table! {
    notification_preferences (user_id, notification_type) {
        user_id -> Uuid,
        notification_type -> Text,
        channel -> Text,
        updated_at -> Timestamptz,
    }
}

diesel::table! {
    notifications (id) {
        id -> Uuid,
        user_id -> Uuid,
        notification_type -> Text,
        title -> Text,
        message -> Text,
        data -> Jsonb,
        actions -> Jsonb,
        read_at -> Nullable<Timestamptz>,
        created_at -> Timestamptz,
    }
}

diesel::table! {
    oauth_clients (id) {
        id -> Uuid,
        name -> Text,
        redirect_uris -> Array<Text>,
        allowed_hosts -> Array<Text>,
        is_active -> Bool,
        created_at -> Timestamptz,
        updated_at -> Timestamptz,
    }
}

diesel::table! {
    obs_configs (account_id) {
        account_id -> Uuid,
        port -> Int4,
        password -> Nullable<Bytea>,
        remote_enabled -> Bool,
        remote_host -> Nullable<Text>,
        revision -> Uuid,
        created_at -> Timestamptz,
        updated_at -> Timestamptz,
    }
}

diesel::table! {
    outbox (id) {
        id -> Uuid,
        queue -> Text,
        payload -> Jsonb,
        idempotency_key -> Text,
        created_at -> Timestamptz,
        refusal -> Nullable<Text>,
        relayed_at -> Nullable<Timestamptz>,
        traceparent -> Nullable<Text>,
    }
}

diesel::table! {
    overlay_access (id) {
        id -> Uuid,
        account_id -> Uuid,
        overlay_id -> Uuid,
        user_id -> Uuid,
        role -> Text,
        granted_by -> Nullable<Uuid>,
        created_at -> Timestamptz,
    }
}

diesel::table! {
    overlay_layers (id) {
        id -> Uuid,
        account_id -> Uuid,
        overlay_id -> Uuid,
        layer_type -> Text,
        name -> Text,
        config -> Jsonb,
        visible -> Bool,
        sort_order -> Int4,
        install_id -> Nullable<Uuid>,
        x -> Float8,
        y -> Float8,
        width -> Float8,
        height -> Float8,
        rotation -> Float8,
        opacity -> Float8,
        locked -> Bool,
        shown_until -> Nullable<Timestamptz>,
        hidden_until -> Nullable<Timestamptz>,
    }
}

diesel::table! {
    overlay_shares (id) {
        id -> Uuid,
        account_id -> Uuid,
        overlay_id -> Uuid,
        label -> Nullable<Text>,
        created_by -> Nullable<Uuid>,
        created_at -> Timestamptz,
    }
}

diesel::table! {
    overlays (id) {
        id -> Uuid,
        account_id -> Uuid,
        name -> Text,
        key -> Text,
        width -> Int4,
        height -> Int4,
        background -> Text,
        version -> Int4,
        thumbnail_upload_id -> Nullable<Uuid>,
        token -> Bytea,
        created_at -> Timestamptz,
        updated_at -> Timestamptz,
    }
}

diesel::table! {
    plan_features (plan_id, feature_id) {
        plan_id -> Uuid,
        feature_id -> Uuid,
        enabled -> Bool,
    }
}

diesel::table! {
    plans (id) {
        id -> Uuid,
        slug -> Text,
        name -> Text,
        description -> Nullable<Text>,
        price_monthly -> Int8,
        price_yearly -> Int8,
        currency -> Text,
        is_public -> Bool,
        sort_order -> Int4,
        max_overlays -> Int8,
        max_storage_bytes -> Int8,
        max_upload_size_bytes -> Int8,
        max_integrations -> Int8,
        chat_retention_days -> Int8,
        max_accounts -> Int4,
        payment_product_id -> Nullable<Text>,
        payment_monthly_price_id -> Nullable<Text>,
        payment_yearly_price_id -> Nullable<Text>,
        created_at -> Timestamptz,
        updated_at -> Timestamptz,
        max_sounds -> Int8,
        max_sound_file_size -> Int8,
        max_sound_storage_bytes -> Int8,
        max_automations -> Int8,
    }
}

diesel::table! {
    platform_quota_shares (platform, client_id, day, account_id) {
        platform -> Text,
        client_id -> Text,
        day -> Date,
        account_id -> Uuid,
        used -> Int8,
    }
}

diesel::table! {
    platform_quotas (platform, client_id, day) {
        platform -> Text,
        client_id -> Text,
        day -> Date,
        used -> Int8,
    }
}

diesel::table! {
    playlist_sync_songs (sync_id, song_id) {
        account_id -> Uuid,
        sync_id -> Uuid,
        song_id -> Uuid,
    }
}

diesel::table! {
    playlist_syncs (id) {
        id -> Uuid,
        account_id -> Uuid,
        playlist_id -> Text,
        name -> Text,
        list -> Text,
        snapshot_id -> Nullable<Text>,
        track_count -> Int4,
        last_synced_at -> Nullable<Timestamptz>,
        error -> Nullable<Text>,
        due_at -> Timestamptz,
        claimed_until -> Nullable<Timestamptz>,
        created_at -> Timestamptz,
        updated_at -> Timestamptz,
    }
}

diesel::table! {
    polls (id) {
        id -> Uuid,
        account_id -> Uuid,
        platform -> Text,
        platform_poll_id -> Text,
        title -> Text,
        choices -> Jsonb,
        status -> Text,
        winning_choice_id -> Nullable<Text>,
        started_at -> Timestamptz,
        ends_at -> Timestamptz,
        ended_at -> Nullable<Timestamptz>,
        updated_at -> Timestamptz,
    }
}

diesel::table! {
    popout_tokens (id) {
        id -> Uuid,
        account_id -> Uuid,
        user_id -> Uuid,
        token_hash -> Bytea,
        token_prefix -> Text,
        label -> Nullable<Text>,
        permissions -> Array<Text>,
        created_at -> Timestamptz,
        expires_at -> Nullable<Timestamptz>,
        last_used_at -> Nullable<Timestamptz>,
        created_by -> Uuid,
    }
}

diesel::table! {
    predictions (id) {
        id -> Uuid,
        account_id -> Uuid,
        platform -> Text,
        platform_prediction_id -> Text,
        title -> Text,
        outcomes -> Jsonb,
        status -> Text,
        winning_outcome_id -> Nullable<Text>,
        started_at -> Timestamptz,
        locks_at -> Timestamptz,
        ended_at -> Nullable<Timestamptz>,
        updated_at -> Timestamptz,
    }
}

diesel::table! {
    privacy_erasures (id) {
        id -> Uuid,
        kind -> Text,
        status -> Text,
        subject_hash -> Text,
        salt -> Text,
        deleted_message_count -> Int8,
        erased_key_count -> Int8,
        affected_accounts -> Int4,
        requested_by -> Nullable<Uuid>,
        started_at -> Timestamptz,
        finished_at -> Nullable<Timestamptz>,
        account_ids -> Array<Uuid>,
        entered_accounts -> Int4,
    }
}

diesel::table! {
    public_channel_days (platform, platform_channel_id, day) {
        platform -> Text,
        platform_channel_id -> Text,
        day -> Date,
        source -> Text,
        live_secs -> Int8,
        viewer_secs -> Int8,
        peak_viewers -> Int8,
        message_count -> Int8,
        follower_count -> Nullable<Int8>,
        sample_count -> Int8,
    }
}

diesel::table! {
    public_channel_marks (platform, platform_channel_id) {
        platform -> Text,
        platform_channel_id -> Text,
        marked_at -> Timestamptz,
    }
}

diesel::table! {
    public_channel_ranges (range_days, platform, platform_channel_id) {
        range_days -> Int2,
        platform -> Text,
        platform_channel_id -> Text,
        avg_viewers -> Float8,
        peak_viewers -> Int8,
        live_secs -> Int8,
        total_messages -> Int8,
    }
}

diesel::table! {
    public_channel_settings (account_id, platform) {
        account_id -> Uuid,
        platform -> Text,
        platform_channel_id -> Text,
        channel_name -> Nullable<Text>,
        is_public -> Bool,
        show_top_chatters -> Bool,
        opted_out_via -> Nullable<Text>,
        updated_at -> Timestamptz,
    }
}

diesel::table! {
    public_channels (platform, platform_channel_id) {
        platform -> Text,
        platform_channel_id -> Text,
        login -> Nullable<Text>,
        display_name -> Nullable<Text>,
        avatar_url -> Nullable<Text>,
        broadcaster_type -> Nullable<Text>,
        language -> Nullable<Text>,
        source -> Text,
        is_live -> Bool,
        current_viewers -> Nullable<Int8>,
        current_game_id -> Nullable<Text>,
        current_game -> Nullable<Text>,
        current_title -> Nullable<Text>,
        current_broadcast_id -> Nullable<Text>,
        live_since -> Nullable<Timestamptz>,
        live_seen_at -> Nullable<Timestamptz>,
        last_streamed_at -> Nullable<Timestamptz>,
        followers -> Nullable<Int8>,
        followers_at -> Nullable<Timestamptz>,
        is_hidden -> Bool,
        first_seen_at -> Timestamptz,
        profile_at -> Nullable<Timestamptz>,
        first_party_at -> Nullable<Timestamptz>,
        hidden_names -> Array<Text>,
    }
}

diesel::table! {
    public_emote_days (provider, emote_id, platform, day, platform_channel_id) {
        provider -> Text,
        emote_id -> Text,
        platform -> Text,
        platform_channel_id -> Text,
        day -> Date,
        usage_count -> Int8,
    }
}

diesel::table! {
    public_emote_marks (platform, provider, emote_id) {
        platform -> Text,
        provider -> Text,
        emote_id -> Text,
        marked_at -> Timestamptz,
    }
}

diesel::table! {
    public_emote_ranges (range_days, platform, provider, emote_id) {
        range_days -> Int2,
        platform -> Text,
        provider -> Text,
        emote_id -> Text,
        usage_count -> Int8,
        channel_count -> Int8,
    }
}

diesel::table! {
    public_emotes (provider, emote_id) {
        provider -> Text,
        emote_id -> Text,
        name -> Text,
        url -> Nullable<Text>,
        animated -> Bool,
        first_seen_at -> Timestamptz,
    }
}

diesel::table! {
    public_game_days (platform, game_id, day) {
        platform -> Text,
        game_id -> Text,
        day -> Date,
        viewer_secs -> Int8,
        slot_count -> Int8,
        peak_viewers -> Int8,
        peak_channels -> Int8,
    }
}

diesel::table! {
    public_game_marks (platform, game_id) {
        platform -> Text,
        game_id -> Text,
        marked_at -> Timestamptz,
    }
}

diesel::table! {
    public_game_ranges (range_days, platform, game_id) {
        range_days -> Int2,
        platform -> Text,
        game_id -> Text,
        avg_viewers -> Float8,
        peak_viewers -> Int8,
        hours_watched -> Float8,
        channels -> Int8,
    }
}

diesel::table! {
    public_games (platform, game_id) {
        platform -> Text,
        game_id -> Text,
        name -> Text,
        box_art_url -> Nullable<Text>,
        live_viewers -> Int8,
        live_channels -> Int8,
        updated_at -> Timestamptz,
    }
}

diesel::table! {
    public_panels (platform, platform_channel_id, panel_id) {
        platform -> Text,
        platform_channel_id -> Text,
        panel_id -> Text,
        content -> Text,
        images -> Jsonb,
        first_seen_at -> Timestamptz,
        last_seen_at -> Timestamptz,
        removed_at -> Nullable<Timestamptz>,
    }
}

diesel::table! {
    public_profile_changes (id) {
        id -> Uuid,
        platform -> Text,
        platform_channel_id -> Text,
        change_type -> Text,
        old_value -> Nullable<Text>,
        new_value -> Nullable<Text>,
        changed_at -> Timestamptz,
    }
}

diesel::table! {
    public_streams (platform, broadcast_id) {
        platform -> Text,
        broadcast_id -> Text,
        platform_channel_id -> Text,
        source -> Text,
        title -> Nullable<Text>,
        game_id -> Nullable<Text>,
        category -> Nullable<Text>,
        language -> Nullable<Text>,
        started_at -> Timestamptz,
        ended_at -> Nullable<Timestamptz>,
        duration_secs -> Nullable<Int8>,
        peak_viewers -> Nullable<Int8>,
        avg_viewers -> Nullable<Float8>,
        total_messages -> Int8,
        emote_count -> Int8,
        top_emotes -> Jsonb,
        gif_count -> Int8,
        top_gifs -> Jsonb,
        top_chatters -> Nullable<Jsonb>,
        viewer_secs -> Int8,
        viewed_secs -> Int8,
        last_seen_at -> Nullable<Timestamptz>,
    }
}

diesel::table! {
    public_sweeps (sweep) {
        sweep -> Text,
        day -> Date,
        previous_day -> Date,
        after_key -> Nullable<Array<Text>>,
        run_at -> Timestamptz,
    }
}

diesel::table! {
    redis_checkpoint (is_only) {
        is_only -> Bool,
        number -> Int8,
        checked_at -> Timestamptz,
        settled_until -> Timestamptz,
        lost_at -> Nullable<Timestamptz>,
        epoch -> Int8,
    }
}

diesel::table! {
    reward_redemptions (reward_id, redemption_id) {
        reward_id -> Uuid,
        account_id -> Uuid,
        redemption_id -> Text,
        outcome -> Nullable<Text>,
        created_at -> Timestamptz,
    }
}

diesel::table! {
    rewards (id) {
        id -> Uuid,
        account_id -> Uuid,
        platform -> Text,
        platform_reward_id -> Text,
        is_managed -> Bool,
        title -> Text,
        cost -> Int4,
        enabled -> Bool,
        action -> Jsonb,
        created_at -> Timestamptz,
        updated_at -> Timestamptz,
    }
}

diesel::table! {
    se_tokens (id) {
        id -> Uuid,
        account_id -> Uuid,
        platform -> Text,
        token -> Bytea,
        label -> Nullable<Text>,
        created_at -> Timestamptz,
        updated_at -> Timestamptz,
        refused_at -> Nullable<Timestamptz>,
    }
}

diesel::table! {
    sessions (id) {
        id -> Uuid,
        user_id -> Uuid,
        refresh_hash -> Bytea,
        active_account_id -> Nullable<Uuid>,
        ip -> Nullable<Text>,
        user_agent -> Nullable<Text>,
        created_at -> Timestamptz,
        last_seen_at -> Timestamptz,
        expires_at -> Timestamptz,
        revoked_at -> Nullable<Timestamptz>,
        login_connection_id -> Nullable<Uuid>,
    }
}

diesel::table! {
    songs (id) {
        id -> Uuid,
        spotify_track_id -> Nullable<Text>,
        isrc -> Nullable<Text>,
        title -> Text,
        artist -> Text,
        title_key -> Text,
        artist_key -> Text,
        created_at -> Timestamptz,
    }
}

diesel::table! {
    sounds (id) {
        id -> Uuid,
        account_id -> Uuid,
        name -> Text,
        filename -> Text,
        content_type -> Text,
        size_bytes -> Int8,
        duration_ms -> Nullable<Int8>,
        waveform -> Nullable<Jsonb>,
        storage_key -> Text,
        sha256 -> Text,
        created_at -> Timestamptz,
    }
}

diesel::table! {
    stream_broadcasts (id) {
        id -> Uuid,
        account_id -> Uuid,
        session_id -> Uuid,
        platform -> Text,
        platform_channel_id -> Text,
        broadcast_id -> Text,
        title -> Nullable<Text>,
        category -> Nullable<Text>,
        started_at -> Timestamptz,
        ended_at -> Nullable<Timestamptz>,
        stated_start -> Nullable<Timestamptz>,
        spans -> Jsonb,
        peak_viewers -> Nullable<Int8>,
        avg_viewers -> Nullable<Float8>,
        viewer_sum -> Int8,
        viewer_minutes -> Int8,
        sampled_at -> Nullable<Timestamptz>,
    }
}

diesel::table! {
    stream_changes (id) {
        id -> Int8,
        account_id -> Uuid,
        session_id -> Uuid,
        platform -> Text,
        kind -> Text,
        value -> Nullable<Text>,
        is_first -> Bool,
        at -> Timestamptz,
    }
}

diesel::table! {
    stream_floors (account_id) {
        account_id -> Uuid,
        ended_at -> Timestamptz,
        minutes_to -> Timestamptz,
    }
}

diesel::table! {
    stream_sessions (id) {
        id -> Uuid,
        account_id -> Uuid,
        session_type -> Text,
        platforms -> Array<Text>,
        title -> Nullable<Text>,
        category -> Nullable<Text>,
        categories -> Array<Text>,
        started_at -> Timestamptz,
        ended_at -> Nullable<Timestamptz>,
        last_off_at -> Nullable<Timestamptz>,
        minutes_from -> Timestamptz,
        minutes_to -> Nullable<Timestamptz>,
        recount_from -> Nullable<Timestamptz>,
        duration_secs -> Nullable<Int8>,
        peak_viewers -> Nullable<Int8>,
        avg_viewers -> Nullable<Float8>,
        total_messages -> Int8,
        unique_chatters -> Nullable<Int8>,
        new_followers -> Nullable<Int8>,
        new_subscribers -> Nullable<Int8>,
        report -> Nullable<Jsonb>,
        report_made_at -> Nullable<Timestamptz>,
        report_due_at -> Nullable<Timestamptz>,
    }
}

diesel::table! {
    stream_shared_links (id) {
        id -> Uuid,
        account_id -> Uuid,
        report_id -> Uuid,
        created_by -> Nullable<Uuid>,
        token_hash -> Bytea,
        password_hash -> Nullable<Text>,
        allow_export -> Bool,
        created_at -> Timestamptz,
        expires_at -> Timestamptz,
        revoked_at -> Nullable<Timestamptz>,
        view_count -> Int8,
        last_viewed_at -> Nullable<Timestamptz>,
    }
}

diesel::table! {
    stream_transitions (id) {
        id -> Int8,
        account_id -> Uuid,
        platform -> Text,
        platform_channel_id -> Text,
        broadcast_id -> Nullable<Text>,
        is_online -> Bool,
        title -> Nullable<Text>,
        category -> Nullable<Text>,
        started_at -> Nullable<Timestamptz>,
        at -> Timestamptz,
    }
}

diesel::table! {
    subscriptions (id) {
        id -> Uuid,
        account_id -> Uuid,
        plan_id -> Uuid,
        status -> Text,
        renews_at -> Nullable<Timestamptz>,
        cancelled_at -> Nullable<Timestamptz>,
        created_at -> Timestamptz,
        updated_at -> Timestamptz,
    }
}

diesel::table! {
    support_tickets (id) {
        id -> Uuid,
        user_id -> Uuid,
        account_id -> Nullable<Uuid>,
        subject -> Text,
        body -> Text,
        status -> Text,
        created_at -> Timestamptz,
        updated_at -> Timestamptz,
    }
}

diesel::table! {
    surface_tokens (id) {
        id -> Uuid,
        kind -> Text,
        account_id -> Uuid,
        subject -> Text,
        user_id -> Nullable<Uuid>,
        token_hash -> Bytea,
        token_prefix -> Text,
        surface -> Nullable<Text>,
        created_at -> Timestamptz,
        expires_at -> Nullable<Timestamptz>,
        revoked_at -> Nullable<Timestamptz>,
    }
}

diesel::table! {
    system_connections (id) {
        id -> Uuid,
        platform -> Text,
        kind -> Text,
        client_id -> Text,
        client_secret -> Bytea,
        created_at -> Timestamptz,
        updated_at -> Timestamptz,
    }
}

diesel::table! {
    system_keys (id) {
        id -> Uuid,
        label -> Text,
        key_hash -> Bytea,
        key_prefix -> Text,
        created_by -> Nullable<Uuid>,
        created_at -> Timestamptz,
        last_used_at -> Nullable<Timestamptz>,
    }
}

diesel::table! {
    token_refreshes (connection_id) {
        connection_id -> Uuid,
        claim -> Nullable<Uuid>,
        claimed_until -> Nullable<Timestamptz>,
        failures -> Int4,
        retry_at -> Nullable<Timestamptz>,
        updated_at -> Timestamptz,
    }
}

diesel::table! {
    token_revocations (id) {
        id -> Uuid,
        account_id -> Nullable<Uuid>,
        platform -> Text,
        credential_source -> Text,
        credential_app -> Text,
        client_id -> Nullable<Text>,
        access_token -> Nullable<Bytea>,
        refresh_token -> Nullable<Bytea>,
        created_at -> Timestamptz,
        owner_id -> Nullable<Text>,
        user_id -> Nullable<Uuid>,
        client_secret -> Nullable<Bytea>,
        subscriptions -> Array<Text>,
    }
}

diesel::table! {
    unclaimed_objects (storage_key) {
        storage_key -> Text,
        noted_at -> Timestamptz,
    }
}

diesel::table! {
    unconfirmed_logins (id) {
        id -> Uuid,
        user_id -> Uuid,
        platform -> Text,
        provider_user_id -> Text,
        username -> Text,
        display_name -> Text,
        avatar_url -> Nullable<Text>,
        access_token -> Bytea,
        expires_at -> Nullable<Timestamptz>,
        client_id -> Nullable<Text>,
        created_at -> Timestamptz,
    }
}

diesel::table! {
    uploads (id) {
        id -> Uuid,
        account_id -> Uuid,
        filename -> Text,
        content_type -> Text,
        size_bytes -> Int8,
        storage_key -> Text,
        purpose -> Text,
        sha256 -> Text,
        created_by -> Nullable<Uuid>,
        created_at -> Timestamptz,
    }
}

diesel::table! {
    usage_batches (id) {
        id -> Uuid,
        requests -> Int8,
        handler_us -> Int8,
        fetches -> Int8,
        messages -> Int8,
        stored_at -> Timestamptz,
    }
}

diesel::table! {
    usage_budgets (id) {
        id -> Uuid,
        account_id -> Uuid,
        subject_kind -> Text,
        subject_id -> Uuid,
        unit -> Text,
        period -> Text,
        maximum -> Int8,
        warn_percent -> Nullable<Int2>,
        is_stopping -> Bool,
        warned_period -> Nullable<Timestamptz>,
        reached_period -> Nullable<Timestamptz>,
        stopped_until -> Nullable<Timestamptz>,
        created_by -> Nullable<Uuid>,
        created_at -> Timestamptz,
        updated_at -> Timestamptz,
    }
}

diesel::table! {
    usage_hours (account_id, subject_kind, subject_id, hour) {
        account_id -> Uuid,
        subject_kind -> Text,
        subject_id -> Uuid,
        hour -> Timestamptz,
        requests -> Int8,
        handler_us -> Int8,
        fetches -> Int8,
        messages -> Int8,
        stored_bytes -> Int8,
    }
}

diesel::table! {
    usage_marks (account_id) {
        account_id -> Uuid,
        marked_at -> Timestamptz,
    }
}

diesel::table! {
    usage_storage (account_id, subject_kind, subject_id) {
        account_id -> Uuid,
        subject_kind -> Text,
        subject_id -> Uuid,
        bytes -> Int8,
    }
}

diesel::table! {
    usage_sweeps (sweep) {
        sweep -> Text,
        after_account -> Nullable<Uuid>,
        began_at -> Timestamptz,
    }
}

diesel::table! {
    user_api_keys (id) {
        id -> Uuid,
        user_id -> Uuid,
        account_id -> Uuid,
        key_hash -> Bytea,
        key_prefix -> Text,
        label -> Text,
        permissions -> Array<Text>,
        created_at -> Timestamptz,
        expires_at -> Nullable<Timestamptz>,
        last_used_at -> Nullable<Timestamptz>,
        created_by_session -> Nullable<Uuid>,
    }
}

diesel::table! {
    user_notes (id) {
        id -> Uuid,
        account_id -> Uuid,
        platform -> Text,
        platform_user_id -> Text,
        body -> Text,
        author_id -> Nullable<Uuid>,
        created_at -> Timestamptz,
        updated_at -> Timestamptz,
    }
}

diesel::table! {
    user_permission_overrides (user_id, permission) {
        user_id -> Uuid,
        permission -> Text,
        granted -> Bool,
        reason -> Nullable<Text>,
        set_by -> Nullable<Uuid>,
        created_at -> Timestamptz,
    }
}

diesel::table! {
    user_role_assignments (user_id, role_id) {
        user_id -> Uuid,
        role_id -> Uuid,
        assigned_by -> Nullable<Uuid>,
        created_at -> Timestamptz,
    }
}

diesel::table! {
    user_roles (id) {
        id -> Uuid,
        slug -> Text,
        name -> Text,
        description -> Nullable<Text>,
        is_default -> Bool,
        is_system -> Bool,
        permissions -> Array<Text>,
        created_at -> Timestamptz,
    }
}

diesel::table! {
    users (id) {
        id -> Uuid,
        display_name -> Text,
        username -> Text,
        email -> Nullable<Text>,
        avatar_url -> Nullable<Text>,
        streamer_mode -> Bool,
        extension_dev_mode -> Bool,
        account_creation_override -> Text,
        max_accounts_override -> Nullable<Int4>,
        active_account_id -> Nullable<Uuid>,
        created_at -> Timestamptz,
        updated_at -> Timestamptz,
        last_login_at -> Nullable<Timestamptz>,
        pending_email -> Nullable<Text>,
    }
}

diesel::table! {
    watchlist_entries (id) {
        id -> Uuid,
        user_id -> Uuid,
        platform -> Text,
        platform_channel_id -> Text,
        added_at -> Timestamptz,
    }
}

diesel::table! {
    webhook_deliveries (id) {
        id -> Uuid,
        account_id -> Uuid,
        endpoint_id -> Uuid,
        event_id -> Uuid,
        event_type -> Text,
        occurred_at -> Timestamptz,
        status -> Text,
        is_immediate -> Bool,
        attempts -> Int4,
        next_attempt_at -> Nullable<Timestamptz>,
        last_attempt_at -> Nullable<Timestamptz>,
        last_status_code -> Nullable<Int4>,
        last_error -> Nullable<Text>,
        response_excerpt -> Nullable<Text>,
        duration_ms -> Nullable<Int4>,
        expires_at -> Timestamptz,
        created_at -> Timestamptz,
        traceparent -> Nullable<Text>,
        tracestate -> Nullable<Text>,
    }
}

diesel::table! {
    webhook_endpoints (id) {
        id -> Uuid,
        account_id -> Uuid,
        url -> Text,
        description -> Nullable<Text>,
        event_types -> Array<Text>,
        is_enabled -> Bool,
        disabled_reason -> Nullable<Text>,
        secret -> Bytea,
        previous_secret -> Nullable<Bytea>,
        previous_secret_until -> Nullable<Timestamptz>,
        due_at -> Nullable<Timestamptz>,
        retry_at -> Nullable<Timestamptz>,
        failure_count -> Int4,
        failing_since -> Nullable<Timestamptz>,
        last_attempt_at -> Nullable<Timestamptz>,
        skipped_count -> Int8,
        free_places -> Int4,
        full_until -> Nullable<Timestamptz>,
        trimmed_at -> Nullable<Timestamptz>,
        lease_until -> Nullable<Timestamptz>,
        lease_owner -> Nullable<Uuid>,
        created_by -> Nullable<Uuid>,
        created_at -> Timestamptz,
        updated_at -> Timestamptz,
    }
}

diesel::table! {
    webhook_inbox (id) {
        id -> Uuid,
        platform -> Text,
        delivery_id -> Text,
        event_type -> Text,
        body -> Jsonb,
        sent_at -> Timestamptz,
        received_at -> Timestamptz,
        handled_at -> Nullable<Timestamptz>,
        channel_id -> Nullable<Text>,
        is_reopened -> Bool,
        has_triggered -> Bool,
    }
}

diesel::table! {
    webhook_subscriptions (connection_id, event_type) {
        connection_id -> Uuid,
        event_type -> Text,
        account_id -> Uuid,
        platform_subscription_id -> Nullable<Text>,
        refusal -> Nullable<Text>,
        updated_at -> Timestamptz,
    }
}

diesel::table! {
    widget_access (id) {
        id -> Uuid,
        account_id -> Uuid,
        widget_id -> Uuid,
        user_id -> Uuid,
        role -> Text,
        granted_by -> Nullable<Uuid>,
        created_at -> Timestamptz,
    }
}

diesel::table! {
    widgets (id) {
        id -> Uuid,
        account_id -> Uuid,
        name -> Text,
        widget_type -> Text,
        install_id -> Nullable<Uuid>,
        config -> Jsonb,
        width -> Int4,
        height -> Int4,
        enabled -> Bool,
        token_prefix -> Text,
        created_at -> Timestamptz,
        updated_at -> Timestamptz,
    }
}

diesel::table! {
    youtube_broadcasts (connection_id, broadcast_id) {
        connection_id -> Uuid,
        broadcast_id -> Text,
        live_chat_id -> Nullable<Text>,
        title -> Text,
        started_at -> Timestamptz,
        found_at -> Timestamptz,
        page_token -> Nullable<Text>,
    }
}

diesel::joinable!(account_feature_overrides -> accounts (account_id));
diesel::joinable!(account_feature_overrides -> feature_flags (feature_id));
diesel::joinable!(account_feature_overrides -> users (set_by));
diesel::joinable!(account_limits -> accounts (account_id));
diesel::joinable!(account_permission_overrides -> accounts (account_id));
diesel::joinable!(account_permission_overrides -> users (set_by));
diesel::joinable!(account_roles -> accounts (account_id));
diesel::joinable!(account_service_keys -> accounts (account_id));
diesel::joinable!(account_service_keys -> users (created_by));
diesel::joinable!(account_settings -> accounts (account_id));
diesel::joinable!(account_usage -> accounts (account_id));
diesel::joinable!(accounts -> login_connections (primary_login_connection_id));
diesel::joinable!(accounts -> plans (plan_id));
diesel::joinable!(accounts -> users (owner_id));
diesel::joinable!(admin_role_members -> admin_roles (role_id));
diesel::joinable!(admin_role_members -> users (user_id));
diesel::joinable!(app_credentials -> accounts (account_id));
diesel::joinable!(automation_edges -> automations (automation_id));
diesel::joinable!(automation_nodes -> automations (automation_id));
diesel::joinable!(automation_runs -> automations (automation_id));
diesel::joinable!(automation_steps -> automation_runs (run_id));
diesel::joinable!(automation_trigger_registrations -> automations (automation_id));
diesel::joinable!(automation_trigger_registrations -> extension_installs (install_id));
diesel::joinable!(bot_command_overrides -> accounts (account_id));
diesel::joinable!(bot_command_overrides -> bot_commands (command_id));
diesel::joinable!(bot_command_replies -> accounts (account_id));
diesel::joinable!(bot_command_uses -> accounts (account_id));
diesel::joinable!(bot_command_uses -> bot_commands (command_id));
diesel::joinable!(bot_commands -> accounts (account_id));
diesel::joinable!(bot_connections -> accounts (account_id));
diesel::joinable!(channel_connections -> accounts (account_id));
diesel::joinable!(channel_connections -> users (connected_by));
diesel::joinable!(connection_events -> channel_connections (connection_id));
diesel::joinable!(connection_readers -> channel_connections (connection_id));
diesel::joinable!(copyright_candidates -> songs (song_id));
diesel::joinable!(copyright_votes -> accounts (account_id));
diesel::joinable!(copyright_votes -> songs (song_id));
diesel::joinable!(copyright_votes -> users (user_id));
diesel::joinable!(developer_applications -> users (user_id));
diesel::joinable!(developer_limits -> developer_profiles (developer_id));
diesel::joinable!(developer_payout_settings -> developer_profiles (developer_id));
diesel::joinable!(developer_payouts -> developer_profiles (developer_id));
diesel::joinable!(developer_payouts -> developer_teams (team_id));
diesel::joinable!(developer_profiles -> users (user_id));
diesel::joinable!(developer_revenue -> developer_profiles (developer_id));
diesel::joinable!(developer_revenue -> developer_teams (team_id));
diesel::joinable!(developer_revenue -> extensions (extension_id));
diesel::joinable!(developer_team_invites -> developer_teams (team_id));
diesel::joinable!(developer_team_members -> developer_teams (team_id));
diesel::joinable!(developer_team_members -> users (user_id));
diesel::joinable!(developer_team_payout_settings -> developer_teams (team_id));
diesel::joinable!(developer_team_roles -> developer_teams (team_id));
diesel::joinable!(developer_teams -> users (owner_id));
diesel::joinable!(developer_verifications -> developer_profiles (developer_id));
diesel::joinable!(discord_guild_channels -> discord_guilds (discord_guild_id));
diesel::joinable!(discord_guilds -> accounts (account_id));
diesel::joinable!(extension_access_grants -> accounts (account_id));
diesel::joinable!(extension_access_grants -> extensions (extension_id));
diesel::joinable!(extension_actions -> extension_installs (install_id));
diesel::joinable!(extension_approvals -> extension_versions (version_id));
diesel::joinable!(extension_approvals -> users (reviewer_id));
diesel::joinable!(extension_files -> extension_versions (version_id));
diesel::joinable!(extension_installs -> accounts (account_id));
diesel::joinable!(extension_installs -> extensions (extension_id));
diesel::joinable!(extension_installs -> users (installed_by));
diesel::joinable!(extension_limits -> extensions (extension_id));
diesel::joinable!(extension_reviews -> extensions (extension_id));
diesel::joinable!(extension_reviews -> users (user_id));
diesel::joinable!(extension_rows -> extensions (extension_id));
diesel::joinable!(extension_secrets -> extensions (extension_id));
diesel::joinable!(extension_storage -> extensions (extension_id));
diesel::joinable!(extension_uninstalls -> extensions (extension_id));
diesel::joinable!(extension_usage -> extensions (extension_id));
diesel::joinable!(extension_values -> extensions (extension_id));
diesel::joinable!(extension_uploads -> extensions (extension_id));
diesel::joinable!(extension_versions -> extensions (extension_id));
diesel::joinable!(extension_versions -> users (submitted_by));
diesel::joinable!(extensions -> developer_profiles (owner_developer_id));
diesel::joinable!(extensions -> developer_teams (owner_team_id));
diesel::joinable!(integration_configs -> accounts (account_id));
diesel::joinable!(invites -> accounts (account_id));
diesel::joinable!(limit_request_events -> limit_requests (request_id));
diesel::joinable!(limit_request_events -> users (actor_id));
diesel::joinable!(limit_requests -> developer_profiles (developer_id));
diesel::joinable!(limit_requests -> extensions (extension_id));
diesel::joinable!(listed_songs -> accounts (account_id));
diesel::joinable!(login_assignments -> accounts (account_id));
diesel::joinable!(login_assignments -> login_connections (login_connection_id));
diesel::joinable!(login_assignments -> users (user_id));
diesel::joinable!(login_connections -> users (user_id));
diesel::joinable!(mails -> users (user_id));
diesel::joinable!(memberships -> accounts (account_id));
diesel::joinable!(memberships -> users (user_id));
diesel::joinable!(moderation_log -> accounts (account_id));
diesel::joinable!(music_alerts -> accounts (account_id));
diesel::joinable!(notification_preferences -> users (user_id));
diesel::joinable!(notifications -> users (user_id));
diesel::joinable!(obs_configs -> accounts (account_id));
diesel::joinable!(overlay_access -> overlays (overlay_id));
diesel::joinable!(overlay_access -> users (user_id));
diesel::joinable!(overlay_layers -> overlays (overlay_id));
diesel::joinable!(overlay_shares -> overlays (overlay_id));
diesel::joinable!(overlay_shares -> surface_tokens (id));
diesel::joinable!(overlays -> accounts (account_id));
diesel::joinable!(plan_features -> feature_flags (feature_id));
diesel::joinable!(plan_features -> plans (plan_id));
diesel::joinable!(platform_quota_shares -> accounts (account_id));
diesel::joinable!(playlist_syncs -> accounts (account_id));
diesel::joinable!(polls -> accounts (account_id));
diesel::joinable!(popout_tokens -> accounts (account_id));
diesel::joinable!(popout_tokens -> users (user_id));
diesel::joinable!(predictions -> accounts (account_id));
diesel::joinable!(privacy_erasures -> users (requested_by));
diesel::joinable!(reward_redemptions -> rewards (reward_id));
diesel::joinable!(rewards -> accounts (account_id));
diesel::joinable!(se_tokens -> accounts (account_id));
diesel::joinable!(sessions -> users (user_id));
diesel::joinable!(sounds -> accounts (account_id));
diesel::joinable!(stream_broadcasts -> stream_sessions (session_id));
diesel::joinable!(stream_changes -> stream_sessions (session_id));
diesel::joinable!(stream_floors -> accounts (account_id));
diesel::joinable!(stream_sessions -> accounts (account_id));
diesel::joinable!(stream_shared_links -> stream_sessions (report_id));
diesel::joinable!(stream_shared_links -> users (created_by));
diesel::joinable!(stream_transitions -> accounts (account_id));
diesel::joinable!(subscriptions -> accounts (account_id));
diesel::joinable!(subscriptions -> plans (plan_id));
diesel::joinable!(support_tickets -> accounts (account_id));
diesel::joinable!(support_tickets -> users (user_id));
diesel::joinable!(surface_tokens -> accounts (account_id));
diesel::joinable!(surface_tokens -> users (user_id));
diesel::joinable!(system_keys -> users (created_by));
diesel::joinable!(unconfirmed_logins -> users (user_id));
diesel::joinable!(uploads -> accounts (account_id));
diesel::joinable!(usage_budgets -> accounts (account_id));
diesel::joinable!(usage_budgets -> users (created_by));
diesel::joinable!(usage_hours -> accounts (account_id));
diesel::joinable!(usage_marks -> accounts (account_id));
diesel::joinable!(usage_storage -> accounts (account_id));
diesel::joinable!(user_api_keys -> accounts (account_id));
diesel::joinable!(user_api_keys -> users (user_id));
diesel::joinable!(user_notes -> accounts (account_id));
diesel::joinable!(user_notes -> users (author_id));
diesel::joinable!(user_role_assignments -> user_roles (role_id));
diesel::joinable!(webhook_deliveries -> webhook_endpoints (endpoint_id));
diesel::joinable!(webhook_endpoints -> accounts (account_id));
diesel::joinable!(webhook_endpoints -> users (created_by));
diesel::joinable!(widget_access -> users (user_id));
diesel::joinable!(widget_access -> widgets (widget_id));
diesel::joinable!(widgets -> accounts (account_id));
diesel::joinable!(youtube_broadcasts -> channel_connections (connection_id));

diesel::allow_tables_to_appear_in_same_query!(account_archives, audit_log);
diesel::allow_tables_to_appear_in_same_query!(account_feature_overrides, account_limits);
diesel::allow_tables_to_appear_in_same_query!(account_feature_overrides, accounts);
diesel::allow_tables_to_appear_in_same_query!(account_feature_overrides, feature_flags);
diesel::allow_tables_to_appear_in_same_query!(account_feature_overrides, plan_features);
diesel::allow_tables_to_appear_in_same_query!(account_feature_overrides, users);
diesel::allow_tables_to_appear_in_same_query!(account_limits, accounts);
diesel::allow_tables_to_appear_in_same_query!(account_limits, bot_connections);
diesel::allow_tables_to_appear_in_same_query!(account_limits, feature_flags);
diesel::allow_tables_to_appear_in_same_query!(account_limits, overlays);
diesel::allow_tables_to_appear_in_same_query!(account_limits, plan_features);
diesel::allow_tables_to_appear_in_same_query!(account_limits, plans);
diesel::allow_tables_to_appear_in_same_query!(account_permission_overrides, account_roles);
diesel::allow_tables_to_appear_in_same_query!(account_permission_overrides, accounts);
diesel::allow_tables_to_appear_in_same_query!(account_permission_overrides, login_connections);
diesel::allow_tables_to_appear_in_same_query!(account_permission_overrides, memberships);
diesel::allow_tables_to_appear_in_same_query!(account_permission_overrides, user_permission_overrides);
diesel::allow_tables_to_appear_in_same_query!(account_permission_overrides, users);
diesel::allow_tables_to_appear_in_same_query!(account_roles, accounts);
diesel::allow_tables_to_appear_in_same_query!(account_roles, admin_roles);
diesel::allow_tables_to_appear_in_same_query!(account_roles, extensions);
diesel::allow_tables_to_appear_in_same_query!(account_roles, invites);
diesel::allow_tables_to_appear_in_same_query!(account_roles, login_connections);
diesel::allow_tables_to_appear_in_same_query!(account_roles, memberships);
diesel::allow_tables_to_appear_in_same_query!(account_roles, plans);
diesel::allow_tables_to_appear_in_same_query!(account_roles, user_roles);
diesel::allow_tables_to_appear_in_same_query!(account_roles, users);
diesel::allow_tables_to_appear_in_same_query!(account_service_keys, accounts);
diesel::allow_tables_to_appear_in_same_query!(account_service_keys, invites);
diesel::allow_tables_to_appear_in_same_query!(account_service_keys, login_assignments);
diesel::allow_tables_to_appear_in_same_query!(account_service_keys, popout_tokens);
diesel::allow_tables_to_appear_in_same_query!(account_service_keys, sessions);
diesel::allow_tables_to_appear_in_same_query!(account_service_keys, surface_tokens);
diesel::allow_tables_to_appear_in_same_query!(account_service_keys, system_keys);
diesel::allow_tables_to_appear_in_same_query!(account_service_keys, user_api_keys);
diesel::allow_tables_to_appear_in_same_query!(account_service_keys, users);
diesel::allow_tables_to_appear_in_same_query!(account_settings, accounts);
diesel::allow_tables_to_appear_in_same_query!(account_usage, accounts);
diesel::allow_tables_to_appear_in_same_query!(account_usage, obs_configs);
diesel::allow_tables_to_appear_in_same_query!(account_usage, overlays);
diesel::allow_tables_to_appear_in_same_query!(accounts, app_credentials);
diesel::allow_tables_to_appear_in_same_query!(accounts, automations);
diesel::allow_tables_to_appear_in_same_query!(accounts, bot_command_overrides);
diesel::allow_tables_to_appear_in_same_query!(accounts, bot_command_replies);
diesel::allow_tables_to_appear_in_same_query!(accounts, bot_command_uses);
diesel::allow_tables_to_appear_in_same_query!(accounts, bot_commands);
diesel::allow_tables_to_appear_in_same_query!(accounts, bot_connections);
diesel::allow_tables_to_appear_in_same_query!(accounts, bot_pauses);
diesel::allow_tables_to_appear_in_same_query!(accounts, channel_connections);
diesel::allow_tables_to_appear_in_same_query!(accounts, copyright_votes);
diesel::allow_tables_to_appear_in_same_query!(accounts, developer_profiles);
diesel::allow_tables_to_appear_in_same_query!(accounts, discord_guilds);
diesel::allow_tables_to_appear_in_same_query!(accounts, extension_access_grants);
diesel::allow_tables_to_appear_in_same_query!(accounts, extension_installs);
diesel::allow_tables_to_appear_in_same_query!(accounts, extensions);
diesel::allow_tables_to_appear_in_same_query!(accounts, feature_flags);
diesel::allow_tables_to_appear_in_same_query!(accounts, idempotent_requests);
diesel::allow_tables_to_appear_in_same_query!(accounts, integration_configs);
diesel::allow_tables_to_appear_in_same_query!(accounts, invites);
diesel::allow_tables_to_appear_in_same_query!(accounts, listed_songs);
diesel::allow_tables_to_appear_in_same_query!(accounts, login_assignments);
diesel::allow_tables_to_appear_in_same_query!(accounts, login_connections);
diesel::allow_tables_to_appear_in_same_query!(accounts, memberships);
diesel::allow_tables_to_appear_in_same_query!(accounts, moderation_log);
diesel::allow_tables_to_appear_in_same_query!(accounts, music_alerts);
diesel::allow_tables_to_appear_in_same_query!(accounts, notifications);
diesel::allow_tables_to_appear_in_same_query!(accounts, obs_configs);
diesel::allow_tables_to_appear_in_same_query!(accounts, outbox);
diesel::allow_tables_to_appear_in_same_query!(accounts, overlays);
diesel::allow_tables_to_appear_in_same_query!(accounts, plan_features);
diesel::allow_tables_to_appear_in_same_query!(accounts, plans);
diesel::allow_tables_to_appear_in_same_query!(accounts, platform_quota_shares);
diesel::allow_tables_to_appear_in_same_query!(accounts, playlist_syncs);
diesel::allow_tables_to_appear_in_same_query!(accounts, polls);
diesel::allow_tables_to_appear_in_same_query!(accounts, popout_tokens);
diesel::allow_tables_to_appear_in_same_query!(accounts, predictions);
diesel::allow_tables_to_appear_in_same_query!(accounts, privacy_erasures);
diesel::allow_tables_to_appear_in_same_query!(accounts, rewards);
diesel::allow_tables_to_appear_in_same_query!(accounts, se_tokens);
diesel::allow_tables_to_appear_in_same_query!(accounts, sessions);
diesel::allow_tables_to_appear_in_same_query!(accounts, sounds);
diesel::allow_tables_to_appear_in_same_query!(accounts, stream_floors);
diesel::allow_tables_to_appear_in_same_query!(accounts, stream_sessions);
diesel::allow_tables_to_appear_in_same_query!(accounts, stream_transitions);
diesel::allow_tables_to_appear_in_same_query!(accounts, subscriptions);
diesel::allow_tables_to_appear_in_same_query!(accounts, support_tickets);
diesel::allow_tables_to_appear_in_same_query!(accounts, surface_tokens);
diesel::allow_tables_to_appear_in_same_query!(accounts, uploads);
diesel::allow_tables_to_appear_in_same_query!(accounts, usage_budgets);
diesel::allow_tables_to_appear_in_same_query!(accounts, usage_hours);
diesel::allow_tables_to_appear_in_same_query!(accounts, usage_marks);
diesel::allow_tables_to_appear_in_same_query!(accounts, usage_storage);
diesel::allow_tables_to_appear_in_same_query!(accounts, user_api_keys);
diesel::allow_tables_to_appear_in_same_query!(accounts, user_notes);
diesel::allow_tables_to_appear_in_same_query!(accounts, user_permission_overrides);
diesel::allow_tables_to_appear_in_same_query!(accounts, users);
diesel::allow_tables_to_appear_in_same_query!(accounts, webhook_endpoints);
diesel::allow_tables_to_appear_in_same_query!(accounts, webhook_subscriptions);
diesel::allow_tables_to_appear_in_same_query!(accounts, widgets);
diesel::allow_tables_to_appear_in_same_query!(admin_role_members, admin_roles);
diesel::allow_tables_to_appear_in_same_query!(admin_role_members, user_role_assignments);
diesel::allow_tables_to_appear_in_same_query!(admin_role_members, user_roles);
diesel::allow_tables_to_appear_in_same_query!(admin_role_members, users);
diesel::allow_tables_to_appear_in_same_query!(admin_roles, user_role_assignments);
diesel::allow_tables_to_appear_in_same_query!(admin_roles, user_roles);
diesel::allow_tables_to_appear_in_same_query!(app_credentials, oauth_clients);
diesel::allow_tables_to_appear_in_same_query!(app_credentials, system_connections);
diesel::allow_tables_to_appear_in_same_query!(automation_edges, automation_nodes);
diesel::allow_tables_to_appear_in_same_query!(automation_edges, automations);
diesel::allow_tables_to_appear_in_same_query!(automation_nodes, automations);
diesel::allow_tables_to_appear_in_same_query!(automation_runs, automation_steps);
diesel::allow_tables_to_appear_in_same_query!(automation_runs, automations);
diesel::allow_tables_to_appear_in_same_query!(automation_trigger_registrations, automations);
diesel::allow_tables_to_appear_in_same_query!(automation_trigger_registrations, extension_installs);
diesel::allow_tables_to_appear_in_same_query!(automation_trigger_registrations, extension_versions);
diesel::allow_tables_to_appear_in_same_query!(automation_trigger_registrations, polls);
diesel::allow_tables_to_appear_in_same_query!(automations, extension_installs);
diesel::allow_tables_to_appear_in_same_query!(automations, extension_versions);
diesel::allow_tables_to_appear_in_same_query!(automations, extensions);
diesel::allow_tables_to_appear_in_same_query!(automations, overlay_layers);
diesel::allow_tables_to_appear_in_same_query!(automations, overlays);
diesel::allow_tables_to_appear_in_same_query!(automations, plans);
diesel::allow_tables_to_appear_in_same_query!(automations, polls);
diesel::allow_tables_to_appear_in_same_query!(automations, sounds);
diesel::allow_tables_to_appear_in_same_query!(bot_command_overrides, bot_command_uses);
diesel::allow_tables_to_appear_in_same_query!(bot_command_overrides, bot_commands);
diesel::allow_tables_to_appear_in_same_query!(bot_command_uses, bot_commands);
diesel::allow_tables_to_appear_in_same_query!(bot_connections, channel_connections);
diesel::allow_tables_to_appear_in_same_query!(bot_connections, discord_guilds);
diesel::allow_tables_to_appear_in_same_query!(bot_connections, login_connections);
diesel::allow_tables_to_appear_in_same_query!(bot_pauses, channel_connections);
diesel::allow_tables_to_appear_in_same_query!(channel_connections, channel_statuses);
diesel::allow_tables_to_appear_in_same_query!(channel_connections, connection_events);
diesel::allow_tables_to_appear_in_same_query!(channel_connections, connection_readers);
diesel::allow_tables_to_appear_in_same_query!(channel_connections, discord_guilds);
diesel::allow_tables_to_appear_in_same_query!(channel_connections, extension_installs);
diesel::allow_tables_to_appear_in_same_query!(channel_connections, login_connections);
diesel::allow_tables_to_appear_in_same_query!(channel_connections, outbox);
diesel::allow_tables_to_appear_in_same_query!(channel_connections, platform_quotas);
diesel::allow_tables_to_appear_in_same_query!(channel_connections, polls);
diesel::allow_tables_to_appear_in_same_query!(channel_connections, subscriptions);
diesel::allow_tables_to_appear_in_same_query!(channel_connections, token_revocations);
diesel::allow_tables_to_appear_in_same_query!(channel_connections, users);
diesel::allow_tables_to_appear_in_same_query!(channel_connections, webhook_subscriptions);
diesel::allow_tables_to_appear_in_same_query!(channel_connections, youtube_broadcasts);
diesel::allow_tables_to_appear_in_same_query!(channel_statuses, polls);
diesel::allow_tables_to_appear_in_same_query!(channel_statuses, youtube_broadcasts);
diesel::allow_tables_to_appear_in_same_query!(copyright_candidates, songs);
diesel::allow_tables_to_appear_in_same_query!(copyright_votes, songs);
diesel::allow_tables_to_appear_in_same_query!(copyright_votes, users);
diesel::allow_tables_to_appear_in_same_query!(developer_applications, developer_profiles);
diesel::allow_tables_to_appear_in_same_query!(developer_applications, users);
diesel::allow_tables_to_appear_in_same_query!(developer_limits, developer_profiles);
diesel::allow_tables_to_appear_in_same_query!(developer_limits, extension_installs);
diesel::allow_tables_to_appear_in_same_query!(developer_limits, extension_limits);
diesel::allow_tables_to_appear_in_same_query!(developer_limits, extension_versions);
diesel::allow_tables_to_appear_in_same_query!(developer_limits, extensions);
diesel::allow_tables_to_appear_in_same_query!(developer_payout_settings, developer_profiles);
diesel::allow_tables_to_appear_in_same_query!(developer_payout_settings, developer_team_payout_settings);
diesel::allow_tables_to_appear_in_same_query!(developer_payout_settings, developer_teams);
diesel::allow_tables_to_appear_in_same_query!(developer_payout_settings, developer_verifications);
diesel::allow_tables_to_appear_in_same_query!(developer_payout_settings, notifications);
diesel::allow_tables_to_appear_in_same_query!(developer_payouts, developer_profiles);
diesel::allow_tables_to_appear_in_same_query!(developer_payouts, developer_teams);
diesel::allow_tables_to_appear_in_same_query!(developer_profiles, developer_revenue);
diesel::allow_tables_to_appear_in_same_query!(developer_profiles, developer_team_members);
diesel::allow_tables_to_appear_in_same_query!(developer_profiles, developer_team_roles);
diesel::allow_tables_to_appear_in_same_query!(developer_profiles, developer_teams);
diesel::allow_tables_to_appear_in_same_query!(developer_profiles, developer_verifications);
diesel::allow_tables_to_appear_in_same_query!(developer_profiles, extension_installs);
diesel::allow_tables_to_appear_in_same_query!(developer_profiles, extension_limits);
diesel::allow_tables_to_appear_in_same_query!(developer_profiles, extensions);
diesel::allow_tables_to_appear_in_same_query!(developer_profiles, limit_requests);
diesel::allow_tables_to_appear_in_same_query!(developer_profiles, login_connections);
diesel::allow_tables_to_appear_in_same_query!(developer_profiles, memberships);
diesel::allow_tables_to_appear_in_same_query!(developer_profiles, notifications);
diesel::allow_tables_to_appear_in_same_query!(developer_profiles, users);
diesel::allow_tables_to_appear_in_same_query!(developer_revenue, developer_teams);
diesel::allow_tables_to_appear_in_same_query!(developer_revenue, extensions);
diesel::allow_tables_to_appear_in_same_query!(developer_team_invites, developer_team_members);
diesel::allow_tables_to_appear_in_same_query!(developer_team_invites, developer_team_roles);
diesel::allow_tables_to_appear_in_same_query!(developer_team_invites, developer_teams);
diesel::allow_tables_to_appear_in_same_query!(developer_team_members, developer_team_roles);
diesel::allow_tables_to_appear_in_same_query!(developer_team_members, developer_teams);
diesel::allow_tables_to_appear_in_same_query!(developer_team_members, extensions);
diesel::allow_tables_to_appear_in_same_query!(developer_team_members, users);
diesel::allow_tables_to_appear_in_same_query!(developer_team_payout_settings, developer_teams);
diesel::allow_tables_to_appear_in_same_query!(developer_team_payout_settings, developer_verifications);
diesel::allow_tables_to_appear_in_same_query!(developer_team_payout_settings, notifications);
diesel::allow_tables_to_appear_in_same_query!(developer_team_roles, developer_teams);
diesel::allow_tables_to_appear_in_same_query!(developer_team_roles, extensions);
diesel::allow_tables_to_appear_in_same_query!(developer_team_roles, users);
diesel::allow_tables_to_appear_in_same_query!(developer_teams, developer_verifications);
diesel::allow_tables_to_appear_in_same_query!(developer_teams, extension_limits);
diesel::allow_tables_to_appear_in_same_query!(developer_teams, extensions);
diesel::allow_tables_to_appear_in_same_query!(developer_teams, users);
diesel::allow_tables_to_appear_in_same_query!(discord_guild_channels, discord_guilds);
diesel::allow_tables_to_appear_in_same_query!(extension_access_grants, extensions);
diesel::allow_tables_to_appear_in_same_query!(extension_actions, extension_installs);
diesel::allow_tables_to_appear_in_same_query!(extension_actions, webhook_inbox);
diesel::allow_tables_to_appear_in_same_query!(extension_approvals, extension_versions);
diesel::allow_tables_to_appear_in_same_query!(extension_approvals, users);
diesel::allow_tables_to_appear_in_same_query!(extension_files, extension_versions);
diesel::allow_tables_to_appear_in_same_query!(extension_files, extensions);
diesel::allow_tables_to_appear_in_same_query!(extension_installs, extension_limits);
diesel::allow_tables_to_appear_in_same_query!(extension_installs, extension_secrets);
diesel::allow_tables_to_appear_in_same_query!(extension_installs, extension_versions);
diesel::allow_tables_to_appear_in_same_query!(extension_installs, extensions);
diesel::allow_tables_to_appear_in_same_query!(extension_installs, polls);
diesel::allow_tables_to_appear_in_same_query!(extension_installs, sounds);
diesel::allow_tables_to_appear_in_same_query!(extension_installs, users);
diesel::allow_tables_to_appear_in_same_query!(extension_limits, extension_versions);
diesel::allow_tables_to_appear_in_same_query!(extension_limits, extensions);
diesel::allow_tables_to_appear_in_same_query!(extension_reviews, extensions);
diesel::allow_tables_to_appear_in_same_query!(extension_reviews, users);
diesel::allow_tables_to_appear_in_same_query!(extension_rows, extensions);
diesel::allow_tables_to_appear_in_same_query!(extension_secrets, extensions);
diesel::allow_tables_to_appear_in_same_query!(extension_storage, extensions);
diesel::allow_tables_to_appear_in_same_query!(extension_testers, users);
diesel::allow_tables_to_appear_in_same_query!(extension_uninstalls, extensions);
diesel::allow_tables_to_appear_in_same_query!(extension_uploads, extensions);
diesel::allow_tables_to_appear_in_same_query!(extension_usage, extensions);
diesel::allow_tables_to_appear_in_same_query!(extension_values, extensions);
diesel::allow_tables_to_appear_in_same_query!(extension_versions, extensions);
diesel::allow_tables_to_appear_in_same_query!(extension_versions, users);
diesel::allow_tables_to_appear_in_same_query!(extensions, limit_requests);
diesel::allow_tables_to_appear_in_same_query!(extensions, overlays);
diesel::allow_tables_to_appear_in_same_query!(extensions, plans);
diesel::allow_tables_to_appear_in_same_query!(extensions, sounds);
diesel::allow_tables_to_appear_in_same_query!(extensions, uploads);
diesel::allow_tables_to_appear_in_same_query!(feature_flags, plan_features);
diesel::allow_tables_to_appear_in_same_query!(feature_flags, plans);
diesel::allow_tables_to_appear_in_same_query!(feature_flags, user_roles);
diesel::allow_tables_to_appear_in_same_query!(idea_tag_links, idea_tags);
diesel::allow_tables_to_appear_in_same_query!(idea_texts, ideas);
diesel::allow_tables_to_appear_in_same_query!(idea_timeline, users);
diesel::allow_tables_to_appear_in_same_query!(idea_votes, users);
diesel::allow_tables_to_appear_in_same_query!(idempotent_requests, outbox);
diesel::allow_tables_to_appear_in_same_query!(idempotent_requests, sessions);
diesel::allow_tables_to_appear_in_same_query!(idempotent_requests, users);
diesel::allow_tables_to_appear_in_same_query!(invites, login_assignments);
diesel::allow_tables_to_appear_in_same_query!(invites, login_connections);
diesel::allow_tables_to_appear_in_same_query!(invites, popout_tokens);
diesel::allow_tables_to_appear_in_same_query!(invites, sessions);
diesel::allow_tables_to_appear_in_same_query!(invites, surface_tokens);
diesel::allow_tables_to_appear_in_same_query!(invites, user_api_keys);
diesel::allow_tables_to_appear_in_same_query!(invites, users);
diesel::allow_tables_to_appear_in_same_query!(limit_request_events, limit_requests);
diesel::allow_tables_to_appear_in_same_query!(limit_request_events, users);
diesel::allow_tables_to_appear_in_same_query!(listed_songs, songs);
diesel::allow_tables_to_appear_in_same_query!(login_assignments, login_connections);
diesel::allow_tables_to_appear_in_same_query!(login_assignments, outbox);
diesel::allow_tables_to_appear_in_same_query!(login_assignments, popout_tokens);
diesel::allow_tables_to_appear_in_same_query!(login_assignments, sessions);
diesel::allow_tables_to_appear_in_same_query!(login_assignments, surface_tokens);
diesel::allow_tables_to_appear_in_same_query!(login_assignments, token_revocations);
diesel::allow_tables_to_appear_in_same_query!(login_assignments, user_api_keys);
diesel::allow_tables_to_appear_in_same_query!(login_assignments, users);
diesel::allow_tables_to_appear_in_same_query!(login_connections, memberships);
diesel::allow_tables_to_appear_in_same_query!(login_connections, plans);
diesel::allow_tables_to_appear_in_same_query!(login_connections, sessions);
diesel::allow_tables_to_appear_in_same_query!(login_connections, users);
diesel::allow_tables_to_appear_in_same_query!(mails, notifications);
diesel::allow_tables_to_appear_in_same_query!(mails, outbox);
diesel::allow_tables_to_appear_in_same_query!(mails, users);
diesel::allow_tables_to_appear_in_same_query!(memberships, notifications);
diesel::allow_tables_to_appear_in_same_query!(memberships, outbox);
diesel::allow_tables_to_appear_in_same_query!(memberships, plans);
diesel::allow_tables_to_appear_in_same_query!(memberships, users);
diesel::allow_tables_to_appear_in_same_query!(notification_preferences, users);
diesel::allow_tables_to_appear_in_same_query!(notifications, outbox);
diesel::allow_tables_to_appear_in_same_query!(notifications, users);
diesel::allow_tables_to_appear_in_same_query!(outbox, plans);
diesel::allow_tables_to_appear_in_same_query!(outbox, sessions);
diesel::allow_tables_to_appear_in_same_query!(outbox, subscriptions);
diesel::allow_tables_to_appear_in_same_query!(outbox, token_revocations);
diesel::allow_tables_to_appear_in_same_query!(outbox, users);
diesel::allow_tables_to_appear_in_same_query!(outbox, webhook_subscriptions);
diesel::allow_tables_to_appear_in_same_query!(overlay_access, overlays);
diesel::allow_tables_to_appear_in_same_query!(overlay_access, users);
diesel::allow_tables_to_appear_in_same_query!(overlay_layers, overlays);
diesel::allow_tables_to_appear_in_same_query!(overlay_layers, sounds);
diesel::allow_tables_to_appear_in_same_query!(overlay_shares, overlays);
diesel::allow_tables_to_appear_in_same_query!(overlay_shares, surface_tokens);
diesel::allow_tables_to_appear_in_same_query!(overlays, surface_tokens);
diesel::allow_tables_to_appear_in_same_query!(overlays, widgets);
diesel::allow_tables_to_appear_in_same_query!(plan_features, plans);
diesel::allow_tables_to_appear_in_same_query!(plans, subscriptions);
diesel::allow_tables_to_appear_in_same_query!(plans, user_roles);
diesel::allow_tables_to_appear_in_same_query!(plans, users);
diesel::allow_tables_to_appear_in_same_query!(platform_quotas, polls);
diesel::allow_tables_to_appear_in_same_query!(polls, youtube_broadcasts);
diesel::allow_tables_to_appear_in_same_query!(popout_tokens, sessions);
diesel::allow_tables_to_appear_in_same_query!(popout_tokens, surface_tokens);
diesel::allow_tables_to_appear_in_same_query!(popout_tokens, system_keys);
diesel::allow_tables_to_appear_in_same_query!(popout_tokens, user_api_keys);
diesel::allow_tables_to_appear_in_same_query!(popout_tokens, users);
diesel::allow_tables_to_appear_in_same_query!(privacy_erasures, users);
diesel::allow_tables_to_appear_in_same_query!(reward_redemptions, rewards);
diesel::allow_tables_to_appear_in_same_query!(sessions, surface_tokens);
diesel::allow_tables_to_appear_in_same_query!(sessions, system_keys);
diesel::allow_tables_to_appear_in_same_query!(sessions, user_api_keys);
diesel::allow_tables_to_appear_in_same_query!(sessions, users);
diesel::allow_tables_to_appear_in_same_query!(stream_broadcasts, stream_sessions);
diesel::allow_tables_to_appear_in_same_query!(stream_changes, stream_sessions);
diesel::allow_tables_to_appear_in_same_query!(stream_sessions, stream_shared_links);
diesel::allow_tables_to_appear_in_same_query!(stream_shared_links, users);
diesel::allow_tables_to_appear_in_same_query!(subscriptions, token_revocations);
diesel::allow_tables_to_appear_in_same_query!(support_tickets, users);
diesel::allow_tables_to_appear_in_same_query!(surface_tokens, system_keys);
diesel::allow_tables_to_appear_in_same_query!(surface_tokens, user_api_keys);
diesel::allow_tables_to_appear_in_same_query!(surface_tokens, users);
diesel::allow_tables_to_appear_in_same_query!(system_keys, user_api_keys);
diesel::allow_tables_to_appear_in_same_query!(system_keys, users);
diesel::allow_tables_to_appear_in_same_query!(unconfirmed_logins, users);
diesel::allow_tables_to_appear_in_same_query!(usage_budgets, users);
diesel::allow_tables_to_appear_in_same_query!(user_api_keys, users);
diesel::allow_tables_to_appear_in_same_query!(user_notes, users);
diesel::allow_tables_to_appear_in_same_query!(user_permission_overrides, user_role_assignments);
diesel::allow_tables_to_appear_in_same_query!(user_permission_overrides, user_roles);
diesel::allow_tables_to_appear_in_same_query!(user_permission_overrides, users);
diesel::allow_tables_to_appear_in_same_query!(user_role_assignments, user_roles);
diesel::allow_tables_to_appear_in_same_query!(user_role_assignments, users);
diesel::allow_tables_to_appear_in_same_query!(users, webhook_endpoints);
diesel::allow_tables_to_appear_in_same_query!(users, widget_access);
diesel::allow_tables_to_appear_in_same_query!(webhook_deliveries, webhook_endpoints);
diesel::allow_tables_to_appear_in_same_query!(widget_access, widgets);

/// Tables of the time-series database.
pub mod timeseries {
    diesel::table! {
        channel_marks (platform, platform_channel_id, day) {
            platform -> Text,
            platform_channel_id -> Text,
            day -> Date,
            marked_at -> Timestamptz,
        }
    }

    diesel::table! {
        channel_samples (platform, platform_channel_id, at, source) {
            platform -> Text,
            platform_channel_id -> Text,
            at -> Timestamptz,
            source -> Text,
            viewer_count -> Nullable<Int8>,
            message_count -> Int8,
            game_id -> Nullable<Text>,
            game_name -> Nullable<Text>,
            weight_secs -> Int4,
            follower_count -> Nullable<Int8>,
        }
    }

    diesel::table! {
        chat_messages (account_id, platform, platform_message_id, sent_at) {
            id -> Uuid,
            account_id -> Uuid,
            platform -> Text,
            platform_message_id -> Text,
            platform_user_id -> Text,
            username -> Text,
            display_name -> Text,
            color -> Nullable<Text>,
            badges -> Jsonb,
            text -> Text,
            fragments -> Jsonb,
            emotes -> Jsonb,
            reply_to -> Nullable<Text>,
            is_deleted -> Bool,
            is_action -> Bool,
            sent_at -> Timestamptz,
        }
    }

    diesel::table! {
        chatter_notes (id) {
            id -> Int8,
            account_ids -> Array<Uuid>,
            platforms -> Array<Text>,
            platform_user_ids -> Array<Text>,
            usernames -> Array<Text>,
            display_names -> Array<Text>,
            sent_ats -> Array<Timestamptz>,
        }
    }

    diesel::table! {
        events (account_id, platform_event_id, occurred_at) {
            id -> Uuid,
            account_id -> Uuid,
            event_type -> Text,
            platform -> Nullable<Text>,
            platform_event_id -> Text,
            platform_user_id -> Nullable<Text>,
            username -> Nullable<Text>,
            display_name -> Nullable<Text>,
            avatar_url -> Nullable<Text>,
            amount -> Nullable<Int8>,
            currency -> Nullable<Text>,
            message -> Nullable<Text>,
            data -> Jsonb,
            is_test -> Bool,
            occurred_at -> Timestamptz,
        }
    }

    diesel::table! {
        extension_errors (id, occurred_at) {
            id -> Uuid,
            extension_id -> Uuid,
            install_id -> Uuid,
            account_id -> Uuid,
            handler -> Text,
            error_type -> Text,
            message -> Text,
            stack_trace -> Nullable<Text>,
            occurred_at -> Timestamptz,
        }
    }

    diesel::table! {
        extension_failed_runs (id, failed_at) {
            id -> Uuid,
            extension_id -> Uuid,
            install_id -> Uuid,
            account_id -> Uuid,
            version_id -> Uuid,
            handler -> Text,
            platform -> Nullable<Text>,
            platform_user_id -> Nullable<Text>,
            failed_at -> Timestamptz,
            run -> Bytea,
            user_id -> Nullable<Uuid>,
            person_ids -> Array<Text>,
        }
    }

    diesel::table! {
        extension_invocations (id, bucket_minute) {
            id -> Uuid,
            extension_id -> Uuid,
            install_id -> Uuid,
            account_id -> Uuid,
            handler -> Text,
            bucket_minute -> Timestamptz,
            count -> Int8,
            errors -> Int8,
            duration_ms_sum -> Float8,
            duration_hist -> Array<Int8>,
        }
    }

    diesel::table! {
        extension_logs (id, created_at) {
            id -> Uuid,
            extension_id -> Uuid,
            install_id -> Uuid,
            account_id -> Uuid,
            level -> Text,
            message -> Text,
            trigger_type -> Nullable<Text>,
            execution_ms -> Nullable<Int4>,
            created_at -> Timestamptz,
        }
    }

    diesel::table! {
        game_slots (platform, game_id, slot) {
            platform -> Text,
            game_id -> Text,
            slot -> Timestamptz,
            viewers -> Int8,
            viewer_secs -> Int8,
            channels -> Int8,
        }
    }

    diesel::table! {
        platform_user_profiles (account_id, platform, platform_user_id) {
            account_id -> Uuid,
            platform -> Text,
            platform_user_id -> Text,
            profile -> Jsonb,
            enriched_at -> Timestamptz,
        }
    }

    diesel::table! {
        platform_users (account_id, platform, platform_user_id) {
            account_id -> Uuid,
            platform -> Text,
            platform_user_id -> Text,
            username -> Text,
            display_name -> Text,
            avatar_url -> Nullable<Text>,
            message_count -> Int8,
            first_seen_at -> Timestamptz,
            last_seen_at -> Timestamptz,
            seen_slot -> Timestamptz,
        }
    }

    diesel::table! {
        slot_marks (platform, slot) {
            platform -> Text,
            slot -> Timestamptz,
            marked_at -> Timestamptz,
        }
    }

    diesel::table! {
        stream_lines (account_id, minute, platform, line) {
            account_id -> Uuid,
            platform -> Text,
            minute -> Timestamptz,
            line -> Int8,
            chatter -> Int8,
            emotes -> Nullable<Jsonb>,
            gifs -> Nullable<Jsonb>,
        }
    }

    diesel::table! {
        stream_minute_marks (id) {
            id -> Int8,
            account_id -> Uuid,
            platform -> Text,
            minute -> Timestamptz,
        }
    }

    diesel::table! {
        stream_removals (account_id, removed_at, platform, kind, subject) {
            account_id -> Uuid,
            platform -> Text,
            removed_at -> Timestamptz,
            kind -> Text,
            subject -> Int8,
        }
    }

    diesel::table! {
        stream_samples (account_id, at, platform) {
            account_id -> Uuid,
            platform -> Text,
            at -> Timestamptz,
            viewer_count -> Nullable<Int8>,
            message_count -> Int8,
            unique_chatters -> Int8,
            follower_delta -> Int8,
        }
    }

    diesel::table! {
        timeseries_tables (table_name) {
            table_name -> Text,
            time_column -> Text,
            partition_step -> Interval,
            keep -> Nullable<Interval>,
        }
    }

    diesel::table! {
        youtube_membership_tiers (account_id, tooltip) {
            account_id -> Uuid,
            tooltip -> Text,
            tier_name -> Text,
            badge_url -> Nullable<Text>,
            duration_value -> Nullable<Int4>,
            duration_unit -> Nullable<Text>,
            member_months_min -> Nullable<Int4>,
            first_seen_at -> Timestamptz,
            last_seen_at -> Timestamptz,
        }
    }
}
