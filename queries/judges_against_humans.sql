-- title: Judges against humans
-- answers: When a judge says X, what do the humans who rated the same response say? The share is of the
--   judge's X, so a well calibrated judge has its mass where both labels are the same.
-- tables: ratings
WITH rated AS (
    SELECT
        COALESCE(model, '') AS model,
        item_id,
        COALESCE(run, -1) AS run,
        COALESCE(criterion_id, '') AS criterion_id,
        rater,
        rater_kind,
        label
    FROM ratings
    WHERE label IS NOT NULL
),
pairs AS (
    SELECT j.rater AS judge, h.rater AS human, j.label AS judge_label, h.label AS human_label, COUNT(*) AS n
    FROM rated AS j
    JOIN rated AS h
        ON h.model = j.model
        AND h.item_id = j.item_id
        AND h.run = j.run
        AND h.criterion_id = j.criterion_id
    WHERE j.rater_kind = 'judge' AND h.rater_kind = 'human'
    GROUP BY j.rater, h.rater, j.label, h.label
),
totals AS (
    SELECT judge, human, judge_label, SUM(n) AS n_judge
    FROM pairs
    GROUP BY judge, human, judge_label
)
SELECT
    a.judge,
    a.human,
    a.judge_label,
    a.human_label,
    a.n,
    CAST(a.n AS DOUBLE) / CAST(t.n_judge AS DOUBLE) AS share_of_judge_label,
    a.judge_label = a.human_label AS agree
FROM pairs AS a
JOIN totals AS t ON t.judge = a.judge AND t.human = a.human AND t.judge_label = a.judge_label
ORDER BY a.judge, a.human, a.judge_label, a.n DESC, a.human_label
