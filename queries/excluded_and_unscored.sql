-- title: Excluded, unscored and missing by model
-- answers: How many items of each model are in its score, and why are the others not?
-- tables: model_scores
-- :track = all   A track of the items, or all.
SELECT
    s.model,
    MAX(s.n_items) AS n_items,
    MAX(s.n_excluded) AS n_excluded,
    MAX(s.n_unscored) AS n_unscored,
    MAX(s.n_missing) AS n_missing
FROM model_scores AS s
CROSS JOIN parameters AS p
WHERE s.track = p.track AND s.metric = 'correct'
GROUP BY s.model
ORDER BY MAX(s.n_excluded) + MAX(s.n_unscored) + MAX(s.n_missing) DESC, s.model
