-- title: What each further model adds
-- answers: How many items do the models cover together, adding always the one that adds most? Beside it
--   stands the most that any ensemble of that size covers.
-- tables: coverage
-- :track = all        A track of the items, or all.
-- :basis = answered   Items that any model answered, or complete for those that every model did.
WITH chosen AS (
    SELECT c.method, c.step, c.model, c.gained, c.covered, c.share
    FROM coverage AS c
    CROSS JOIN parameters AS p
    WHERE c.track = p.track AND c.basis = p.basis
),
best AS (
    SELECT step, MAX(covered) AS covered FROM chosen WHERE method = 'optimal' GROUP BY step
)
SELECT g.step, g.model, g.gained, g.covered, g.share, b.covered AS best_covered
FROM chosen AS g
LEFT JOIN best AS b ON b.step = g.step
WHERE g.method = 'greedy'
ORDER BY g.step
