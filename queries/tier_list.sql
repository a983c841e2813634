-- title: Tiers
-- answers: Which tier is each model in, and which ranks are compatible with the tests? Models that share
--   a letter do not differ.
-- tables: tiers, model_scores
-- :track = all        A track of the items, or all.
-- :metric = correct   A metric of the benchmark.
WITH estimates AS (
    SELECT track, metric, model, MAX(estimate) AS estimate, MAX(n_items) AS n_items
    FROM model_scores
    GROUP BY track, metric, model
)
SELECT
    t.rank,
    t.tier,
    t.letters,
    t.model,
    e.estimate,
    e.n_items,
    t.rank_low,
    t.rank_high,
    t.in_best_set,
    t.p_next
FROM tiers AS t
JOIN estimates AS e ON e.track = t.track AND e.metric = t.metric AND e.model = t.model
CROSS JOIN parameters AS p
WHERE t.track = p.track AND t.metric = p.metric
ORDER BY t.rank
