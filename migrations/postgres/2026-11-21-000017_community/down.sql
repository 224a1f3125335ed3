DROP TABLE token_refreshes, support_tickets, csp_reports, mails, notification_preferences, notifications;
