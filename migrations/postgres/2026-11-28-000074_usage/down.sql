DROP TABLE usage_marks;
DROP TABLE usage_budgets;
DROP TABLE usage_sweeps;
DROP TABLE usage_storage;
DROP TABLE usage_batches;
DROP TABLE usage_hours;
