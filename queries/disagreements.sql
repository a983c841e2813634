-- title: Where two models disagree
-- answers: Which items does one of two models solve and the other not? Without names, the two best are taken.
-- tables: verdicts, items, model_scores
-- :model_a = null    One model; by default the first in rank on all tracks.
-- :model_b = null    The other; by default the second in rank on all tracks.
-- :solved_at = 0.5   A cell is solved from this value on (the card's solved_at).
WITH best AS (
    SELECT
        MAX(CASE WHEN rank = 1 THEN model END) AS first_model,
        MAX(CASE WHEN rank = 2 THEN model END) AS second_model
    FROM model_scores
    WHERE track = 'all' AND metric = 'correct'
),
chosen AS (
    SELECT
        COALESCE(p.model_a, b.first_model) AS model_a,
        COALESCE(p.model_b, b.second_model) AS model_b,
        p.solved_at
    FROM best AS b
    CROSS JOIN parameters AS p
),
cells AS (
    SELECT model, item_id, AVG(CASE WHEN correct THEN 1.0 ELSE 0.0 END) AS value
    FROM verdicts
    WHERE correct IS NOT NULL
    GROUP BY model, item_id
)
SELECT
    a.item_id,
    i.track,
    i.question_type,
    CASE WHEN a.value >= h.solved_at THEN a.model ELSE b.model END AS solved_by,
    a.value AS value_a,
    b.value AS value_b
FROM chosen AS h
JOIN cells AS a ON a.model = h.model_a
JOIN cells AS b ON b.model = h.model_b AND b.item_id = a.item_id
JOIN items AS i ON i.item_id = a.item_id
WHERE (a.value >= h.solved_at) <> (b.value >= h.solved_at)
ORDER BY solved_by, a.item_id
