-- title: Most discordant pairs
-- answers: Which two models give the same verdict least often?
-- tables: concordance
-- :track = all   A track of the items, or all.
SELECT c.model_a, c.model_b, c.n_items, c.agreement, c.correct_agreement, c.kappa
FROM concordance AS c
CROSS JOIN parameters AS p
WHERE c.track = p.track AND c.n_items > 0
ORDER BY ROUND(c.agreement, 9) NULLS LAST, c.model_a, c.model_b
