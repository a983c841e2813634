-- title: Runs that flip
-- answers: On which items is a model now right, now wrong when it is asked again? Empty where every
--   item was asked once.
-- tables: verdicts, items
-- :model = null   Only this model.
WITH repeated AS (
    SELECT
        model,
        item_id,
        COUNT(*) AS n_runs,
        CAST(SUM(CASE WHEN correct THEN 1 ELSE 0 END) AS BIGINT) AS n_correct
    FROM verdicts
    WHERE correct IS NOT NULL
    GROUP BY model, item_id
)
SELECT r.model, r.item_id, i.track, i.question_type, r.n_runs, r.n_correct
FROM repeated AS r
JOIN items AS i ON i.item_id = r.item_id
CROSS JOIN parameters AS p
WHERE r.n_correct > 0
    AND r.n_correct < r.n_runs
    AND (p.model IS NULL OR r.model = p.model)
ORDER BY r.model, r.item_id
