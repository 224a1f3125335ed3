ALTER TABLE public_emote_marks DROP COLUMN marked_at;
ALTER TABLE public_game_marks DROP COLUMN marked_at;
ALTER TABLE public_channel_marks DROP COLUMN marked_at;
