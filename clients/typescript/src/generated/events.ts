// Generated from the AsyncAPI document by `./scripts/clients --update`. Edits are lost.

export interface components {
    schemas: {
        /** @description Settings of the account. */
        AccountSettings: {
            /** @description Alert settings. */
            alerts: components["schemas"]["AlertSettings"];
            /** @description Chat settings. */
            chat: components["schemas"]["ChatSettings"];
            /** @description Prefix of chat commands, 1 to 3 characters. */
            command_prefix: string;
            /** @description Code of a currency, three letters of ISO 4217. */
            currency: string;
            /**
             * Format: uuid
             * @description Overlay to show by default; null when none is chosen.
             */
            default_overlay_id?: string | null;
            /** @description Language. */
            locale: components["schemas"]["Locale"];
            /** @description Privacy settings. */
            privacy: components["schemas"]["PrivacySettings"];
            /** @description Name of a time zone of the IANA database. */
            timezone: string;
        };
        /** @description Settings of alerts. */
        AlertSettings: {
            /** @description True when alerts make no sound. */
            muted: boolean;
            /**
             * Format: int32
             * @description Volume in percent, 0 to 100.
             */
            volume: number;
        };
        /**
         * @description State of a broadcast.
         * @enum {string}
         */
        BroadcastStatus: "live" | "upcoming";
        /** @description Broadcast of a connected channel, or a channel without one. */
        ChannelStatus: {
            /** @description Id of the broadcast. Null where the platform has one broadcast for each channel. */
            broadcast_id?: string | null;
            broadcast_status?: components["schemas"]["BroadcastStatus"] | null;
            /** @description Category or game. Null when unknown. */
            category?: string | null;
            /** @description True while the broadcast is on air. */
            is_online: boolean;
            like_count?: components["schemas"]["Int64"] | null;
            /** @description Id of YouTube's live chat of the broadcast. Null elsewhere. */
            live_chat_id?: string | null;
            /** @description Slug of the platform. */
            platform: string;
            scheduled_start?: components["schemas"]["Timestamp"] | null;
            started_at?: components["schemas"]["Timestamp"] | null;
            /** @description Title. Null when unknown. */
            stream_title?: string | null;
            total_views?: components["schemas"]["Int64"] | null;
            updated_at?: components["schemas"]["Timestamp"] | null;
            viewer_count?: components["schemas"]["Int64"] | null;
        };
        /** @description Badge beside a user's name. */
        ChatBadge: {
            /** @description The platform's name of the badge: `broadcaster`, `moderator`, `vip`, `subscriber` and others. */
            id: string;
            /** @description Text of the platform for the badge, for example the months of a subscription. */
            info?: string | null;
            /** @description Variant of the badge. */
            version: string;
        };
        /** @description Picture that replaces a word of a message. */
        ChatEmote: {
            /** @description True when the picture is animated. */
            animated: boolean;
            /** @description The provider's id. */
            id: string;
            /** @description Word in messages. */
            name: string;
            /** @description Address of the picture. */
            url: string;
        };
        /** @description Part of a message. */
        ChatFragment: {
            bits?: components["schemas"]["Int64"] | null;
            /** @description The provider's id of an emote. */
            emote_id?: string | null;
            /** @description Text of the part. */
            text: string;
            /** @description Kind of the part. */
            type: components["schemas"]["ChatFragmentType"];
            /** @description The platform's id of a mentioned user. */
            user_id?: string | null;
        };
        /**
         * @description Kind of a part of a message.
         * @enum {string}
         */
        ChatFragmentType: "text" | "emote" | "mention" | "cheermote";
        /** @description Chat message. */
        ChatMessage: {
            /**
             * Format: uuid
             * @description Account of the chat.
             */
            account_id: string;
            /** @description Badges of the user in this chat. */
            badges: components["schemas"]["ChatBadge"][];
            /** @description `#RRGGBB`; null when the user chose none. */
            color?: string | null;
            /** @description Name as the platform shows it. */
            display_name: string;
            /** @description Emotes in the message. */
            emotes: components["schemas"]["ChatEmote"][];
            /** @description Parts of the message; their texts together are the message. */
            fragments: components["schemas"]["ChatFragment"][];
            /**
             * Format: uuid
             * @description Id; also the cursor of the messages before it.
             */
            id: string;
            /** @description True when it was written with `/me`. */
            is_action: boolean;
            /** @description True when a moderator removed it. */
            is_deleted: boolean;
            /** @description `twitch`, `youtube`, `kick` or `trovo`. */
            platform: string;
            /** @description The platform's id of the message. */
            platform_message_id: string;
            /** @description The platform's id of the user. */
            platform_user_id: string;
            /** @description The platform's id of the message that this one replies to. */
            reply_to?: string | null;
            /** @description Time of the message. */
            sent_at: components["schemas"]["Timestamp"];
            /** @description Whole text of the message. */
            text: string;
            /** @description Name in addresses of the platform. */
            username: string;
        };
        /** @description Settings of the chat. */
        ChatSettings: {
            /** @description Slugs of the platforms to write to by default. */
            default_platforms: string[];
            /**
             * Format: int32
             * @description Font size in pixels, 8 to 72.
             */
            font_size: number;
            /** @description True when messages that mention the channel are highlighted. */
            highlight_mentions: boolean;
            /** @description True when messages are shown with their time. */
            show_timestamps: boolean;
        };
        /** @enum {string} */
        ErrorCode: "UNAUTHORIZED" | "FEATURE_DISABLED" | "INVALID_MESSAGE" | "INVALID_CHANNEL" | "FORBIDDEN" | "TOO_MANY_SUBSCRIPTIONS" | "RATE_LIMIT_EXCEEDED" | "PAYLOAD_TOO_LARGE" | "TOKEN_EXPIRED" | "TOKEN_REVOKED" | "INTERNAL_SERVER_ERROR";
        /** @description Event of an account. */
        Event: components["schemas"]["Event.twitch.follower"] | components["schemas"]["Event.twitch.subscribe"] | components["schemas"]["Event.twitch.resub"] | components["schemas"]["Event.twitch.gift_sub"] | components["schemas"]["Event.twitch.cheer"] | components["schemas"]["Event.twitch.raid"] | components["schemas"]["Event.twitch.reward"] | components["schemas"]["Event.twitch.hype_train"] | components["schemas"]["Event.twitch.hype_train_end"] | components["schemas"]["Event.twitch.poll"] | components["schemas"]["Event.twitch.poll_end"] | components["schemas"]["Event.twitch.prediction"] | components["schemas"]["Event.twitch.prediction_lock"] | components["schemas"]["Event.twitch.prediction_end"] | components["schemas"]["Event.twitch.goal"] | components["schemas"]["Event.twitch.goal_end"] | components["schemas"]["Event.twitch.ad_break"] | components["schemas"]["Event.twitch.ban"] | components["schemas"]["Event.twitch.unban"] | components["schemas"]["Event.twitch.stream_online"] | components["schemas"]["Event.twitch.stream_offline"] | components["schemas"]["Event.twitch.stream_update"] | components["schemas"]["Event.youtube.subscriber"] | components["schemas"]["Event.youtube.member"] | components["schemas"]["Event.youtube.member_milestone"] | components["schemas"]["Event.youtube.member_gift"] | components["schemas"]["Event.youtube.superchat"] | components["schemas"]["Event.youtube.supersticker"] | components["schemas"]["Event.youtube.stream_online"] | components["schemas"]["Event.youtube.stream_offline"] | components["schemas"]["Event.kick.follower"] | components["schemas"]["Event.kick.subscribe"] | components["schemas"]["Event.kick.gift_sub"] | components["schemas"]["Event.kick.raid"] | components["schemas"]["Event.kick.stream_online"] | components["schemas"]["Event.kick.stream_offline"] | components["schemas"]["Event.trovo.follower"] | components["schemas"]["Event.trovo.subscribe"] | components["schemas"]["Event.trovo.gift_sub"] | components["schemas"]["Event.trovo.spell"] | components["schemas"]["Event.trovo.raid"] | components["schemas"]["Event.trovo.stream_online"] | components["schemas"]["Event.trovo.stream_offline"] | components["schemas"]["Event.streamelements.tip"] | components["schemas"]["Event.spotify.track"] | components["schemas"]["Event.shopify.order"] | components["schemas"]["Event.custom"];
        /** @description Event of an account. */
        "Event.custom": {
            /**
             * Format: uuid
             * @description Account that it belongs to.
             */
            account_id: string;
            amount?: components["schemas"]["Int64"] | null;
            /** @description Picture of that user. */
            avatar_url?: string | null;
            /** @description `bits`, `points`, or a currency of money in three capital letters. */
            currency?: string | null;
            data: {
                [key: string]: unknown;
            };
            /** @description Name of that user as the platform shows it. */
            display_name?: string | null;
            event_type: `custom:${string}`;
            /**
             * Format: uuid
             * @description Id of the event.
             */
            id: string;
            /** @description True for a test, which counts nowhere. */
            is_test: boolean;
            /** @description Message of that user. */
            message?: string | null;
            /** @description Time of the event. */
            occurred_at: components["schemas"]["Timestamp"];
            /** @description Slug of the platform; null for events of no platform. */
            platform?: string | null;
            /** @description The platform's id of the user who caused it. */
            platform_user_id?: string | null;
            /** @description Name of that user in addresses. */
            username?: string | null;
        };
        /** @description Event of an account. */
        "Event.kick.follower": {
            /**
             * Format: uuid
             * @description Account that it belongs to.
             */
            account_id: string;
            amount?: components["schemas"]["Int64"] | null;
            /** @description Picture of that user. */
            avatar_url?: string | null;
            /** @description `bits`, `points`, or a currency of money in three capital letters. */
            currency?: string | null;
            data: components["schemas"]["EventData.kick.follower"];
            /** @description Name of that user as the platform shows it. */
            display_name?: string | null;
            /** @enum {string} */
            event_type: "kick:follower";
            /**
             * Format: uuid
             * @description Id of the event.
             */
            id: string;
            /** @description True for a test, which counts nowhere. */
            is_test: boolean;
            /** @description Message of that user. */
            message?: string | null;
            /** @description Time of the event. */
            occurred_at: components["schemas"]["Timestamp"];
            /** @description Slug of the platform; null for events of no platform. */
            platform?: string | null;
            /** @description The platform's id of the user who caused it. */
            platform_user_id?: string | null;
            /** @description Name of that user in addresses. */
            username?: string | null;
        };
        /** @description Event of an account. */
        "Event.kick.gift_sub": {
            /**
             * Format: uuid
             * @description Account that it belongs to.
             */
            account_id: string;
            amount?: components["schemas"]["Int64"] | null;
            /** @description Picture of that user. */
            avatar_url?: string | null;
            /** @description `bits`, `points`, or a currency of money in three capital letters. */
            currency?: string | null;
            data: components["schemas"]["EventData.kick.gift_sub"];
            /** @description Name of that user as the platform shows it. */
            display_name?: string | null;
            /** @enum {string} */
            event_type: "kick:gift_sub";
            /**
             * Format: uuid
             * @description Id of the event.
             */
            id: string;
            /** @description True for a test, which counts nowhere. */
            is_test: boolean;
            /** @description Message of that user. */
            message?: string | null;
            /** @description Time of the event. */
            occurred_at: components["schemas"]["Timestamp"];
            /** @description Slug of the platform; null for events of no platform. */
            platform?: string | null;
            /** @description The platform's id of the user who caused it. */
            platform_user_id?: string | null;
            /** @description Name of that user in addresses. */
            username?: string | null;
        };
        /** @description Event of an account. */
        "Event.kick.raid": {
            /**
             * Format: uuid
             * @description Account that it belongs to.
             */
            account_id: string;
            amount?: components["schemas"]["Int64"] | null;
            /** @description Picture of that user. */
            avatar_url?: string | null;
            /** @description `bits`, `points`, or a currency of money in three capital letters. */
            currency?: string | null;
            data: components["schemas"]["EventData.kick.raid"];
            /** @description Name of that user as the platform shows it. */
            display_name?: string | null;
            /** @enum {string} */
            event_type: "kick:raid";
            /**
             * Format: uuid
             * @description Id of the event.
             */
            id: string;
            /** @description True for a test, which counts nowhere. */
            is_test: boolean;
            /** @description Message of that user. */
            message?: string | null;
            /** @description Time of the event. */
            occurred_at: components["schemas"]["Timestamp"];
            /** @description Slug of the platform; null for events of no platform. */
            platform?: string | null;
            /** @description The platform's id of the user who caused it. */
            platform_user_id?: string | null;
            /** @description Name of that user in addresses. */
            username?: string | null;
        };
        /** @description Event of an account. */
        "Event.kick.stream_offline": {
            /**
             * Format: uuid
             * @description Account that it belongs to.
             */
            account_id: string;
            amount?: components["schemas"]["Int64"] | null;
            /** @description Picture of that user. */
            avatar_url?: string | null;
            /** @description `bits`, `points`, or a currency of money in three capital letters. */
            currency?: string | null;
            data: components["schemas"]["EventData.kick.stream_offline"];
            /** @description Name of that user as the platform shows it. */
            display_name?: string | null;
            /** @enum {string} */
            event_type: "kick:stream_offline";
            /**
             * Format: uuid
             * @description Id of the event.
             */
            id: string;
            /** @description True for a test, which counts nowhere. */
            is_test: boolean;
            /** @description Message of that user. */
            message?: string | null;
            /** @description Time of the event. */
            occurred_at: components["schemas"]["Timestamp"];
            /** @description Slug of the platform; null for events of no platform. */
            platform?: string | null;
            /** @description The platform's id of the user who caused it. */
            platform_user_id?: string | null;
            /** @description Name of that user in addresses. */
            username?: string | null;
        };
        /** @description Event of an account. */
        "Event.kick.stream_online": {
            /**
             * Format: uuid
             * @description Account that it belongs to.
             */
            account_id: string;
            amount?: components["schemas"]["Int64"] | null;
            /** @description Picture of that user. */
            avatar_url?: string | null;
            /** @description `bits`, `points`, or a currency of money in three capital letters. */
            currency?: string | null;
            data: components["schemas"]["EventData.kick.stream_online"];
            /** @description Name of that user as the platform shows it. */
            display_name?: string | null;
            /** @enum {string} */
            event_type: "kick:stream_online";
            /**
             * Format: uuid
             * @description Id of the event.
             */
            id: string;
            /** @description True for a test, which counts nowhere. */
            is_test: boolean;
            /** @description Message of that user. */
            message?: string | null;
            /** @description Time of the event. */
            occurred_at: components["schemas"]["Timestamp"];
            /** @description Slug of the platform; null for events of no platform. */
            platform?: string | null;
            /** @description The platform's id of the user who caused it. */
            platform_user_id?: string | null;
            /** @description Name of that user in addresses. */
            username?: string | null;
        };
        /** @description Event of an account. */
        "Event.kick.subscribe": {
            /**
             * Format: uuid
             * @description Account that it belongs to.
             */
            account_id: string;
            amount?: components["schemas"]["Int64"] | null;
            /** @description Picture of that user. */
            avatar_url?: string | null;
            /** @description `bits`, `points`, or a currency of money in three capital letters. */
            currency?: string | null;
            data: components["schemas"]["EventData.kick.subscribe"];
            /** @description Name of that user as the platform shows it. */
            display_name?: string | null;
            /** @enum {string} */
            event_type: "kick:subscribe";
            /**
             * Format: uuid
             * @description Id of the event.
             */
            id: string;
            /** @description True for a test, which counts nowhere. */
            is_test: boolean;
            /** @description Message of that user. */
            message?: string | null;
            /** @description Time of the event. */
            occurred_at: components["schemas"]["Timestamp"];
            /** @description Slug of the platform; null for events of no platform. */
            platform?: string | null;
            /** @description The platform's id of the user who caused it. */
            platform_user_id?: string | null;
            /** @description Name of that user in addresses. */
            username?: string | null;
        };
        /** @description Event of an account. */
        "Event.shopify.order": {
            /**
             * Format: uuid
             * @description Account that it belongs to.
             */
            account_id: string;
            amount?: components["schemas"]["Int64"] | null;
            /** @description Picture of that user. */
            avatar_url?: string | null;
            /** @description `bits`, `points`, or a currency of money in three capital letters. */
            currency?: string | null;
            data: components["schemas"]["EventData.shopify.order"];
            /** @description Name of that user as the platform shows it. */
            display_name?: string | null;
            /** @enum {string} */
            event_type: "shopify:order";
            /**
             * Format: uuid
             * @description Id of the event.
             */
            id: string;
            /** @description True for a test, which counts nowhere. */
            is_test: boolean;
            /** @description Message of that user. */
            message?: string | null;
            /** @description Time of the event. */
            occurred_at: components["schemas"]["Timestamp"];
            /** @description Slug of the platform; null for events of no platform. */
            platform?: string | null;
            /** @description The platform's id of the user who caused it. */
            platform_user_id?: string | null;
            /** @description Name of that user in addresses. */
            username?: string | null;
        };
        /** @description Event of an account. */
        "Event.spotify.track": {
            /**
             * Format: uuid
             * @description Account that it belongs to.
             */
            account_id: string;
            amount?: components["schemas"]["Int64"] | null;
            /** @description Picture of that user. */
            avatar_url?: string | null;
            /** @description `bits`, `points`, or a currency of money in three capital letters. */
            currency?: string | null;
            data: components["schemas"]["EventData.spotify.track"];
            /** @description Name of that user as the platform shows it. */
            display_name?: string | null;
            /** @enum {string} */
            event_type: "spotify:track";
            /**
             * Format: uuid
             * @description Id of the event.
             */
            id: string;
            /** @description True for a test, which counts nowhere. */
            is_test: boolean;
            /** @description Message of that user. */
            message?: string | null;
            /** @description Time of the event. */
            occurred_at: components["schemas"]["Timestamp"];
            /** @description Slug of the platform; null for events of no platform. */
            platform?: string | null;
            /** @description The platform's id of the user who caused it. */
            platform_user_id?: string | null;
            /** @description Name of that user in addresses. */
            username?: string | null;
        };
        /** @description Event of an account. */
        "Event.streamelements.tip": {
            /**
             * Format: uuid
             * @description Account that it belongs to.
             */
            account_id: string;
            amount?: components["schemas"]["Int64"] | null;
            /** @description Picture of that user. */
            avatar_url?: string | null;
            /** @description `bits`, `points`, or a currency of money in three capital letters. */
            currency?: string | null;
            data: components["schemas"]["EventData.streamelements.tip"];
            /** @description Name of that user as the platform shows it. */
            display_name?: string | null;
            /** @enum {string} */
            event_type: "streamelements:tip";
            /**
             * Format: uuid
             * @description Id of the event.
             */
            id: string;
            /** @description True for a test, which counts nowhere. */
            is_test: boolean;
            /** @description Message of that user. */
            message?: string | null;
            /** @description Time of the event. */
            occurred_at: components["schemas"]["Timestamp"];
            /** @description Slug of the platform; null for events of no platform. */
            platform?: string | null;
            /** @description The platform's id of the user who caused it. */
            platform_user_id?: string | null;
            /** @description Name of that user in addresses. */
            username?: string | null;
        };
        /** @description Event of an account. */
        "Event.trovo.follower": {
            /**
             * Format: uuid
             * @description Account that it belongs to.
             */
            account_id: string;
            amount?: components["schemas"]["Int64"] | null;
            /** @description Picture of that user. */
            avatar_url?: string | null;
            /** @description `bits`, `points`, or a currency of money in three capital letters. */
            currency?: string | null;
            data: components["schemas"]["EventData.trovo.follower"];
            /** @description Name of that user as the platform shows it. */
            display_name?: string | null;
            /** @enum {string} */
            event_type: "trovo:follower";
            /**
             * Format: uuid
             * @description Id of the event.
             */
            id: string;
            /** @description True for a test, which counts nowhere. */
            is_test: boolean;
            /** @description Message of that user. */
            message?: string | null;
            /** @description Time of the event. */
            occurred_at: components["schemas"]["Timestamp"];
            /** @description Slug of the platform; null for events of no platform. */
            platform?: string | null;
            /** @description The platform's id of the user who caused it. */
            platform_user_id?: string | null;
            /** @description Name of that user in addresses. */
            username?: string | null;
        };
        /** @description Event of an account. */
        "Event.trovo.gift_sub": {
            /**
             * Format: uuid
             * @description Account that it belongs to.
             */
            account_id: string;
            amount?: components["schemas"]["Int64"] | null;
            /** @description Picture of that user. */
            avatar_url?: string | null;
            /** @description `bits`, `points`, or a currency of money in three capital letters. */
            currency?: string | null;
            data: components["schemas"]["EventData.trovo.gift_sub"];
            /** @description Name of that user as the platform shows it. */
            display_name?: string | null;
            /** @enum {string} */
            event_type: "trovo:gift_sub";
            /**
             * Format: uuid
             * @description Id of the event.
             */
            id: string;
            /** @description True for a test, which counts nowhere. */
            is_test: boolean;
            /** @description Message of that user. */
            message?: string | null;
            /** @description Time of the event. */
            occurred_at: components["schemas"]["Timestamp"];
            /** @description Slug of the platform; null for events of no platform. */
            platform?: string | null;
            /** @description The platform's id of the user who caused it. */
            platform_user_id?: string | null;
            /** @description Name of that user in addresses. */
            username?: string | null;
        };
        /** @description Event of an account. */
        "Event.trovo.raid": {
            /**
             * Format: uuid
             * @description Account that it belongs to.
             */
            account_id: string;
            amount?: components["schemas"]["Int64"] | null;
            /** @description Picture of that user. */
            avatar_url?: string | null;
            /** @description `bits`, `points`, or a currency of money in three capital letters. */
            currency?: string | null;
            data: components["schemas"]["EventData.trovo.raid"];
            /** @description Name of that user as the platform shows it. */
            display_name?: string | null;
            /** @enum {string} */
            event_type: "trovo:raid";
            /**
             * Format: uuid
             * @description Id of the event.
             */
            id: string;
            /** @description True for a test, which counts nowhere. */
            is_test: boolean;
            /** @description Message of that user. */
            message?: string | null;
            /** @description Time of the event. */
            occurred_at: components["schemas"]["Timestamp"];
            /** @description Slug of the platform; null for events of no platform. */
            platform?: string | null;
            /** @description The platform's id of the user who caused it. */
            platform_user_id?: string | null;
            /** @description Name of that user in addresses. */
            username?: string | null;
        };
        /** @description Event of an account. */
        "Event.trovo.spell": {
            /**
             * Format: uuid
             * @description Account that it belongs to.
             */
            account_id: string;
            amount?: components["schemas"]["Int64"] | null;
            /** @description Picture of that user. */
            avatar_url?: string | null;
            /** @description `bits`, `points`, or a currency of money in three capital letters. */
            currency?: string | null;
            data: components["schemas"]["EventData.trovo.spell"];
            /** @description Name of that user as the platform shows it. */
            display_name?: string | null;
            /** @enum {string} */
            event_type: "trovo:spell";
            /**
             * Format: uuid
             * @description Id of the event.
             */
            id: string;
            /** @description True for a test, which counts nowhere. */
            is_test: boolean;
            /** @description Message of that user. */
            message?: string | null;
            /** @description Time of the event. */
            occurred_at: components["schemas"]["Timestamp"];
            /** @description Slug of the platform; null for events of no platform. */
            platform?: string | null;
            /** @description The platform's id of the user who caused it. */
            platform_user_id?: string | null;
            /** @description Name of that user in addresses. */
            username?: string | null;
        };
        /** @description Event of an account. */
        "Event.trovo.stream_offline": {
            /**
             * Format: uuid
             * @description Account that it belongs to.
             */
            account_id: string;
            amount?: components["schemas"]["Int64"] | null;
            /** @description Picture of that user. */
            avatar_url?: string | null;
            /** @description `bits`, `points`, or a currency of money in three capital letters. */
            currency?: string | null;
            data: components["schemas"]["EventData.trovo.stream_offline"];
            /** @description Name of that user as the platform shows it. */
            display_name?: string | null;
            /** @enum {string} */
            event_type: "trovo:stream_offline";
            /**
             * Format: uuid
             * @description Id of the event.
             */
            id: string;
            /** @description True for a test, which counts nowhere. */
            is_test: boolean;
            /** @description Message of that user. */
            message?: string | null;
            /** @description Time of the event. */
            occurred_at: components["schemas"]["Timestamp"];
            /** @description Slug of the platform; null for events of no platform. */
            platform?: string | null;
            /** @description The platform's id of the user who caused it. */
            platform_user_id?: string | null;
            /** @description Name of that user in addresses. */
            username?: string | null;
        };
        /** @description Event of an account. */
        "Event.trovo.stream_online": {
            /**
             * Format: uuid
             * @description Account that it belongs to.
             */
            account_id: string;
            amount?: components["schemas"]["Int64"] | null;
            /** @description Picture of that user. */
            avatar_url?: string | null;
            /** @description `bits`, `points`, or a currency of money in three capital letters. */
            currency?: string | null;
            data: components["schemas"]["EventData.trovo.stream_online"];
            /** @description Name of that user as the platform shows it. */
            display_name?: string | null;
            /** @enum {string} */
            event_type: "trovo:stream_online";
            /**
             * Format: uuid
             * @description Id of the event.
             */
            id: string;
            /** @description True for a test, which counts nowhere. */
            is_test: boolean;
            /** @description Message of that user. */
            message?: string | null;
            /** @description Time of the event. */
            occurred_at: components["schemas"]["Timestamp"];
            /** @description Slug of the platform; null for events of no platform. */
            platform?: string | null;
            /** @description The platform's id of the user who caused it. */
            platform_user_id?: string | null;
            /** @description Name of that user in addresses. */
            username?: string | null;
        };
        /** @description Event of an account. */
        "Event.trovo.subscribe": {
            /**
             * Format: uuid
             * @description Account that it belongs to.
             */
            account_id: string;
            amount?: components["schemas"]["Int64"] | null;
            /** @description Picture of that user. */
            avatar_url?: string | null;
            /** @description `bits`, `points`, or a currency of money in three capital letters. */
            currency?: string | null;
            data: components["schemas"]["EventData.trovo.subscribe"];
            /** @description Name of that user as the platform shows it. */
            display_name?: string | null;
            /** @enum {string} */
            event_type: "trovo:subscribe";
            /**
             * Format: uuid
             * @description Id of the event.
             */
            id: string;
            /** @description True for a test, which counts nowhere. */
            is_test: boolean;
            /** @description Message of that user. */
            message?: string | null;
            /** @description Time of the event. */
            occurred_at: components["schemas"]["Timestamp"];
            /** @description Slug of the platform; null for events of no platform. */
            platform?: string | null;
            /** @description The platform's id of the user who caused it. */
            platform_user_id?: string | null;
            /** @description Name of that user in addresses. */
            username?: string | null;
        };
        /** @description Event of an account. */
        "Event.twitch.ad_break": {
            /**
             * Format: uuid
             * @description Account that it belongs to.
             */
            account_id: string;
            amount?: components["schemas"]["Int64"] | null;
            /** @description Picture of that user. */
            avatar_url?: string | null;
            /** @description `bits`, `points`, or a currency of money in three capital letters. */
            currency?: string | null;
            data: components["schemas"]["EventData.twitch.ad_break"];
            /** @description Name of that user as the platform shows it. */
            display_name?: string | null;
            /** @enum {string} */
            event_type: "twitch:ad_break";
            /**
             * Format: uuid
             * @description Id of the event.
             */
            id: string;
            /** @description True for a test, which counts nowhere. */
            is_test: boolean;
            /** @description Message of that user. */
            message?: string | null;
            /** @description Time of the event. */
            occurred_at: components["schemas"]["Timestamp"];
            /** @description Slug of the platform; null for events of no platform. */
            platform?: string | null;
            /** @description The platform's id of the user who caused it. */
            platform_user_id?: string | null;
            /** @description Name of that user in addresses. */
            username?: string | null;
        };
        /** @description Event of an account. */
        "Event.twitch.ban": {
            /**
             * Format: uuid
             * @description Account that it belongs to.
             */
            account_id: string;
            amount?: components["schemas"]["Int64"] | null;
            /** @description Picture of that user. */
            avatar_url?: string | null;
            /** @description `bits`, `points`, or a currency of money in three capital letters. */
            currency?: string | null;
            data: components["schemas"]["EventData.twitch.ban"];
            /** @description Name of that user as the platform shows it. */
            display_name?: string | null;
            /** @enum {string} */
            event_type: "twitch:ban";
            /**
             * Format: uuid
             * @description Id of the event.
             */
            id: string;
            /** @description True for a test, which counts nowhere. */
            is_test: boolean;
            /** @description Message of that user. */
            message?: string | null;
            /** @description Time of the event. */
            occurred_at: components["schemas"]["Timestamp"];
            /** @description Slug of the platform; null for events of no platform. */
            platform?: string | null;
            /** @description The platform's id of the user who caused it. */
            platform_user_id?: string | null;
            /** @description Name of that user in addresses. */
            username?: string | null;
        };
        /** @description Event of an account. */
        "Event.twitch.cheer": {
            /**
             * Format: uuid
             * @description Account that it belongs to.
             */
            account_id: string;
            amount?: components["schemas"]["Int64"] | null;
            /** @description Picture of that user. */
            avatar_url?: string | null;
            /** @description `bits`, `points`, or a currency of money in three capital letters. */
            currency?: string | null;
            data: components["schemas"]["EventData.twitch.cheer"];
            /** @description Name of that user as the platform shows it. */
            display_name?: string | null;
            /** @enum {string} */
            event_type: "twitch:cheer";
            /**
             * Format: uuid
             * @description Id of the event.
             */
            id: string;
            /** @description True for a test, which counts nowhere. */
            is_test: boolean;
            /** @description Message of that user. */
            message?: string | null;
            /** @description Time of the event. */
            occurred_at: components["schemas"]["Timestamp"];
            /** @description Slug of the platform; null for events of no platform. */
            platform?: string | null;
            /** @description The platform's id of the user who caused it. */
            platform_user_id?: string | null;
            /** @description Name of that user in addresses. */
            username?: string | null;
        };
        /** @description Event of an account. */
        "Event.twitch.follower": {
            /**
             * Format: uuid
             * @description Account that it belongs to.
             */
            account_id: string;
            amount?: components["schemas"]["Int64"] | null;
            /** @description Picture of that user. */
            avatar_url?: string | null;
            /** @description `bits`, `points`, or a currency of money in three capital letters. */
            currency?: string | null;
            data: components["schemas"]["EventData.twitch.follower"];
            /** @description Name of that user as the platform shows it. */
            display_name?: string | null;
            /** @enum {string} */
            event_type: "twitch:follower";
            /**
             * Format: uuid
             * @description Id of the event.
             */
            id: string;
            /** @description True for a test, which counts nowhere. */
            is_test: boolean;
            /** @description Message of that user. */
            message?: string | null;
            /** @description Time of the event. */
            occurred_at: components["schemas"]["Timestamp"];
            /** @description Slug of the platform; null for events of no platform. */
            platform?: string | null;
            /** @description The platform's id of the user who caused it. */
            platform_user_id?: string | null;
            /** @description Name of that user in addresses. */
            username?: string | null;
        };
        /** @description Event of an account. */
        "Event.twitch.gift_sub": {
            /**
             * Format: uuid
             * @description Account that it belongs to.
             */
            account_id: string;
            amount?: components["schemas"]["Int64"] | null;
            /** @description Picture of that user. */
            avatar_url?: string | null;
            /** @description `bits`, `points`, or a currency of money in three capital letters. */
            currency?: string | null;
            data: components["schemas"]["EventData.twitch.gift_sub"];
            /** @description Name of that user as the platform shows it. */
            display_name?: string | null;
            /** @enum {string} */
            event_type: "twitch:gift_sub";
            /**
             * Format: uuid
             * @description Id of the event.
             */
            id: string;
            /** @description True for a test, which counts nowhere. */
            is_test: boolean;
            /** @description Message of that user. */
            message?: string | null;
            /** @description Time of the event. */
            occurred_at: components["schemas"]["Timestamp"];
            /** @description Slug of the platform; null for events of no platform. */
            platform?: string | null;
            /** @description The platform's id of the user who caused it. */
            platform_user_id?: string | null;
            /** @description Name of that user in addresses. */
            username?: string | null;
        };
        /** @description Event of an account. */
        "Event.twitch.goal": {
            /**
             * Format: uuid
             * @description Account that it belongs to.
             */
            account_id: string;
            amount?: components["schemas"]["Int64"] | null;
            /** @description Picture of that user. */
            avatar_url?: string | null;
            /** @description `bits`, `points`, or a currency of money in three capital letters. */
            currency?: string | null;
            data: components["schemas"]["EventData.twitch.goal"];
            /** @description Name of that user as the platform shows it. */
            display_name?: string | null;
            /** @enum {string} */
            event_type: "twitch:goal";
            /**
             * Format: uuid
             * @description Id of the event.
             */
            id: string;
            /** @description True for a test, which counts nowhere. */
            is_test: boolean;
            /** @description Message of that user. */
            message?: string | null;
            /** @description Time of the event. */
            occurred_at: components["schemas"]["Timestamp"];
            /** @description Slug of the platform; null for events of no platform. */
            platform?: string | null;
            /** @description The platform's id of the user who caused it. */
            platform_user_id?: string | null;
            /** @description Name of that user in addresses. */
            username?: string | null;
        };
        /** @description Event of an account. */
        "Event.twitch.goal_end": {
            /**
             * Format: uuid
             * @description Account that it belongs to.
             */
            account_id: string;
            amount?: components["schemas"]["Int64"] | null;
            /** @description Picture of that user. */
            avatar_url?: string | null;
            /** @description `bits`, `points`, or a currency of money in three capital letters. */
            currency?: string | null;
            data: components["schemas"]["EventData.twitch.goal_end"];
            /** @description Name of that user as the platform shows it. */
            display_name?: string | null;
            /** @enum {string} */
            event_type: "twitch:goal_end";
            /**
             * Format: uuid
             * @description Id of the event.
             */
            id: string;
            /** @description True for a test, which counts nowhere. */
            is_test: boolean;
            /** @description Message of that user. */
            message?: string | null;
            /** @description Time of the event. */
            occurred_at: components["schemas"]["Timestamp"];
            /** @description Slug of the platform; null for events of no platform. */
            platform?: string | null;
            /** @description The platform's id of the user who caused it. */
            platform_user_id?: string | null;
            /** @description Name of that user in addresses. */
            username?: string | null;
        };
        /** @description Event of an account. */
        "Event.twitch.hype_train": {
            /**
             * Format: uuid
             * @description Account that it belongs to.
             */
            account_id: string;
            amount?: components["schemas"]["Int64"] | null;
            /** @description Picture of that user. */
            avatar_url?: string | null;
            /** @description `bits`, `points`, or a currency of money in three capital letters. */
            currency?: string | null;
            data: components["schemas"]["EventData.twitch.hype_train"];
            /** @description Name of that user as the platform shows it. */
            display_name?: string | null;
            /** @enum {string} */
            event_type: "twitch:hype_train";
            /**
             * Format: uuid
             * @description Id of the event.
             */
            id: string;
            /** @description True for a test, which counts nowhere. */
            is_test: boolean;
            /** @description Message of that user. */
            message?: string | null;
            /** @description Time of the event. */
            occurred_at: components["schemas"]["Timestamp"];
            /** @description Slug of the platform; null for events of no platform. */
            platform?: string | null;
            /** @description The platform's id of the user who caused it. */
            platform_user_id?: string | null;
            /** @description Name of that user in addresses. */
            username?: string | null;
        };
        /** @description Event of an account. */
        "Event.twitch.hype_train_end": {
            /**
             * Format: uuid
             * @description Account that it belongs to.
             */
            account_id: string;
            amount?: components["schemas"]["Int64"] | null;
            /** @description Picture of that user. */
            avatar_url?: string | null;
            /** @description `bits`, `points`, or a currency of money in three capital letters. */
            currency?: string | null;
            data: components["schemas"]["EventData.twitch.hype_train_end"];
            /** @description Name of that user as the platform shows it. */
            display_name?: string | null;
            /** @enum {string} */
            event_type: "twitch:hype_train_end";
            /**
             * Format: uuid
             * @description Id of the event.
             */
            id: string;
            /** @description True for a test, which counts nowhere. */
            is_test: boolean;
            /** @description Message of that user. */
            message?: string | null;
            /** @description Time of the event. */
            occurred_at: components["schemas"]["Timestamp"];
            /** @description Slug of the platform; null for events of no platform. */
            platform?: string | null;
            /** @description The platform's id of the user who caused it. */
            platform_user_id?: string | null;
            /** @description Name of that user in addresses. */
            username?: string | null;
        };
        /** @description Event of an account. */
        "Event.twitch.poll": {
            /**
             * Format: uuid
             * @description Account that it belongs to.
             */
            account_id: string;
            amount?: components["schemas"]["Int64"] | null;
            /** @description Picture of that user. */
            avatar_url?: string | null;
            /** @description `bits`, `points`, or a currency of money in three capital letters. */
            currency?: string | null;
            data: components["schemas"]["EventData.twitch.poll"];
            /** @description Name of that user as the platform shows it. */
            display_name?: string | null;
            /** @enum {string} */
            event_type: "twitch:poll";
            /**
             * Format: uuid
             * @description Id of the event.
             */
            id: string;
            /** @description True for a test, which counts nowhere. */
            is_test: boolean;
            /** @description Message of that user. */
            message?: string | null;
            /** @description Time of the event. */
            occurred_at: components["schemas"]["Timestamp"];
            /** @description Slug of the platform; null for events of no platform. */
            platform?: string | null;
            /** @description The platform's id of the user who caused it. */
            platform_user_id?: string | null;
            /** @description Name of that user in addresses. */
            username?: string | null;
        };
        /** @description Event of an account. */
        "Event.twitch.poll_end": {
            /**
             * Format: uuid
             * @description Account that it belongs to.
             */
            account_id: string;
            amount?: components["schemas"]["Int64"] | null;
            /** @description Picture of that user. */
            avatar_url?: string | null;
            /** @description `bits`, `points`, or a currency of money in three capital letters. */
            currency?: string | null;
            data: components["schemas"]["EventData.twitch.poll_end"];
            /** @description Name of that user as the platform shows it. */
            display_name?: string | null;
            /** @enum {string} */
            event_type: "twitch:poll_end";
            /**
             * Format: uuid
             * @description Id of the event.
             */
            id: string;
            /** @description True for a test, which counts nowhere. */
            is_test: boolean;
            /** @description Message of that user. */
            message?: string | null;
            /** @description Time of the event. */
            occurred_at: components["schemas"]["Timestamp"];
            /** @description Slug of the platform; null for events of no platform. */
            platform?: string | null;
            /** @description The platform's id of the user who caused it. */
            platform_user_id?: string | null;
            /** @description Name of that user in addresses. */
            username?: string | null;
        };
        /** @description Event of an account. */
        "Event.twitch.prediction": {
            /**
             * Format: uuid
             * @description Account that it belongs to.
             */
            account_id: string;
            amount?: components["schemas"]["Int64"] | null;
            /** @description Picture of that user. */
            avatar_url?: string | null;
            /** @description `bits`, `points`, or a currency of money in three capital letters. */
            currency?: string | null;
            data: components["schemas"]["EventData.twitch.prediction"];
            /** @description Name of that user as the platform shows it. */
            display_name?: string | null;
            /** @enum {string} */
            event_type: "twitch:prediction";
            /**
             * Format: uuid
             * @description Id of the event.
             */
            id: string;
            /** @description True for a test, which counts nowhere. */
            is_test: boolean;
            /** @description Message of that user. */
            message?: string | null;
            /** @description Time of the event. */
            occurred_at: components["schemas"]["Timestamp"];
            /** @description Slug of the platform; null for events of no platform. */
            platform?: string | null;
            /** @description The platform's id of the user who caused it. */
            platform_user_id?: string | null;
            /** @description Name of that user in addresses. */
            username?: string | null;
        };
        /** @description Event of an account. */
        "Event.twitch.prediction_end": {
            /**
             * Format: uuid
             * @description Account that it belongs to.
             */
            account_id: string;
            amount?: components["schemas"]["Int64"] | null;
            /** @description Picture of that user. */
            avatar_url?: string | null;
            /** @description `bits`, `points`, or a currency of money in three capital letters. */
            currency?: string | null;
            data: components["schemas"]["EventData.twitch.prediction_end"];
            /** @description Name of that user as the platform shows it. */
            display_name?: string | null;
            /** @enum {string} */
            event_type: "twitch:prediction_end";
            /**
             * Format: uuid
             * @description Id of the event.
             */
            id: string;
            /** @description True for a test, which counts nowhere. */
            is_test: boolean;
            /** @description Message of that user. */
            message?: string | null;
            /** @description Time of the event. */
            occurred_at: components["schemas"]["Timestamp"];
            /** @description Slug of the platform; null for events of no platform. */
            platform?: string | null;
            /** @description The platform's id of the user who caused it. */
            platform_user_id?: string | null;
            /** @description Name of that user in addresses. */
            username?: string | null;
        };
        /** @description Event of an account. */
        "Event.twitch.prediction_lock": {
            /**
             * Format: uuid
             * @description Account that it belongs to.
             */
            account_id: string;
            amount?: components["schemas"]["Int64"] | null;
            /** @description Picture of that user. */
            avatar_url?: string | null;
            /** @description `bits`, `points`, or a currency of money in three capital letters. */
            currency?: string | null;
            data: components["schemas"]["EventData.twitch.prediction_lock"];
            /** @description Name of that user as the platform shows it. */
            display_name?: string | null;
            /** @enum {string} */
            event_type: "twitch:prediction_lock";
            /**
             * Format: uuid
             * @description Id of the event.
             */
            id: string;
            /** @description True for a test, which counts nowhere. */
            is_test: boolean;
            /** @description Message of that user. */
            message?: string | null;
            /** @description Time of the event. */
            occurred_at: components["schemas"]["Timestamp"];
            /** @description Slug of the platform; null for events of no platform. */
            platform?: string | null;
            /** @description The platform's id of the user who caused it. */
            platform_user_id?: string | null;
            /** @description Name of that user in addresses. */
            username?: string | null;
        };
        /** @description Event of an account. */
        "Event.twitch.raid": {
            /**
             * Format: uuid
             * @description Account that it belongs to.
             */
            account_id: string;
            amount?: components["schemas"]["Int64"] | null;
            /** @description Picture of that user. */
            avatar_url?: string | null;
            /** @description `bits`, `points`, or a currency of money in three capital letters. */
            currency?: string | null;
            data: components["schemas"]["EventData.twitch.raid"];
            /** @description Name of that user as the platform shows it. */
            display_name?: string | null;
            /** @enum {string} */
            event_type: "twitch:raid";
            /**
             * Format: uuid
             * @description Id of the event.
             */
            id: string;
            /** @description True for a test, which counts nowhere. */
            is_test: boolean;
            /** @description Message of that user. */
            message?: string | null;
            /** @description Time of the event. */
            occurred_at: components["schemas"]["Timestamp"];
            /** @description Slug of the platform; null for events of no platform. */
            platform?: string | null;
            /** @description The platform's id of the user who caused it. */
            platform_user_id?: string | null;
            /** @description Name of that user in addresses. */
            username?: string | null;
        };
        /** @description Event of an account. */
        "Event.twitch.resub": {
            /**
             * Format: uuid
             * @description Account that it belongs to.
             */
            account_id: string;
            amount?: components["schemas"]["Int64"] | null;
            /** @description Picture of that user. */
            avatar_url?: string | null;
            /** @description `bits`, `points`, or a currency of money in three capital letters. */
            currency?: string | null;
            data: components["schemas"]["EventData.twitch.resub"];
            /** @description Name of that user as the platform shows it. */
            display_name?: string | null;
            /** @enum {string} */
            event_type: "twitch:resub";
            /**
             * Format: uuid
             * @description Id of the event.
             */
            id: string;
            /** @description True for a test, which counts nowhere. */
            is_test: boolean;
            /** @description Message of that user. */
            message?: string | null;
            /** @description Time of the event. */
            occurred_at: components["schemas"]["Timestamp"];
            /** @description Slug of the platform; null for events of no platform. */
            platform?: string | null;
            /** @description The platform's id of the user who caused it. */
            platform_user_id?: string | null;
            /** @description Name of that user in addresses. */
            username?: string | null;
        };
        /** @description Event of an account. */
        "Event.twitch.reward": {
            /**
             * Format: uuid
             * @description Account that it belongs to.
             */
            account_id: string;
            amount?: components["schemas"]["Int64"] | null;
            /** @description Picture of that user. */
            avatar_url?: string | null;
            /** @description `bits`, `points`, or a currency of money in three capital letters. */
            currency?: string | null;
            data: components["schemas"]["EventData.twitch.reward"];
            /** @description Name of that user as the platform shows it. */
            display_name?: string | null;
            /** @enum {string} */
            event_type: "twitch:reward";
            /**
             * Format: uuid
             * @description Id of the event.
             */
            id: string;
            /** @description True for a test, which counts nowhere. */
            is_test: boolean;
            /** @description Message of that user. */
            message?: string | null;
            /** @description Time of the event. */
            occurred_at: components["schemas"]["Timestamp"];
            /** @description Slug of the platform; null for events of no platform. */
            platform?: string | null;
            /** @description The platform's id of the user who caused it. */
            platform_user_id?: string | null;
            /** @description Name of that user in addresses. */
            username?: string | null;
        };
        /** @description Event of an account. */
        "Event.twitch.stream_offline": {
            /**
             * Format: uuid
             * @description Account that it belongs to.
             */
            account_id: string;
            amount?: components["schemas"]["Int64"] | null;
            /** @description Picture of that user. */
            avatar_url?: string | null;
            /** @description `bits`, `points`, or a currency of money in three capital letters. */
            currency?: string | null;
            data: components["schemas"]["EventData.twitch.stream_offline"];
            /** @description Name of that user as the platform shows it. */
            display_name?: string | null;
            /** @enum {string} */
            event_type: "twitch:stream_offline";
            /**
             * Format: uuid
             * @description Id of the event.
             */
            id: string;
            /** @description True for a test, which counts nowhere. */
            is_test: boolean;
            /** @description Message of that user. */
            message?: string | null;
            /** @description Time of the event. */
            occurred_at: components["schemas"]["Timestamp"];
            /** @description Slug of the platform; null for events of no platform. */
            platform?: string | null;
            /** @description The platform's id of the user who caused it. */
            platform_user_id?: string | null;
            /** @description Name of that user in addresses. */
            username?: string | null;
        };
        /** @description Event of an account. */
        "Event.twitch.stream_online": {
            /**
             * Format: uuid
             * @description Account that it belongs to.
             */
            account_id: string;
            amount?: components["schemas"]["Int64"] | null;
            /** @description Picture of that user. */
            avatar_url?: string | null;
            /** @description `bits`, `points`, or a currency of money in three capital letters. */
            currency?: string | null;
            data: components["schemas"]["EventData.twitch.stream_online"];
            /** @description Name of that user as the platform shows it. */
            display_name?: string | null;
            /** @enum {string} */
            event_type: "twitch:stream_online";
            /**
             * Format: uuid
             * @description Id of the event.
             */
            id: string;
            /** @description True for a test, which counts nowhere. */
            is_test: boolean;
            /** @description Message of that user. */
            message?: string | null;
            /** @description Time of the event. */
            occurred_at: components["schemas"]["Timestamp"];
            /** @description Slug of the platform; null for events of no platform. */
            platform?: string | null;
            /** @description The platform's id of the user who caused it. */
            platform_user_id?: string | null;
            /** @description Name of that user in addresses. */
            username?: string | null;
        };
        /** @description Event of an account. */
        "Event.twitch.stream_update": {
            /**
             * Format: uuid
             * @description Account that it belongs to.
             */
            account_id: string;
            amount?: components["schemas"]["Int64"] | null;
            /** @description Picture of that user. */
            avatar_url?: string | null;
            /** @description `bits`, `points`, or a currency of money in three capital letters. */
            currency?: string | null;
            data: components["schemas"]["EventData.twitch.stream_update"];
            /** @description Name of that user as the platform shows it. */
            display_name?: string | null;
            /** @enum {string} */
            event_type: "twitch:stream_update";
            /**
             * Format: uuid
             * @description Id of the event.
             */
            id: string;
            /** @description True for a test, which counts nowhere. */
            is_test: boolean;
            /** @description Message of that user. */
            message?: string | null;
            /** @description Time of the event. */
            occurred_at: components["schemas"]["Timestamp"];
            /** @description Slug of the platform; null for events of no platform. */
            platform?: string | null;
            /** @description The platform's id of the user who caused it. */
            platform_user_id?: string | null;
            /** @description Name of that user in addresses. */
            username?: string | null;
        };
        /** @description Event of an account. */
        "Event.twitch.subscribe": {
            /**
             * Format: uuid
             * @description Account that it belongs to.
             */
            account_id: string;
            amount?: components["schemas"]["Int64"] | null;
            /** @description Picture of that user. */
            avatar_url?: string | null;
            /** @description `bits`, `points`, or a currency of money in three capital letters. */
            currency?: string | null;
            data: components["schemas"]["EventData.twitch.subscribe"];
            /** @description Name of that user as the platform shows it. */
            display_name?: string | null;
            /** @enum {string} */
            event_type: "twitch:subscribe";
            /**
             * Format: uuid
             * @description Id of the event.
             */
            id: string;
            /** @description True for a test, which counts nowhere. */
            is_test: boolean;
            /** @description Message of that user. */
            message?: string | null;
            /** @description Time of the event. */
            occurred_at: components["schemas"]["Timestamp"];
            /** @description Slug of the platform; null for events of no platform. */
            platform?: string | null;
            /** @description The platform's id of the user who caused it. */
            platform_user_id?: string | null;
            /** @description Name of that user in addresses. */
            username?: string | null;
        };
        /** @description Event of an account. */
        "Event.twitch.unban": {
            /**
             * Format: uuid
             * @description Account that it belongs to.
             */
            account_id: string;
            amount?: components["schemas"]["Int64"] | null;
            /** @description Picture of that user. */
            avatar_url?: string | null;
            /** @description `bits`, `points`, or a currency of money in three capital letters. */
            currency?: string | null;
            data: components["schemas"]["EventData.twitch.unban"];
            /** @description Name of that user as the platform shows it. */
            display_name?: string | null;
            /** @enum {string} */
            event_type: "twitch:unban";
            /**
             * Format: uuid
             * @description Id of the event.
             */
            id: string;
            /** @description True for a test, which counts nowhere. */
            is_test: boolean;
            /** @description Message of that user. */
            message?: string | null;
            /** @description Time of the event. */
            occurred_at: components["schemas"]["Timestamp"];
            /** @description Slug of the platform; null for events of no platform. */
            platform?: string | null;
            /** @description The platform's id of the user who caused it. */
            platform_user_id?: string | null;
            /** @description Name of that user in addresses. */
            username?: string | null;
        };
        /** @description Event of an account. */
        "Event.youtube.member": {
            /**
             * Format: uuid
             * @description Account that it belongs to.
             */
            account_id: string;
            amount?: components["schemas"]["Int64"] | null;
            /** @description Picture of that user. */
            avatar_url?: string | null;
            /** @description `bits`, `points`, or a currency of money in three capital letters. */
            currency?: string | null;
            data: components["schemas"]["EventData.youtube.member"];
            /** @description Name of that user as the platform shows it. */
            display_name?: string | null;
            /** @enum {string} */
            event_type: "youtube:member";
            /**
             * Format: uuid
             * @description Id of the event.
             */
            id: string;
            /** @description True for a test, which counts nowhere. */
            is_test: boolean;
            /** @description Message of that user. */
            message?: string | null;
            /** @description Time of the event. */
            occurred_at: components["schemas"]["Timestamp"];
            /** @description Slug of the platform; null for events of no platform. */
            platform?: string | null;
            /** @description The platform's id of the user who caused it. */
            platform_user_id?: string | null;
            /** @description Name of that user in addresses. */
            username?: string | null;
        };
        /** @description Event of an account. */
        "Event.youtube.member_gift": {
            /**
             * Format: uuid
             * @description Account that it belongs to.
             */
            account_id: string;
            amount?: components["schemas"]["Int64"] | null;
            /** @description Picture of that user. */
            avatar_url?: string | null;
            /** @description `bits`, `points`, or a currency of money in three capital letters. */
            currency?: string | null;
            data: components["schemas"]["EventData.youtube.member_gift"];
            /** @description Name of that user as the platform shows it. */
            display_name?: string | null;
            /** @enum {string} */
            event_type: "youtube:member_gift";
            /**
             * Format: uuid
             * @description Id of the event.
             */
            id: string;
            /** @description True for a test, which counts nowhere. */
            is_test: boolean;
            /** @description Message of that user. */
            message?: string | null;
            /** @description Time of the event. */
            occurred_at: components["schemas"]["Timestamp"];
            /** @description Slug of the platform; null for events of no platform. */
            platform?: string | null;
            /** @description The platform's id of the user who caused it. */
            platform_user_id?: string | null;
            /** @description Name of that user in addresses. */
            username?: string | null;
        };
        /** @description Event of an account. */
        "Event.youtube.member_milestone": {
            /**
             * Format: uuid
             * @description Account that it belongs to.
             */
            account_id: string;
            amount?: components["schemas"]["Int64"] | null;
            /** @description Picture of that user. */
            avatar_url?: string | null;
            /** @description `bits`, `points`, or a currency of money in three capital letters. */
            currency?: string | null;
            data: components["schemas"]["EventData.youtube.member_milestone"];
            /** @description Name of that user as the platform shows it. */
            display_name?: string | null;
            /** @enum {string} */
            event_type: "youtube:member_milestone";
            /**
             * Format: uuid
             * @description Id of the event.
             */
            id: string;
            /** @description True for a test, which counts nowhere. */
            is_test: boolean;
            /** @description Message of that user. */
            message?: string | null;
            /** @description Time of the event. */
            occurred_at: components["schemas"]["Timestamp"];
            /** @description Slug of the platform; null for events of no platform. */
            platform?: string | null;
            /** @description The platform's id of the user who caused it. */
            platform_user_id?: string | null;
            /** @description Name of that user in addresses. */
            username?: string | null;
        };
        /** @description Event of an account. */
        "Event.youtube.stream_offline": {
            /**
             * Format: uuid
             * @description Account that it belongs to.
             */
            account_id: string;
            amount?: components["schemas"]["Int64"] | null;
            /** @description Picture of that user. */
            avatar_url?: string | null;
            /** @description `bits`, `points`, or a currency of money in three capital letters. */
            currency?: string | null;
            data: components["schemas"]["EventData.youtube.stream_offline"];
            /** @description Name of that user as the platform shows it. */
            display_name?: string | null;
            /** @enum {string} */
            event_type: "youtube:stream_offline";
            /**
             * Format: uuid
             * @description Id of the event.
             */
            id: string;
            /** @description True for a test, which counts nowhere. */
            is_test: boolean;
            /** @description Message of that user. */
            message?: string | null;
            /** @description Time of the event. */
            occurred_at: components["schemas"]["Timestamp"];
            /** @description Slug of the platform; null for events of no platform. */
            platform?: string | null;
            /** @description The platform's id of the user who caused it. */
            platform_user_id?: string | null;
            /** @description Name of that user in addresses. */
            username?: string | null;
        };
        /** @description Event of an account. */
        "Event.youtube.stream_online": {
            /**
             * Format: uuid
             * @description Account that it belongs to.
             */
            account_id: string;
            amount?: components["schemas"]["Int64"] | null;
            /** @description Picture of that user. */
            avatar_url?: string | null;
            /** @description `bits`, `points`, or a currency of money in three capital letters. */
            currency?: string | null;
            data: components["schemas"]["EventData.youtube.stream_online"];
            /** @description Name of that user as the platform shows it. */
            display_name?: string | null;
            /** @enum {string} */
            event_type: "youtube:stream_online";
            /**
             * Format: uuid
             * @description Id of the event.
             */
            id: string;
            /** @description True for a test, which counts nowhere. */
            is_test: boolean;
            /** @description Message of that user. */
            message?: string | null;
            /** @description Time of the event. */
            occurred_at: components["schemas"]["Timestamp"];
            /** @description Slug of the platform; null for events of no platform. */
            platform?: string | null;
            /** @description The platform's id of the user who caused it. */
            platform_user_id?: string | null;
            /** @description Name of that user in addresses. */
            username?: string | null;
        };
        /** @description Event of an account. */
        "Event.youtube.subscriber": {
            /**
             * Format: uuid
             * @description Account that it belongs to.
             */
            account_id: string;
            amount?: components["schemas"]["Int64"] | null;
            /** @description Picture of that user. */
            avatar_url?: string | null;
            /** @description `bits`, `points`, or a currency of money in three capital letters. */
            currency?: string | null;
            data: components["schemas"]["EventData.youtube.subscriber"];
            /** @description Name of that user as the platform shows it. */
            display_name?: string | null;
            /** @enum {string} */
            event_type: "youtube:subscriber";
            /**
             * Format: uuid
             * @description Id of the event.
             */
            id: string;
            /** @description True for a test, which counts nowhere. */
            is_test: boolean;
            /** @description Message of that user. */
            message?: string | null;
            /** @description Time of the event. */
            occurred_at: components["schemas"]["Timestamp"];
            /** @description Slug of the platform; null for events of no platform. */
            platform?: string | null;
            /** @description The platform's id of the user who caused it. */
            platform_user_id?: string | null;
            /** @description Name of that user in addresses. */
            username?: string | null;
        };
        /** @description Event of an account. */
        "Event.youtube.superchat": {
            /**
             * Format: uuid
             * @description Account that it belongs to.
             */
            account_id: string;
            amount?: components["schemas"]["Int64"] | null;
            /** @description Picture of that user. */
            avatar_url?: string | null;
            /** @description `bits`, `points`, or a currency of money in three capital letters. */
            currency?: string | null;
            data: components["schemas"]["EventData.youtube.superchat"];
            /** @description Name of that user as the platform shows it. */
            display_name?: string | null;
            /** @enum {string} */
            event_type: "youtube:superchat";
            /**
             * Format: uuid
             * @description Id of the event.
             */
            id: string;
            /** @description True for a test, which counts nowhere. */
            is_test: boolean;
            /** @description Message of that user. */
            message?: string | null;
            /** @description Time of the event. */
            occurred_at: components["schemas"]["Timestamp"];
            /** @description Slug of the platform; null for events of no platform. */
            platform?: string | null;
            /** @description The platform's id of the user who caused it. */
            platform_user_id?: string | null;
            /** @description Name of that user in addresses. */
            username?: string | null;
        };
        /** @description Event of an account. */
        "Event.youtube.supersticker": {
            /**
             * Format: uuid
             * @description Account that it belongs to.
             */
            account_id: string;
            amount?: components["schemas"]["Int64"] | null;
            /** @description Picture of that user. */
            avatar_url?: string | null;
            /** @description `bits`, `points`, or a currency of money in three capital letters. */
            currency?: string | null;
            data: components["schemas"]["EventData.youtube.supersticker"];
            /** @description Name of that user as the platform shows it. */
            display_name?: string | null;
            /** @enum {string} */
            event_type: "youtube:supersticker";
            /**
             * Format: uuid
             * @description Id of the event.
             */
            id: string;
            /** @description True for a test, which counts nowhere. */
            is_test: boolean;
            /** @description Message of that user. */
            message?: string | null;
            /** @description Time of the event. */
            occurred_at: components["schemas"]["Timestamp"];
            /** @description Slug of the platform; null for events of no platform. */
            platform?: string | null;
            /** @description The platform's id of the user who caused it. */
            platform_user_id?: string | null;
            /** @description Name of that user in addresses. */
            username?: string | null;
        };
        /** @description What `kick:follower` carries. */
        "EventData.kick.follower": {
            followed_at: components["schemas"]["Timestamp"] | null;
            user_id: string | null;
            user_name: string | null;
        };
        /** @description What `kick:gift_sub` carries. */
        "EventData.kick.gift_sub": {
            gifter_name: string | null;
            gifter_user_id: string | null;
            recipient_name: string | null;
            recipient_user_id: string | null;
            tier: string | null;
        };
        /** @description What `kick:raid` carries. */
        "EventData.kick.raid": {
            from_broadcaster_id: string | null;
            from_broadcaster_name: string | null;
            viewer_count: number | null;
        };
        /** @description What `kick:stream_offline` carries. */
        "EventData.kick.stream_offline": {
            broadcaster_id: string | null;
            broadcaster_name: string | null;
        };
        /** @description What `kick:stream_online` carries. */
        "EventData.kick.stream_online": {
            broadcaster_id: string | null;
            broadcaster_name: string | null;
            started_at: components["schemas"]["Timestamp"] | null;
        };
        /** @description What `kick:subscribe` carries. */
        "EventData.kick.subscribe": {
            message: string | null;
            months: number | null;
            tier: string | null;
            user_id: string | null;
            user_name: string | null;
        };
        /** @description What `shopify:order` carries. */
        "EventData.shopify.order": {
            /** @description Minor units of `currency`. */
            amount: number | null;
            currency: string | null;
            item_count: number | null;
            order_id: string | null;
            order_number: number | null;
            user_id: string | null;
            user_name: string | null;
        };
        /** @description What `spotify:track` carries. */
        "EventData.spotify.track": {
            album: string | null;
            artist: string | null;
            duration_ms: number | null;
            title: string | null;
            track_id: string | null;
        };
        /** @description What `streamelements:tip` carries. */
        "EventData.streamelements.tip": {
            /** @description Minor units of `currency`. */
            amount: number | null;
            currency: string | null;
            message: string | null;
            user_id: string | null;
            user_name: string | null;
        };
        /** @description What `trovo:follower` carries. */
        "EventData.trovo.follower": {
            followed_at: components["schemas"]["Timestamp"] | null;
            user_id: string | null;
            user_name: string | null;
        };
        /** @description What `trovo:gift_sub` carries. */
        "EventData.trovo.gift_sub": {
            count: number | null;
            gifter_name: string | null;
            gifter_user_id: string | null;
            recipient_name: string | null;
            recipient_user_id: string | null;
            tier: string | null;
        };
        /** @description What `trovo:raid` carries. */
        "EventData.trovo.raid": {
            from_broadcaster_id: string | null;
            from_broadcaster_name: string | null;
            viewer_count: number | null;
        };
        /** @description What `trovo:spell` carries. */
        "EventData.trovo.spell": {
            count: number | null;
            spell_name: string | null;
            user_id: string | null;
            user_name: string | null;
            value: number | null;
            value_type: string | null;
        };
        /** @description What `trovo:stream_offline` carries. */
        "EventData.trovo.stream_offline": {
            broadcaster_id: string | null;
            broadcaster_name: string | null;
        };
        /** @description What `trovo:stream_online` carries. */
        "EventData.trovo.stream_online": {
            broadcaster_id: string | null;
            broadcaster_name: string | null;
            started_at: components["schemas"]["Timestamp"] | null;
        };
        /** @description What `trovo:subscribe` carries. */
        "EventData.trovo.subscribe": {
            message: string | null;
            months: number | null;
            tier: string | null;
            user_id: string | null;
            user_name: string | null;
        };
        /** @description What `twitch:ad_break` carries. */
        "EventData.twitch.ad_break": {
            duration_seconds: number | null;
            started_at: components["schemas"]["Timestamp"] | null;
        };
        /** @description What `twitch:ban` carries. */
        "EventData.twitch.ban": {
            moderator_name: string | null;
            reason: string | null;
            user_id: string | null;
            user_name: string | null;
        };
        /** @description What `twitch:cheer` carries. */
        "EventData.twitch.cheer": {
            bits: number | null;
            message: string | null;
            user_id: string | null;
            user_name: string | null;
        };
        /** @description What `twitch:follower` carries. */
        "EventData.twitch.follower": {
            followed_at: components["schemas"]["Timestamp"] | null;
            user_id: string | null;
            user_name: string | null;
        };
        /** @description What `twitch:gift_sub` carries. */
        "EventData.twitch.gift_sub": {
            gifter_name: string | null;
            gifter_user_id: string | null;
            recipient_name: string | null;
            recipient_user_id: string | null;
            tier: string | null;
        };
        /** @description What `twitch:goal` carries. */
        "EventData.twitch.goal": {
            current_amount: number | null;
            description: string | null;
            goal_id: string | null;
            is_achieved: boolean | null;
            target_amount: number | null;
            type: string | null;
        };
        /** @description What `twitch:goal_end` carries. */
        "EventData.twitch.goal_end": {
            current_amount: number | null;
            description: string | null;
            goal_id: string | null;
            is_achieved: boolean | null;
            target_amount: number | null;
            type: string | null;
        };
        /** @description What `twitch:hype_train` carries. */
        "EventData.twitch.hype_train": {
            goal: number | null;
            level: number | null;
            progress: number | null;
            total: number | null;
        };
        /** @description What `twitch:hype_train_end` carries. */
        "EventData.twitch.hype_train_end": {
            level: number | null;
            total: number | null;
        };
        /** @description What `twitch:poll` carries. */
        "EventData.twitch.poll": {
            choices: {
                [key: string]: unknown;
            }[] | null;
            poll_id: string | null;
            status: string | null;
            title: string | null;
            winning_choice_id: string | null;
        };
        /** @description What `twitch:poll_end` carries. */
        "EventData.twitch.poll_end": {
            choices: {
                [key: string]: unknown;
            }[] | null;
            poll_id: string | null;
            status: string | null;
            title: string | null;
            winning_choice_id: string | null;
        };
        /** @description What `twitch:prediction` carries. */
        "EventData.twitch.prediction": {
            outcomes: {
                [key: string]: unknown;
            }[] | null;
            prediction_id: string | null;
            status: string | null;
            title: string | null;
            winning_outcome_id: string | null;
        };
        /** @description What `twitch:prediction_end` carries. */
        "EventData.twitch.prediction_end": {
            outcomes: {
                [key: string]: unknown;
            }[] | null;
            prediction_id: string | null;
            status: string | null;
            title: string | null;
            winning_outcome_id: string | null;
        };
        /** @description What `twitch:prediction_lock` carries. */
        "EventData.twitch.prediction_lock": {
            outcomes: {
                [key: string]: unknown;
            }[] | null;
            prediction_id: string | null;
            status: string | null;
            title: string | null;
            winning_outcome_id: string | null;
        };
        /** @description What `twitch:raid` carries. */
        "EventData.twitch.raid": {
            from_broadcaster_id: string | null;
            from_broadcaster_name: string | null;
            viewer_count: number | null;
        };
        /** @description What `twitch:resub` carries. */
        "EventData.twitch.resub": {
            message: string | null;
            months: number | null;
            tier: string | null;
            user_id: string | null;
            user_name: string | null;
        };
        /** @description What `twitch:reward` carries. */
        "EventData.twitch.reward": {
            input: string | null;
            reward_cost: number | null;
            reward_id: string | null;
            reward_title: string | null;
            status: string | null;
            user_id: string | null;
            user_name: string | null;
        };
        /** @description What `twitch:stream_offline` carries. */
        "EventData.twitch.stream_offline": {
            broadcaster_id: string | null;
            broadcaster_name: string | null;
        };
        /** @description What `twitch:stream_online` carries. */
        "EventData.twitch.stream_online": {
            broadcaster_id: string | null;
            broadcaster_name: string | null;
            started_at: components["schemas"]["Timestamp"] | null;
        };
        /** @description What `twitch:stream_update` carries. */
        "EventData.twitch.stream_update": {
            category_id: string | null;
            category_name: string | null;
            title: string | null;
        };
        /** @description What `twitch:subscribe` carries. */
        "EventData.twitch.subscribe": {
            message: string | null;
            months: number | null;
            tier: string | null;
            user_id: string | null;
            user_name: string | null;
        };
        /** @description What `twitch:unban` carries. */
        "EventData.twitch.unban": {
            moderator_name: string | null;
            reason: string | null;
            user_id: string | null;
            user_name: string | null;
        };
        /** @description What `youtube:member` carries. */
        "EventData.youtube.member": {
            gifter_user_id: string | null;
            is_gift: boolean | null;
            is_upgrade: boolean | null;
            level_name: string | null;
            user_id: string | null;
            user_name: string | null;
        };
        /** @description What `youtube:member_gift` carries. */
        "EventData.youtube.member_gift": {
            count: number | null;
            gifter_name: string | null;
            gifter_user_id: string | null;
            level_name: string | null;
        };
        /** @description What `youtube:member_milestone` carries. */
        "EventData.youtube.member_milestone": {
            level_name: string | null;
            message: string | null;
            months: number | null;
            user_id: string | null;
            user_name: string | null;
        };
        /** @description What `youtube:stream_offline` carries. */
        "EventData.youtube.stream_offline": {
            broadcast_id: string | null;
            broadcaster_id: string | null;
            broadcaster_name: string | null;
            started_at: components["schemas"]["Timestamp"] | null;
            title: string | null;
        };
        /** @description What `youtube:stream_online` carries. */
        "EventData.youtube.stream_online": {
            broadcast_id: string | null;
            broadcaster_id: string | null;
            broadcaster_name: string | null;
            started_at: components["schemas"]["Timestamp"] | null;
            title: string | null;
        };
        /** @description What `youtube:subscriber` carries. */
        "EventData.youtube.subscriber": {
            subscribed_at: components["schemas"]["Timestamp"] | null;
            user_id: string | null;
            user_name: string | null;
        };
        /** @description What `youtube:superchat` carries. */
        "EventData.youtube.superchat": {
            amount_display: string | null;
            amount_micros: number | null;
            currency: string | null;
            message: string | null;
            tier: number | null;
            user_id: string | null;
            user_name: string | null;
        };
        /** @description What `youtube:supersticker` carries. */
        "EventData.youtube.supersticker": {
            amount_display: string | null;
            amount_micros: number | null;
            currency: string | null;
            sticker_id: string | null;
            sticker_text: string | null;
            tier: number | null;
            user_id: string | null;
            user_name: string | null;
        };
        /** @description An install of an extension in an account. */
        ExtensionInstall: {
            /**
             * Format: uuid
             * @description Account.
             */
            account_id: string;
            /**
             * @description `widget`, `bot_module`, `automation_node`, `theme` or `integration`; null before the first
             *     publication.
             */
            category?: string | null;
            /** @description Settings as the account set them; secrets are masked. */
            config: components["schemas"]["Json"];
            /** @description Settings that the running version declares, by key. */
            config_schema: components["schemas"]["Json"];
            /** @description Time of the installation. */
            created_at: components["schemas"]["Timestamp"];
            /** @description Effective state; an enabled install may still be stopped for another reason. */
            effective: components["schemas"]["InstallEffective"];
            /** @description Settings as the extension sees them, with defaults; secrets are masked. */
            effective_config: components["schemas"]["Json"];
            /** @description False when switched off or killed. */
            enabled: boolean;
            /**
             * Format: uuid
             * @description Extension.
             */
            extension_id: string;
            /** @description Name of the extension. */
            extension_name: string;
            /** @description Slug of the extension. */
            extension_slug: string;
            /** @description Permissions that the account granted. */
            granted_permissions: string[];
            /**
             * Format: uuid
             * @description Id.
             */
            id: string;
            /**
             * Format: uuid
             * @description Person who installed it; null when the person is gone.
             */
            installed_by?: string | null;
            /** @description Version at which updates stop; null when updates are followed. */
            pinned_version?: string | null;
            /** @description True when a newer current version exists. */
            update_available: boolean;
            /** @description True when the update waits for the account's consent. */
            update_requires_consent: boolean;
            /** @description Time of the last change. */
            updated_at: components["schemas"]["Timestamp"];
            /** @description Version that runs. */
            version: string;
        };
        /** @description Effective state of an install. */
        InstallEffective: {
            reason?: components["schemas"]["InstallStopReason"] | null;
            /** @description True when it runs. */
            runs: boolean;
        };
        /**
         * @description Reason why an install does not run: the first of these that holds.
         * @enum {string}
         */
        InstallStopReason: "suspended" | "version_withdrawn" | "global_off" | "plan_locked" | "account_override" | "killed" | "disabled";
        /**
         * Format: int64
         * @description Whole number of 64 bits, written as a number (docs/reference/billing.md#64-bit-numbers).
         */
        Int64: number;
        /**
         * @description Any JSON value. Output is nested. Input is nested through variables (see the request's coercion) or JSON
         *     text.
         */
        Json: {
            [key: string]: unknown;
        };
        /**
         * @description Language of the account.
         * @enum {string}
         */
        Locale: "en" | "de";
        /** @description Notification of a person. */
        Notification: {
            /** @description Actions that the notification offers. */
            actions: components["schemas"]["NotificationAction"][];
            /** @description Time of creation. */
            created_at: components["schemas"]["Timestamp"];
            /** @description Data for the client, by type; that of an invite has `inviteId`. */
            data: components["schemas"]["Json"];
            /**
             * Format: uuid
             * @description Identifier.
             */
            id: string;
            /** @description Text. */
            message: string;
            read_at?: components["schemas"]["Timestamp"] | null;
            /** @description Title. */
            title: string;
            /** @description Type, for example `invite`. */
            type: string;
            /**
             * Format: uuid
             * @description Recipient.
             */
            user_id: string;
        };
        /** @description Action that a notification offers. */
        NotificationAction: {
            /** @description Key for `runNotificationAction`. */
            key: string;
            /** @description Label of the button. */
            label: string;
        };
        /** @description Settings of the storage of chat data. */
        PrivacySettings: {
            /** @description True when chat messages are stored. They are broadcast in any case. */
            store_chat: boolean;
            /** @description True when counters and profiles of those who write are stored. */
            store_user_profiles: boolean;
        };
        /**
         * Format: date-time
         * @description Moment: RFC 3339 in UTC with exactly three digits of a second and `Z`. Every time that leaves the API has
         *     this type; neither GraphQL nor the OpenAPI document knows `DateTime`, so none leaves it in another form.
         * @example 2030-01-31T12:00:00.000Z
         */
        Timestamp: string;
        /**
         * @description Reason why the server ended a subscription.
         * @enum {string}
         */
        UnsubscribeReason: "permission_revoked" | "feature_disabled" | "resource_deleted";
        /** @description The published event was accepted. */
        ack: {
            request_id?: string | number;
            /** @enum {string} */
            type: "ack";
        };
        /** @description First frame of a session. */
        connected: {
            /**
             * Format: int64
             * @description Interval of pings; a client without any frame for 75 seconds is disconnected.
             */
            heartbeat_interval_ms: number;
            /** Format: date-time */
            server_time: string;
            /** Format: uuid */
            session_id: string;
            /** @enum {string} */
            type: "connected";
        };
        /**
         * @description A refused request, or the end of the session: the two `TOKEN_` codes precede the close of the socket,
         *     all others keep it open.
         */
        error: {
            channel?: string;
            code: components["schemas"]["ErrorCode"];
            message: string;
            request_id?: string | number;
            /** @enum {string} */
            type: "error";
        };
        /** @description Event on a subscribed channel. */
        event: {
            channel: string;
            data: {
                [key: string]: unknown;
            };
            event_type: string;
            /**
             * Format: uuid
             * @description UUID version 7; the value for `after`.
             */
            id: string;
            /** Format: date-time */
            timestamp: string;
            /** @enum {string} */
            type: "event";
        };
        /** @description Response to a ping. */
        pong: {
            request_id?: string | number;
            ts?: unknown;
            /** @enum {string} */
            type: "pong";
        };
        /** @description Result of a call. */
        result: {
            data: unknown;
            request_id: string | number;
            /** @enum {string} */
            type: "result";
        };
        /** @description The subscription exists from now on. */
        subscribed: {
            channel: string;
            /** @description Present only when `after` was given: true when exactly the missed events follow. */
            recovered?: boolean;
            request_id?: string | number;
            /** @enum {string} */
            type: "subscribed";
        };
        /** @description The subscription has ended. */
        unsubscribed: {
            channel: string;
            /** @description Present only when the client did not ask for it. */
            reason?: components["schemas"]["UnsubscribeReason"];
            request_id?: string | number;
            /** @enum {string} */
            type: "unsubscribed";
        };
        "data.automation.node_finished": {
            /** Format: uuid */
            automation_id: string;
            branch?: string | null;
            duration_ms?: number | null;
            error?: string | null;
            /** Format: uuid */
            node_id: string;
            position: number;
            /** Format: uuid */
            run_id: string;
            /** Format: date-time */
            started_at: string;
            status: string;
        };
        "data.automation.run_finished": {
            /** Format: uuid */
            automation_id: string;
            error?: string | null;
            /** Format: date-time */
            finished_at: string;
            /** Format: uuid */
            run_id: string;
            status: string;
        };
        "data.automation.run_started": {
            /** Format: uuid */
            automation_id: string;
            is_test: boolean;
            /** Format: uuid */
            run_id: string;
            /** Format: date-time */
            started_at: string;
            status: string;
            trigger: unknown;
        };
        "data.automation.updated": {
            action: string;
            /** Format: uuid */
            automation_id: string;
            version: number;
        };
        "data.bot_module.killed": {
            /** Format: uuid */
            install_id: string;
        };
        "data.channel_status.updated": components["schemas"]["ChannelStatus"];
        "data.chat.clear": {
            platform: string;
        };
        "data.chat.clear_user": {
            action: string;
            duration_secs?: number | null;
            /** Format: uuid */
            moderator_id?: string | null;
            moderator_platform_user_id?: string | null;
            platform: string;
            platform_user_id: string;
        };
        "data.chat.delete_message": {
            message_id: string;
            platform: string;
        };
        "data.chat.message": components["schemas"]["ChatMessage"];
        "data.chat.user_updated": {
            platform: string;
            platform_user_id: string;
            profile?: unknown;
        };
        "data.connections.updated": {
            action: string;
            kind: string;
            platform: string;
        };
        "data.event.new": components["schemas"]["Event"];
        "data.event.test": components["schemas"]["Event"];
        "data.ext.push": {
            /** Format: uuid */
            install_id?: string | null;
            payload?: unknown;
            topic: string;
        };
        "data.ext.storage": {
            /** Format: uuid */
            install_id: string;
            value: unknown;
            version: number;
        };
        "data.features.updated": Record<string, never>;
        "data.install.created": components["schemas"]["ExtensionInstall"];
        "data.install.removed": {
            /** Format: uuid */
            id: string;
        };
        "data.install.update_available": {
            /** Format: uuid */
            id: string;
            version: string;
        };
        "data.install.updated": {
            /** Format: uuid */
            id: string;
        };
        "data.layer.visibility": {
            assets: unknown;
            bundle_tokens: unknown;
            layer?: unknown;
            /** Format: uuid */
            layer_id: string;
            storages: unknown;
            version: number;
            visible: boolean;
        };
        "data.members.updated": {
            change: string;
            /** Format: uuid */
            membership_id: string;
            /** Format: uuid */
            user_id: string;
        };
        "data.notification.new": components["schemas"]["Notification"];
        "data.notification.read": {
            /** Format: uuid */
            id?: string | null;
            unread_count: number;
        };
        "data.obs.command": {
            command: string;
            /** Format: uuid */
            command_id: string;
            /** Format: date-time */
            issued_at: string;
            scene?: string | null;
            source?: string | null;
            visible?: boolean | null;
        };
        "data.obs.record_state": {
            active: boolean;
            paused: boolean;
            state: string;
        };
        "data.obs.scene_changed": {
            scene: string;
        };
        "data.obs.status": {
            connected: boolean;
            current_scene?: string | null;
            error?: string | null;
            recording: boolean;
            streaming: boolean;
            /** Format: date-time */
            updated_at: string;
        };
        "data.obs.stream_state": {
            active: boolean;
            state: string;
        };
        "data.overlay.layers_updated": {
            alerts: unknown;
            assets: unknown;
            bundle_tokens: unknown;
            layers: unknown;
            now_playing?: unknown;
            overlay: unknown;
            recent_events: unknown;
            /** Format: date-time */
            server_time: string;
            storages: unknown;
            version: number;
        };
        "data.overlay.snapshot": {
            alerts: unknown;
            assets: unknown;
            bundle_tokens: unknown;
            emotes?: unknown;
            layers: unknown;
            now_playing?: unknown;
            overlay: unknown;
            recent_events: unknown;
            /** Format: date-time */
            server_time: string;
            storages: unknown;
            version: number;
        };
        "data.overlay.updated": {
            change?: string | null;
            /** Format: uuid */
            layer_id?: string | null;
            overlay?: unknown;
            /** Format: uuid */
            overlay_id: string;
            /** Format: uuid */
            user_id?: string | null;
            version: number;
        };
        "data.permissions.updated": {
            /** Format: uuid */
            account_id?: string | null;
        };
        "data.plan.updated": {
            /** Format: uuid */
            plan_id: string;
            plan_slug: string;
        };
        "data.poll.updated": {
            platform: string;
            poll: unknown;
        };
        "data.prediction.updated": {
            platform: string;
            prediction: unknown;
        };
        "data.presence.cursor": {
            data: unknown;
            /** Format: uuid */
            session_id: string;
            /** Format: uuid */
            user_id?: string | null;
        };
        "data.presence.join": {
            /** Format: uuid */
            session_id: string;
            /** Format: uuid */
            user_id?: string | null;
        };
        "data.presence.leave": {
            /** Format: uuid */
            session_id: string;
            /** Format: uuid */
            user_id?: string | null;
        };
        "data.presence.selection": {
            data: unknown;
            /** Format: uuid */
            session_id: string;
            /** Format: uuid */
            user_id?: string | null;
        };
        "data.raid.updated": {
            platform: string;
            raid: unknown;
        };
        "data.roles.updated": {
            /** Format: uuid */
            role_id?: string | null;
        };
        "data.session.revoked": {
            /** Format: uuid */
            session_id: string;
        };
        "data.settings.updated": components["schemas"]["AccountSettings"];
        "data.sound.list.updated": {
            action: string;
            /** Format: uuid */
            sound_id: string;
        };
        "data.sound.play": {
            /** Format: uuid */
            sound_id: string;
            target?: unknown;
            url: string;
            volume: number;
        };
        "data.sound.stop": {
            /** Format: uuid */
            sound_id?: string | null;
            target?: unknown;
        };
        "data.spotify.copyright_alert": {
            artist: string;
            status: string;
            title: string;
            track_id?: string | null;
        };
        "data.spotify.pause": {
            progress_ms?: number | null;
            track_id?: string | null;
        };
        "data.spotify.play": {
            progress_ms?: number | null;
            track_id?: string | null;
        };
        "data.spotify.queue": Record<string, never>;
        "data.spotify.skip": {
            track_id?: string | null;
        };
        "data.spotify.state": {
            device?: unknown;
            is_playing: boolean;
            progress_ms?: number | null;
            repeat: string;
            shuffle: boolean;
            volume?: number | null;
        };
        "data.spotify.track": {
            album?: string | null;
            artist?: string | null;
            artists: unknown;
            copyright_status?: string | null;
            duration_ms?: number | null;
            image_url?: string | null;
            is_playing: boolean;
            progress_ms?: number | null;
            title?: string | null;
            track_id?: string | null;
            uri?: string | null;
            url?: string | null;
        };
        "data.storage.updated": {
            value: unknown;
            version: number;
        };
        "data.stream.offline": {
            broadcaster_id?: string | null;
            broadcaster_name?: string | null;
            platform: string;
        };
        "data.stream.online": {
            broadcaster_id?: string | null;
            broadcaster_name?: string | null;
            platform: string;
            /** Format: date-time */
            started_at?: string | null;
        };
        "data.widget.snapshot": {
            alerts: unknown;
            assets: unknown;
            bundle_tokens: unknown;
            emotes?: unknown;
            layers: unknown;
            now_playing?: unknown;
            recent_events: unknown;
            /** Format: date-time */
            server_time: string;
            storages: unknown;
            widget: unknown;
        };
        "data.widget.updated": {
            alerts: unknown;
            assets: unknown;
            bundle_tokens: unknown;
            emotes?: unknown;
            layers: unknown;
            now_playing?: unknown;
            recent_events: unknown;
            /** Format: date-time */
            server_time: string;
            storages: unknown;
            widget: unknown;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}

/** Data of the events by the prefix of their channel and their type. */
export interface ChannelEvents {
  /** `account:{account_id}`. Who may listen: any session or key of a member, keys of the account, and system keys. */
  'account': {
    /** A connection was made, flagged, changed or ended. */
    'connections:updated': components['schemas']['data.connections.updated'];
    /** Features of the account changed: ask for them again. */
    'features:updated': components['schemas']['data.features.updated'];
    /** Somebody joined, left or changed roles. */
    'members:updated': components['schemas']['data.members.updated'];
    /** The account is on another plan. */
    'plan:updated': components['schemas']['data.plan.updated'];
    /** A role changed; without a role, what everybody in the account may do. */
    'roles:updated': components['schemas']['data.roles.updated'];
    /** The settings of the account, as they are now. */
    'settings:updated': components['schemas']['data.settings.updated'];
  };
  /** `automations:{account_id}`. Who may listen: whoever holds the permission in the account, and system keys. */
  'automations': {
    /** A step of a run ended. The run has its input and output. */
    'automation:node_finished': components['schemas']['data.automation.node_finished'];
    /** A run ended: it `succeeded`, `failed` or was `cancelled`. */
    'automation:run_finished': components['schemas']['data.automation.run_finished'];
    /** A run began. */
    'automation:run_started': components['schemas']['data.automation.run_started'];
    /** An automation was `created`, `updated` or `deleted`; `version` is that of its graph. */
    'automation:updated': components['schemas']['data.automation.updated'];
  };
  /** `chat:{account_id}`. Who may listen: whoever holds the permission in the account, and system keys. */
  'chat': {
    /** The whole chat was removed. */
    'chat:clear': components['schemas']['data.chat.clear'];
    /** Everything that somebody wrote was removed; `action` is `ban`, `timeout` or `clear`. `moderator_id` is the user of Lumio who did it, where one did. */
    'chat:clear_user': components['schemas']['data.chat.clear_user'];
    /** A message was removed; `message_id` is the platform's. */
    'chat:delete_message': components['schemas']['data.chat.delete_message'];
    /** Somebody wrote. A simulated line has `is_test: true` beside its fields. */
    'chat:message': components['schemas']['data.chat.message'];
    /** What is known of a chatter changed. */
    'chat:user_updated': components['schemas']['data.chat.user_updated'];
    /** A poll began, changed or ended. */
    'poll:updated': components['schemas']['data.poll.updated'];
    /** A prediction began, changed or ended. */
    'prediction:updated': components['schemas']['data.prediction.updated'];
    /** A raid of the channel's began or was cancelled. */
    'raid:updated': components['schemas']['data.raid.updated'];
  };
  /** `events:{account_id}`. Who may listen: whoever holds the permission in the account, and system keys. */
  'events': {
    /** What is known of a channel changed. */
    'channel_status:updated': components['schemas']['data.channel_status.updated'];
    /** Something happened to the account: `event_type` of the resource says what. */
    'event:new': components['schemas']['data.event.new'];
    /** The same for an event that was made to be looked at. */
    'event:test': components['schemas']['data.event.test'];
    /** A stream ended; comes beside `event:new`. */
    'stream:offline': components['schemas']['data.stream.offline'];
    /** A stream began; comes beside `event:new`. */
    'stream:online': components['schemas']['data.stream.online'];
  };
  /** `ext-storage:{install_id}`. Who may listen: the extension token of the install, whoever holds the permission in its account, and system keys. */
  'ext-storage': {
    /** A handler of the extension pushed something; pages of overlays and widgets get the install's id. */
    'ext:push': components['schemas']['data.ext.push'];
    /** The storage of the install was replaced. */
    'storage:updated': components['schemas']['data.storage.updated'];
  };
  /** `extensions:{account_id}`. Who may listen: whoever holds the permission in the account, and system keys. */
  'extensions': {
    /** The triggers of an install were stopped. */
    'bot_module:killed': components['schemas']['data.bot_module.killed'];
    /** An extension was installed. */
    'install:created': components['schemas']['data.install.created'];
    /** An extension was uninstalled. */
    'install:removed': components['schemas']['data.install.removed'];
    /** A newer version waits for the account's consent. */
    'install:update_available': components['schemas']['data.install.update_available'];
    /** An install was configured, switched or brought to another version; some sources send its id alone. */
    'install:updated': components['schemas']['data.install.updated'];
  };
  /** `obs:{account_id}`. Who may listen: whoever holds the permission in the account, and system keys. */
  'obs': {
    /** A command for the page that controls OBS on the streamer's machine. */
    'obs:command': components['schemas']['data.obs.command'];
    /** The recording began, was paused or ended. */
    'obs:record_state': components['schemas']['data.obs.record_state'];
    /** Another scene is on air. */
    'obs:scene_changed': components['schemas']['data.obs.scene_changed'];
    /** The connection to OBS changed, or what is known of OBS. */
    'obs:status': components['schemas']['data.obs.status'];
    /** The stream began or ended. */
    'obs:stream_state': components['schemas']['data.obs.stream_state'];
  };
  /** `overlay:{key}`. Who may listen: the token of the overlay and its shares. */
  'overlay': {
    /** The whole chat was removed. */
    'chat:clear': components['schemas']['data.chat.clear'];
    /** Everything that somebody wrote was removed; `action` is `ban`, `timeout` or `clear`. `moderator_id` is the user of Lumio who did it, where one did. */
    'chat:clear_user': components['schemas']['data.chat.clear_user'];
    /** A message was removed; `message_id` is the platform's. */
    'chat:delete_message': components['schemas']['data.chat.delete_message'];
    /** Somebody wrote. A simulated line has `is_test: true` beside its fields. */
    'chat:message': components['schemas']['data.chat.message'];
    /** Something happened to the account: `event_type` of the resource says what. */
    'event:new': components['schemas']['data.event.new'];
    /** A handler of the extension pushed something; pages of overlays and widgets get the install's id. */
    'ext:push': components['schemas']['data.ext.push'];
    /** The storage of an install with a layer was replaced. */
    'ext:storage': components['schemas']['data.ext.storage'];
    /** A layer was shown or hidden; `layer` is null when it is hidden. */
    'layer:visibility': components['schemas']['data.layer.visibility'];
    /** Layers changed; all layers that show, as in a snapshot, without `emotes`. */
    'overlay:layers_updated': components['schemas']['data.overlay.layers_updated'];
    /** The whole state of the page: after each subscription, and after changes of settings and installs. */
    'overlay:snapshot': components['schemas']['data.overlay.snapshot'];
    /** An overlay changed. Editors get the part that changed (`overlay`, `layers`, `layer`, `deleted`) and who changed it; the page gets the overlay. */
    'overlay:updated': components['schemas']['data.overlay.updated'];
    /** A sound is to be played by the `target`, or by every browser source. `url` is valid for ten minutes; `volume` is from 0 to 1. */
    'sound:play': components['schemas']['data.sound.play'];
    /** A sound, or without an id every sound, is to end in the `target`, or in every browser source. */
    'sound:stop': components['schemas']['data.sound.stop'];
    /** The song was paused. */
    'spotify:pause': components['schemas']['data.spotify.pause'];
    /** The song goes on. */
    'spotify:play': components['schemas']['data.spotify.play'];
    /** The player changed, or its position did. */
    'spotify:state': components['schemas']['data.spotify.state'];
    /** Another song plays; null keys: none. `copyright_status` is `safe`, `blocked`, `reported` or `unknown`. */
    'spotify:track': components['schemas']['data.spotify.track'];
  };
  /** `overlay-editor:{overlay_id}`. Who may listen: whoever holds the permission in the account and reaches the overlay. */
  'overlay-editor': {
    /** An overlay changed. Editors get the part that changed (`overlay`, `layers`, `layer`, `deleted`) and who changed it; the page gets the overlay. */
    'overlay:updated': components['schemas']['data.overlay.updated'];
    /** Somebody moved the pointer; `data` is the client's. */
    'presence:cursor': components['schemas']['data.presence.cursor'];
    /** Somebody opened the overlay. */
    'presence:join': components['schemas']['data.presence.join'];
    /** Somebody closed the overlay. */
    'presence:leave': components['schemas']['data.presence.leave'];
    /** Somebody selected layers; `data` is the client's. */
    'presence:selection': components['schemas']['data.presence.selection'];
  };
  /** `sounds:{account_id}`. Who may listen: any session or key of a member, popouts, keys of the account, and system keys. */
  'sounds': {
    /** A sound was `created`, `updated` or `deleted`. */
    'sound:list:updated': components['schemas']['data.sound.list.updated'];
    /** A sound is to be played by the `target`, or by every browser source. `url` is valid for ten minutes; `volume` is from 0 to 1. */
    'sound:play': components['schemas']['data.sound.play'];
    /** A sound, or without an id every sound, is to end in the `target`, or in every browser source. */
    'sound:stop': components['schemas']['data.sound.stop'];
  };
  /** `spotify:{account_id}`. Who may listen: whoever holds the permission in the account, and system keys. */
  'spotify': {
    /** A song of the list of blocked songs plays while the account is on air. */
    'spotify:copyright_alert': components['schemas']['data.spotify.copyright_alert'];
    /** The song was paused. */
    'spotify:pause': components['schemas']['data.spotify.pause'];
    /** The song goes on. */
    'spotify:play': components['schemas']['data.spotify.play'];
    /** The queue changed: ask for it again. */
    'spotify:queue': components['schemas']['data.spotify.queue'];
    /** The song was left before its end. */
    'spotify:skip': components['schemas']['data.spotify.skip'];
    /** The player changed, or its position did. */
    'spotify:state': components['schemas']['data.spotify.state'];
    /** Another song plays; null keys: none. `copyright_status` is `safe`, `blocked`, `reported` or `unknown`. */
    'spotify:track': components['schemas']['data.spotify.track'];
  };
  /** `user:{user_id}`. Who may listen: sessions of the person, and system keys. */
  'user': {
    /** A notification arrived. */
    'notification:new': components['schemas']['data.notification.new'];
    /** Notifications were read: one, or without an id all. */
    'notification:read': components['schemas']['data.notification.read'];
    /** What the person may do changed, in an account or beyond accounts. */
    'permissions:updated': components['schemas']['data.permissions.updated'];
    /** A session of the person was revoked. */
    'session:revoked': components['schemas']['data.session.revoked'];
  };
  /** `widget:{widget_id}`. Who may listen: the token of the widget, and whoever holds the permission in the account and reaches the widget. */
  'widget': {
    /** The whole chat was removed. */
    'chat:clear': components['schemas']['data.chat.clear'];
    /** Everything that somebody wrote was removed; `action` is `ban`, `timeout` or `clear`. `moderator_id` is the user of Lumio who did it, where one did. */
    'chat:clear_user': components['schemas']['data.chat.clear_user'];
    /** A message was removed; `message_id` is the platform's. */
    'chat:delete_message': components['schemas']['data.chat.delete_message'];
    /** Somebody wrote. A simulated line has `is_test: true` beside its fields. */
    'chat:message': components['schemas']['data.chat.message'];
    /** Something happened to the account: `event_type` of the resource says what. */
    'event:new': components['schemas']['data.event.new'];
    /** A handler of the extension pushed something; pages of overlays and widgets get the install's id. */
    'ext:push': components['schemas']['data.ext.push'];
    /** The storage of an install with a layer was replaced. */
    'ext:storage': components['schemas']['data.ext.storage'];
    /** A sound is to be played by the `target`, or by every browser source. `url` is valid for ten minutes; `volume` is from 0 to 1. */
    'sound:play': components['schemas']['data.sound.play'];
    /** A sound, or without an id every sound, is to end in the `target`, or in every browser source. */
    'sound:stop': components['schemas']['data.sound.stop'];
    /** The song was paused. */
    'spotify:pause': components['schemas']['data.spotify.pause'];
    /** The song goes on. */
    'spotify:play': components['schemas']['data.spotify.play'];
    /** The player changed, or its position did. */
    'spotify:state': components['schemas']['data.spotify.state'];
    /** Another song plays; null keys: none. `copyright_status` is `safe`, `blocked`, `reported` or `unknown`. */
    'spotify:track': components['schemas']['data.spotify.track'];
    /** The whole state of the page, after each subscription. */
    'widget:snapshot': components['schemas']['data.widget.snapshot'];
    /** The widget changed; the whole state, as in a snapshot. */
    'widget:updated': components['schemas']['data.widget.updated'];
  };
}

/** Event types that clients publish, by the prefix of the channel. */
export interface PublishedTypes {
  'overlay-editor': 'presence:cursor' | 'presence:selection';
}

/** Close codes of the server, and whether a client connects again by itself. */
export const CLOSE_CODES: readonly { code: number; reason: string; reconnect: boolean }[] = [
  {
    "code": 1000,
    "reason": "",
    "reconnect": false
  },
  {
    "code": 1001,
    "reason": "server shutdown",
    "reconnect": true
  },
  {
    "code": 1001,
    "reason": "no sign of life",
    "reconnect": true
  },
  {
    "code": 1001,
    "reason": "events were lost, resume",
    "reconnect": true
  },
  {
    "code": 1002,
    "reason": "protocol error",
    "reconnect": false
  },
  {
    "code": 1003,
    "reason": "binary frames are not accepted",
    "reconnect": false
  },
  {
    "code": 1007,
    "reason": "text is not UTF-8",
    "reconnect": false
  },
  {
    "code": 1009,
    "reason": "message larger than 64 KiB",
    "reconnect": false
  },
  {
    "code": 4001,
    "reason": "token expired",
    "reconnect": false
  },
  {
    "code": 4002,
    "reason": "token revoked",
    "reconnect": false
  },
  {
    "code": 4003,
    "reason": "slow consumer",
    "reconnect": true
  },
  {
    "code": 4008,
    "reason": "rate limit",
    "reconnect": false
  },
  {
    "code": 4008,
    "reason": "no subscription",
    "reconnect": false
  }
];

/** Limits of a socket. */
export const SOCKET_LIMITS = {
  "heartbeat_interval_ms": 30000,
  "message_bytes": 65536,
  "queued_frames": 512,
  "seconds_without_subscription": 60,
  "subscriptions": 100
} as const;
