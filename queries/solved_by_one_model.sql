-- title: Solved by one model alone
-- answers: Which items does exactly one model solve, and which model is it? A cell is the mean over
--   the scored runs of a model on an item.
-- tables: verdicts, item_counts
-- :model = null      Only what this model alone solves.
-- :solved_at = 0.5   A cell is solved from this value on (the card's solved_at).
WITH cells AS (
    SELECT model, item_id, AVG(CASE WHEN correct THEN 1.0 ELSE 0.0 END) AS value
    FROM verdicts
    WHERE correct IS NOT NULL
    GROUP BY model, item_id
)
SELECT s.model, c.item_id, c.track, c.question_type, c.n_models
FROM item_counts AS c
JOIN cells AS s ON s.item_id = c.item_id
CROSS JOIN parameters AS p
WHERE c.k = 1
    AND s.value >= p.solved_at
    AND (p.model IS NULL OR s.model = p.model)
ORDER BY s.model, c.item_id
