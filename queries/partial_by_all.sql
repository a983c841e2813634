-- title: Partly right for every model
-- answers: On which items does every model get part of the answer and none the whole?
-- tables: item_counts
SELECT item_id, track, question_type, n_models
FROM item_counts
WHERE all_partial
ORDER BY n_models DESC, item_id
