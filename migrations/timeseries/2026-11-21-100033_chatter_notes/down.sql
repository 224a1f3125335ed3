DROP TABLE chatter_notes;
