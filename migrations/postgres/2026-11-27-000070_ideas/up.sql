-- Ideas board: ideas with their texts, votes, comments, mentions and timeline; categories and tags
-- (reference/ideas.md#ideas).

CREATE TABLE idea_categories (
    id uuid PRIMARY KEY,
    name text NOT NULL UNIQUE CHECK (name ~ '^[a-z0-9-]{2,30}$'),
    label text NOT NULL CHECK (length(label) BETWEEN 1 AND 60),
    color text NOT NULL CHECK (color ~ '^#[0-9a-f]{6}$'),
    sort_order integer NOT NULL DEFAULT 0 CHECK (sort_order BETWEEN 0 AND 10000),
    created_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE idea_tags (
    id uuid PRIMARY KEY,
    name text NOT NULL CHECK (name ~ '^[a-z0-9-]{2,30}$'),
    created_by uuid REFERENCES users ON DELETE SET NULL,
    created_at timestamptz NOT NULL DEFAULT now()
);
-- The operator class serves searches for the beginning of a name.
CREATE UNIQUE INDEX idea_tags_name ON idea_tags (name text_pattern_ops);
CREATE INDEX idea_tags_creator ON idea_tags (created_by) WHERE created_by IS NOT NULL;

-- Group of scores: those of one group differ by an eighth at most. Scores below 8 are alone in theirs, each power of two
-- above has eight groups. A greater score is never in a lower group (reference/ideas.md#trending).
CREATE FUNCTION idea_trend_band(score integer) RETURNS integer LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT CASE WHEN abs(score) < 8 THEN score ELSE sign(score)::integer * (8 * octave + (abs(score) >> octave)) END
    FROM (SELECT length(ltrim(abs(score)::bit(32)::text, '0')) - 4 AS octave) AS octaves
$$;

-- Votes and comments change these rows often. The texts are in a table of their own, so that a vote does not write the
-- index of their words anew.
CREATE TABLE ideas (
    id uuid PRIMARY KEY,
    author_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
    category_id uuid NOT NULL REFERENCES idea_categories,
    status text NOT NULL DEFAULT 'open' CHECK (status IN ('open', 'planned', 'in_progress', 'done', 'declined')),
    -- Kept by triggers: they equal the rows at any time.
    vote_count_up integer NOT NULL DEFAULT 0 CHECK (vote_count_up >= 0),
    vote_count_down integer NOT NULL DEFAULT 0 CHECK (vote_count_down >= 0),
    comment_count integer NOT NULL DEFAULT 0 CHECK (comment_count >= 0),
    score integer NOT NULL GENERATED ALWAYS AS (vote_count_up - vote_count_down) STORED,
    trend_band integer NOT NULL GENERATED ALWAYS AS (idea_trend_band(vote_count_up - vote_count_down)) STORED,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now()
);
-- One index for each order of the list; the oldest come first when the first one is read backwards.
CREATE INDEX ideas_newest ON ideas (created_at DESC, id DESC);
CREATE INDEX ideas_updated ON ideas (updated_at DESC, created_at DESC, id DESC);
CREATE INDEX ideas_votes ON ideas (score DESC, created_at DESC, id DESC);
CREATE INDEX ideas_comments ON ideas (comment_count DESC, created_at DESC, id DESC);
CREATE INDEX ideas_trending ON ideas (trend_band, created_at DESC, id DESC);
CREATE INDEX ideas_author ON ideas (author_id, created_at DESC, id DESC);
CREATE INDEX ideas_category ON ideas (category_id, created_at DESC, id DESC);
CREATE INDEX ideas_category_trending ON ideas (category_id, trend_band, created_at DESC, id DESC);
CREATE INDEX ideas_status ON ideas (status, created_at DESC, id DESC);

CREATE TABLE idea_texts (
    idea_id uuid PRIMARY KEY REFERENCES ideas ON DELETE CASCADE,
    title text NOT NULL CHECK (length(title) BETWEEN 5 AND 120),
    -- Sanitised HTML.
    description text NOT NULL CHECK (length(description) BETWEEN 1 AND 10000)
);
-- Words of a title and of the text of a description. Tags inside of words leave nothing, others a space. Punctuation is
-- a space too: otherwise the parser takes `import/export` for a path and `node.js` for a host (reference/ideas.md#search).
CREATE FUNCTION idea_words(title text, description text) RETURNS tsvector
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT to_tsvector('simple'::regconfig, regexp_replace(
        title || ' ' || regexp_replace(
            regexp_replace(description, '</?(?:strong|em|u|s|code|a|span)(?: [^>]*)?>', '', 'g'),
            '<[^>]*>|&(?:amp|lt|gt|nbsp);', ' ', 'g'),
        '[\u0001-/:-@\[-`{-\u007f]+', ' ', 'g'))
$$;
CREATE INDEX idea_texts_words ON idea_texts USING gin (idea_words(title, description));

CREATE TABLE idea_tag_links (
    idea_id uuid NOT NULL REFERENCES ideas ON DELETE CASCADE,
    tag_id uuid NOT NULL REFERENCES idea_tags ON DELETE CASCADE,
    PRIMARY KEY (idea_id, tag_id)
);
CREATE INDEX idea_tag_links_tag ON idea_tag_links (tag_id, idea_id);

CREATE TABLE idea_votes (
    idea_id uuid NOT NULL REFERENCES ideas ON DELETE CASCADE,
    user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
    vote_type text NOT NULL CHECK (vote_type IN ('up', 'down')),
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (idea_id, user_id)
);
CREATE INDEX idea_votes_newest ON idea_votes (idea_id, created_at DESC, user_id DESC);
CREATE INDEX idea_votes_of_type ON idea_votes (idea_id, vote_type, created_at DESC, user_id DESC);
CREATE INDEX idea_votes_user ON idea_votes (user_id, idea_id);

CREATE TABLE idea_comments (
    id uuid PRIMARY KEY,
    idea_id uuid NOT NULL REFERENCES ideas ON DELETE CASCADE,
    -- Comment that this one replies to; it replies to none itself.
    parent_id uuid,
    author_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
    -- Sanitised HTML.
    body text NOT NULL CHECK (length(body) BETWEEN 1 AND 5000),
    -- Kept by triggers.
    vote_count_up integer NOT NULL DEFAULT 0 CHECK (vote_count_up >= 0),
    vote_count_down integer NOT NULL DEFAULT 0 CHECK (vote_count_down >= 0),
    reply_count integer NOT NULL DEFAULT 0 CHECK (reply_count >= 0),
    score integer NOT NULL GENERATED ALWAYS AS (vote_count_up - vote_count_down) STORED,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE (idea_id, id),
    FOREIGN KEY (idea_id, parent_id) REFERENCES idea_comments (idea_id, id) ON DELETE CASCADE
);
CREATE INDEX idea_comments_newest ON idea_comments (idea_id, created_at DESC, id DESC) WHERE parent_id IS NULL;
CREATE INDEX idea_comments_top ON idea_comments (idea_id, score DESC, created_at DESC, id DESC) WHERE parent_id IS NULL;
CREATE INDEX idea_comments_replies ON idea_comments (idea_id, parent_id, created_at, id) WHERE parent_id IS NOT NULL;
CREATE INDEX idea_comments_people ON idea_comments (idea_id, created_at DESC, id DESC, author_id);
CREATE INDEX idea_comments_author ON idea_comments (author_id);

CREATE TABLE idea_comment_votes (
    comment_id uuid NOT NULL REFERENCES idea_comments ON DELETE CASCADE,
    user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
    vote_type text NOT NULL CHECK (vote_type IN ('up', 'down')),
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (comment_id, user_id)
);
CREATE INDEX idea_comment_votes_user ON idea_comment_votes (user_id);

-- People that the description of an idea, or a comment, mentions or has mentioned: each is notified about a text once.
CREATE TABLE idea_mentions (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
    idea_id uuid REFERENCES ideas ON DELETE CASCADE,
    comment_id uuid REFERENCES idea_comments ON DELETE CASCADE,
    CHECK (num_nonnulls(idea_id, comment_id) = 1),
    UNIQUE (idea_id, user_id),
    UNIQUE (comment_id, user_id)
);
CREATE INDEX idea_mentions_user ON idea_mentions (user_id);

CREATE TABLE idea_timeline (
    id uuid PRIMARY KEY,
    idea_id uuid NOT NULL REFERENCES ideas ON DELETE CASCADE,
    actor_id uuid REFERENCES users ON DELETE SET NULL,
    action text NOT NULL CHECK (action IN
        ('created', 'edited', 'status_changed', 'category_changed', 'tags_changed', 'comment_deleted')),
    old_value text,
    new_value text,
    created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX idea_timeline_list ON idea_timeline (idea_id, created_at, id);
CREATE INDEX idea_timeline_actor ON idea_timeline (actor_id) WHERE actor_id IS NOT NULL;

-- Number of ideas of each category and status, for the total of the list.
CREATE TABLE idea_totals (
    category_id uuid NOT NULL REFERENCES idea_categories ON DELETE CASCADE,
    status text NOT NULL,
    ideas bigint NOT NULL DEFAULT 0 CHECK (ideas >= 0),
    PRIMARY KEY (category_id, status)
);

-- Notifications about an idea go with it.
CREATE INDEX notifications_idea ON notifications ((data ->> 'ideaId'))
    WHERE notification_type IN ('idea_status', 'idea_comment', 'idea_mention');

CREATE FUNCTION open_idea_totals() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO idea_totals (category_id, status)
        SELECT NEW.id, unnest(ARRAY['open', 'planned', 'in_progress', 'done', 'declined']);
    RETURN NULL;
END
$$;
CREATE TRIGGER idea_categories_totals AFTER INSERT ON idea_categories
    FOR EACH ROW EXECUTE FUNCTION open_idea_totals();

-- Counters follow their rows in the statement that changes these, also when the rows go with their author or voter.
-- Locks are taken in one order everywhere, so that no two transactions wait for each other: people, then ideas by id,
-- then comments by id, then totals.
CREATE FUNCTION count_ideas() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    change integer := CASE TG_OP WHEN 'INSERT' THEN 1 ELSE -1 END;
BEGIN
    PERFORM FROM idea_totals WHERE (category_id, status) IN (SELECT category_id, status FROM changed)
        ORDER BY category_id, status FOR NO KEY UPDATE;
    UPDATE idea_totals SET ideas = idea_totals.ideas + change * counts.ideas
        FROM (SELECT category_id, status, count(*) AS ideas FROM changed GROUP BY 1, 2) AS counts
        WHERE idea_totals.category_id = counts.category_id AND idea_totals.status = counts.status;
    IF TG_OP = 'DELETE' THEN
        DELETE FROM notifications WHERE notification_type IN ('idea_status', 'idea_comment', 'idea_mention')
            AND data ->> 'ideaId' IN (SELECT id::text FROM changed);
    END IF;
    RETURN NULL;
END
$$;
CREATE TRIGGER ideas_insert AFTER INSERT ON ideas REFERENCING NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION count_ideas();
CREATE TRIGGER ideas_delete AFTER DELETE ON ideas REFERENCING OLD TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION count_ideas();

CREATE FUNCTION move_idea() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM FROM idea_totals
        WHERE (category_id, status) IN ((OLD.category_id, OLD.status), (NEW.category_id, NEW.status))
        ORDER BY category_id, status FOR NO KEY UPDATE;
    UPDATE idea_totals SET ideas = ideas - 1 WHERE category_id = OLD.category_id AND status = OLD.status;
    UPDATE idea_totals SET ideas = ideas + 1 WHERE category_id = NEW.category_id AND status = NEW.status;
    RETURN NULL;
END
$$;
CREATE TRIGGER ideas_move AFTER UPDATE OF category_id, status ON ideas
    FOR EACH ROW WHEN ((OLD.category_id, OLD.status) IS DISTINCT FROM (NEW.category_id, NEW.status))
    EXECUTE FUNCTION move_idea();

CREATE FUNCTION count_idea_votes() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    change integer := CASE TG_OP WHEN 'INSERT' THEN 1 ELSE -1 END;
BEGIN
    PERFORM FROM ideas WHERE id IN (SELECT idea_id FROM changed) ORDER BY id FOR NO KEY UPDATE;
    UPDATE ideas SET vote_count_up = vote_count_up + change * counts.up,
            vote_count_down = vote_count_down + change * counts.down
        FROM (SELECT idea_id, count(*) FILTER (WHERE vote_type = 'up') AS up,
                count(*) FILTER (WHERE vote_type = 'down') AS down FROM changed GROUP BY idea_id) AS counts
        WHERE ideas.id = counts.idea_id;
    RETURN NULL;
END
$$;
CREATE TRIGGER idea_votes_insert AFTER INSERT ON idea_votes REFERENCING NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION count_idea_votes();
CREATE TRIGGER idea_votes_delete AFTER DELETE ON idea_votes REFERENCING OLD TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION count_idea_votes();

CREATE FUNCTION switch_idea_vote() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    change integer := CASE NEW.vote_type WHEN 'up' THEN 1 ELSE -1 END;
BEGIN
    UPDATE ideas SET vote_count_up = vote_count_up + change, vote_count_down = vote_count_down - change
        WHERE id = NEW.idea_id;
    RETURN NULL;
END
$$;
CREATE TRIGGER idea_votes_switch AFTER UPDATE OF vote_type ON idea_votes
    FOR EACH ROW WHEN (OLD.vote_type <> NEW.vote_type) EXECUTE FUNCTION switch_idea_vote();

CREATE FUNCTION count_idea_comments() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    change integer := CASE TG_OP WHEN 'INSERT' THEN 1 ELSE -1 END;
BEGIN
    PERFORM FROM ideas WHERE id IN (SELECT idea_id FROM changed) ORDER BY id FOR NO KEY UPDATE;
    UPDATE ideas SET comment_count = comment_count + change * counts.comments
        FROM (SELECT idea_id, count(*) AS comments FROM changed GROUP BY idea_id) AS counts
        WHERE ideas.id = counts.idea_id;
    PERFORM FROM idea_comments WHERE id IN (SELECT parent_id FROM changed) ORDER BY id FOR NO KEY UPDATE;
    UPDATE idea_comments SET reply_count = reply_count + change * counts.replies
        FROM (SELECT parent_id, count(*) AS replies FROM changed WHERE parent_id IS NOT NULL GROUP BY 1) AS counts
        WHERE idea_comments.id = counts.parent_id;
    RETURN NULL;
END
$$;
CREATE TRIGGER idea_comments_insert AFTER INSERT ON idea_comments REFERENCING NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION count_idea_comments();
CREATE TRIGGER idea_comments_delete AFTER DELETE ON idea_comments REFERENCING OLD TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION count_idea_comments();

CREATE FUNCTION count_idea_comment_votes() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    change integer := CASE TG_OP WHEN 'INSERT' THEN 1 ELSE -1 END;
BEGIN
    PERFORM FROM idea_comments WHERE id IN (SELECT comment_id FROM changed) ORDER BY id FOR NO KEY UPDATE;
    UPDATE idea_comments SET vote_count_up = vote_count_up + change * counts.up,
            vote_count_down = vote_count_down + change * counts.down
        FROM (SELECT comment_id, count(*) FILTER (WHERE vote_type = 'up') AS up,
                count(*) FILTER (WHERE vote_type = 'down') AS down FROM changed GROUP BY comment_id) AS counts
        WHERE idea_comments.id = counts.comment_id;
    RETURN NULL;
END
$$;
CREATE TRIGGER idea_comment_votes_insert AFTER INSERT ON idea_comment_votes REFERENCING NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION count_idea_comment_votes();
CREATE TRIGGER idea_comment_votes_delete AFTER DELETE ON idea_comment_votes REFERENCING OLD TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION count_idea_comment_votes();

CREATE FUNCTION switch_idea_comment_vote() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    change integer := CASE NEW.vote_type WHEN 'up' THEN 1 ELSE -1 END;
BEGIN
    UPDATE idea_comments SET vote_count_up = vote_count_up + change, vote_count_down = vote_count_down - change
        WHERE id = NEW.comment_id;
    RETURN NULL;
END
$$;
CREATE TRIGGER idea_comment_votes_switch AFTER UPDATE OF vote_type ON idea_comment_votes
    FOR EACH ROW WHEN (OLD.vote_type <> NEW.vote_type) EXECUTE FUNCTION switch_idea_comment_vote();

-- A person who is deleted is no longer named by the mentions in texts of others (reference/ideas.md#deleted-people).
CREATE FUNCTION forget_idea_mention() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    mention text := '<span data-mention-id="' || OLD.user_id || '">[^<]*</span>';
BEGIN
    IF EXISTS (SELECT FROM users WHERE id = OLD.user_id) THEN
        RETURN NULL;
    END IF;
    UPDATE idea_texts SET description = regexp_replace(description, mention, '[deleted user]', 'g')
        WHERE idea_id = OLD.idea_id;
    UPDATE idea_comments SET body = regexp_replace(body, mention, '[deleted user]', 'g') WHERE id = OLD.comment_id;
    RETURN NULL;
END
$$;
CREATE TRIGGER idea_mentions_delete AFTER DELETE ON idea_mentions
    FOR EACH ROW EXECUTE FUNCTION forget_idea_mention();

-- The deletion of a person changes ideas in the order of the foreign keys. They are locked before, in the order of all.
CREATE FUNCTION lock_ideas_of_person() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM FROM ideas WHERE id IN (
        SELECT id FROM ideas WHERE author_id = OLD.id
        UNION SELECT idea_id FROM idea_votes WHERE user_id = OLD.id
        UNION SELECT idea_id FROM idea_comments WHERE author_id = OLD.id
        UNION SELECT idea_comments.idea_id FROM idea_comment_votes
            JOIN idea_comments ON idea_comments.id = idea_comment_votes.comment_id
            WHERE idea_comment_votes.user_id = OLD.id
        UNION SELECT coalesce(idea_mentions.idea_id, idea_comments.idea_id) FROM idea_mentions
            LEFT JOIN idea_comments ON idea_comments.id = idea_mentions.comment_id
            WHERE idea_mentions.user_id = OLD.id
        UNION SELECT idea_id FROM idea_timeline WHERE actor_id = OLD.id)
        ORDER BY id FOR UPDATE;
    RETURN OLD;
END
$$;
CREATE TRIGGER users_ideas BEFORE DELETE ON users FOR EACH ROW EXECUTE FUNCTION lock_ideas_of_person();
