-- The actions had no effect and are not restored.
SELECT 1;
