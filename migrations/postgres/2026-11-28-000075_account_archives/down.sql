DROP TABLE account_archives;
