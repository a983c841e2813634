-- title: Cost per correct answer
-- answers: What does one correct answer cost, counting what the wrong ones cost too? Models without a
--   known cost come last.
-- tables: frontier, models
-- :track = all   A track of the items, or all.
SELECT
    f.model,
    m.name,
    m.weights,
    f.estimate,
    f.cost_per_response_usd,
    f.cost_per_response_usd / NULLIF(f.estimate, 0) AS cost_per_correct_usd,
    f.on_frontier
FROM frontier AS f
JOIN models AS m ON m.model = f.model
CROSS JOIN parameters AS p
WHERE f.track = p.track AND f.metric = 'correct'
ORDER BY ROUND(f.cost_per_response_usd / NULLIF(f.estimate, 0), 12) NULLS LAST, f.model
