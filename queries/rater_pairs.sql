-- title: Raters, two by two
-- answers: How often do two raters give the same label, and how far apart are their numbers?
-- tables: ratings
WITH rated AS (
    SELECT
        COALESCE(model, '') AS model,
        item_id,
        COALESCE(run, -1) AS run,
        COALESCE(criterion_id, '') AS criterion_id,
        rater,
        rater_kind,
        label,
        value
    FROM ratings
)
SELECT
    a.rater AS rater_a,
    a.rater_kind AS kind_a,
    b.rater AS rater_b,
    b.rater_kind AS kind_b,
    COUNT(*) AS n_common,
    CAST(SUM(CASE WHEN a.label = b.label THEN 1 ELSE 0 END) AS BIGINT) AS n_same_label,
    AVG(CASE WHEN a.label = b.label THEN 1.0 WHEN a.label <> b.label THEN 0.0 END) AS agreement,
    AVG(a.value - b.value) AS mean_difference,
    AVG(ABS(a.value - b.value)) AS mean_absolute_difference
FROM rated AS a
JOIN rated AS b
    ON b.model = a.model
    AND b.item_id = a.item_id
    AND b.run = a.run
    AND b.criterion_id = a.criterion_id
WHERE a.rater < b.rater
GROUP BY a.rater, a.rater_kind, b.rater, b.rater_kind
ORDER BY rater_a, rater_b, kind_a, kind_b
