-- title: Failure labels by question type
-- answers: What goes wrong in which question type? Counted are pairs of model and item that show the
--   label in any run, out of all pairs with a row.
-- tables: verdicts, items, failure_labels
-- :model = null   Only this model.
WITH asked AS (
    SELECT DISTINCT v.model, v.item_id, COALESCE(i.question_type, '') AS question_type
    FROM verdicts AS v
    JOIN items AS i ON i.item_id = v.item_id
    CROSS JOIN parameters AS p
    WHERE p.model IS NULL OR v.model = p.model
),
totals AS (
    SELECT question_type, COUNT(*) AS n_asked FROM asked GROUP BY question_type
),
single AS (
    SELECT model, item_id, UNNEST(labels) AS label FROM verdicts
),
shown AS (
    SELECT DISTINCT model, item_id, label FROM single WHERE label IS NOT NULL
),
counts AS (
    SELECT a.question_type, s.label, COUNT(*) AS n_labelled
    FROM asked AS a
    JOIN shown AS s ON s.model = a.model AND s.item_id = a.item_id
    GROUP BY a.question_type, s.label
)
SELECT
    c.question_type,
    c.label,
    c.n_labelled,
    t.n_asked,
    CAST(c.n_labelled AS DOUBLE) / t.n_asked AS share
FROM counts AS c
JOIN totals AS t ON t.question_type = c.question_type
ORDER BY c.question_type, c.n_labelled DESC, c.label
