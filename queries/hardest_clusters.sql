-- title: Hardest clusters
-- answers: In which clusters (patients, passages, cases) do the models fail on most items?
-- tables: item_counts, items
-- :at_least = 2   Smallest number of answered items of a cluster.
-- :top = 20       How many clusters at most.
WITH clusters AS (
    SELECT
        i.cluster_id,
        COUNT(*) AS n_items,
        CAST(SUM(CASE WHEN c.k = 0 THEN 1 ELSE 0 END) AS BIGINT) AS n_unsolved,
        AVG(c.mean_score) AS mean_score
    FROM item_counts AS c
    JOIN items AS i ON i.item_id = c.item_id
    WHERE i.cluster_id IS NOT NULL
    GROUP BY i.cluster_id
),
ranked AS (
    SELECT
        c.cluster_id,
        c.n_items,
        c.n_unsolved,
        c.mean_score,
        ROW_NUMBER() OVER (
            ORDER BY ROUND(CAST(c.n_unsolved AS DOUBLE) / c.n_items, 9) DESC,
            ROUND(c.mean_score, 9), c.n_items DESC, c.cluster_id
        ) AS place
    FROM clusters AS c
    CROSS JOIN parameters AS p
    WHERE c.n_items >= p.at_least
)
SELECT r.place, r.cluster_id, r.n_items, r.n_unsolved, r.mean_score
FROM ranked AS r
CROSS JOIN parameters AS p
WHERE r.place <= p.top
ORDER BY r.place
