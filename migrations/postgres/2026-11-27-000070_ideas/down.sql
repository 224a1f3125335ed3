DROP TRIGGER users_ideas ON users;
DROP INDEX notifications_idea;
DROP TABLE idea_totals;
DROP TABLE idea_timeline;
DROP TABLE idea_mentions;
DROP TABLE idea_comment_votes;
DROP TABLE idea_comments;
DROP TABLE idea_votes;
DROP TABLE idea_tag_links;
DROP TABLE idea_texts;
DROP TABLE ideas;
DROP TABLE idea_tags;
DROP TABLE idea_categories;
DROP FUNCTION lock_ideas_of_person, forget_idea_mention, switch_idea_comment_vote, count_idea_comment_votes,
    count_idea_comments, switch_idea_vote, count_idea_votes, move_idea, count_ideas, open_idea_totals,
    idea_words(text, text), idea_trend_band(integer);
