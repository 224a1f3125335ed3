-- A mark whose ranges cannot be made waits without delaying the others.
ALTER TABLE public_channel_marks ADD COLUMN marked_at timestamptz NOT NULL DEFAULT now();
ALTER TABLE public_game_marks ADD COLUMN marked_at timestamptz NOT NULL DEFAULT now();
ALTER TABLE public_emote_marks ADD COLUMN marked_at timestamptz NOT NULL DEFAULT now();
