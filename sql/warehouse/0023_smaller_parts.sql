-- Merges stop at parts of this size, some eight million transfers. A part covers a run of units, so a query of a period
-- reads its parts and not the month: without a limit, a month of a busy chain becomes one part of hundreds of millions of
-- rows, in which every token's granules have rows of every day (docs/decisions/0051-storage-by-month.md).
ALTER TABLE fact_transfer MODIFY SETTING max_bytes_to_merge_at_max_space_in_pool = 268435456;

ALTER TABLE fact_swap MODIFY SETTING max_bytes_to_merge_at_max_space_in_pool = 268435456;

ALTER TABLE fact_pool_state MODIFY SETTING max_bytes_to_merge_at_max_space_in_pool = 268435456;
