-- title: Knowledge-to-action gap
-- answers: How often does a response show a fact (by default: its reasoning holds the reference step)
--   and is still not correct? Shares are of the scored responses.
-- tables: verdicts
-- :flag = reasoning_has_gold_step   The flag to look for.
WITH scored AS (
    SELECT
        v.model,
        CASE WHEN v.correct THEN 1 ELSE 0 END AS is_correct,
        CASE WHEN ARRAY_CONTAINS(v.flags, p.flag) THEN 1 ELSE 0 END AS is_flagged
    FROM verdicts AS v
    CROSS JOIN parameters AS p
    WHERE v.correct IS NOT NULL
)
SELECT
    model,
    COUNT(*) AS n_scored,
    CAST(SUM(is_flagged) AS BIGINT) AS n_flagged,
    CAST(SUM(is_flagged * (1 - is_correct)) AS BIGINT) AS n_gap,
    AVG(CAST(is_flagged * (1 - is_correct) AS DOUBLE)) AS share_gap
FROM scored
GROUP BY model
ORDER BY ROUND(AVG(CAST(is_flagged * (1 - is_correct) AS DOUBLE)), 9) DESC, model
