DROP INDEX copyright_candidates_list;
DROP TABLE listed_songs;
