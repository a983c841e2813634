-- title: Hardest items
-- answers: Which items do the fewest models solve? Among equals, those with the lowest mean come first.
-- tables: item_counts
-- :track = all  A track of the items, or all.
-- :top = 20     How many items at most.
WITH ranked AS (
    SELECT
        c.item_id,
        c.track,
        c.question_type,
        c.k,
        c.n_models,
        c.mean_score,
        c.all_incorrect,
        ROW_NUMBER() OVER (
            ORDER BY ROUND(CAST(c.k AS DOUBLE) / c.n_models, 9), ROUND(c.mean_score, 9), c.item_id
        ) AS place
    FROM item_counts AS c
    CROSS JOIN parameters AS p
    WHERE p.track = 'all' OR c.track = p.track
)
SELECT r.place, r.item_id, r.track, r.question_type, r.k, r.n_models, r.mean_score, r.all_incorrect
FROM ranked AS r
CROSS JOIN parameters AS p
WHERE r.place <= p.top
ORDER BY r.place
