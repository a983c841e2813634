-- title: Pairs that are not told apart
-- answers: Which models does the benchmark not separate, and how large could their difference still be?
-- tables: pairwise_tests
-- :track = all        A track of the items, or all.
-- :metric = correct   A metric of the benchmark.
SELECT
    t.model_a,
    t.model_b,
    t.difference,
    t.ci_low,
    t.ci_high,
    t.n_items,
    t.n_better,
    t.n_worse,
    t.p_value,
    t.p_holm
FROM pairwise_tests AS t
CROSS JOIN parameters AS p
WHERE t.track = p.track AND t.metric = p.metric AND NOT t.significant AND t.p_value IS NOT NULL
ORDER BY ROUND(t.p_value, 12) DESC, t.model_a, t.model_b
