-- title: Decisive and wrong
-- answers: How often does a model commit to an action, and how often is it wrong when it does? Which
--   decisions are decisive is said in the card.
-- tables: verdicts, decisions
WITH kinds AS (
    SELECT DISTINCT decision, decisive FROM decisions
),
scored AS (
    SELECT
        v.model,
        CASE WHEN k.decisive THEN 1 ELSE 0 END AS is_decisive,
        CASE WHEN v.correct THEN 0 ELSE 1 END AS is_wrong
    FROM verdicts AS v
    JOIN kinds AS k ON k.decision = v.decision
    WHERE v.correct IS NOT NULL
),
counts AS (
    SELECT
        model,
        COUNT(*) AS n_decided,
        CAST(SUM(is_decisive) AS BIGINT) AS n_decisive,
        CAST(SUM(is_decisive * is_wrong) AS BIGINT) AS n_decisive_wrong
    FROM scored
    GROUP BY model
)
SELECT
    model,
    n_decided,
    n_decisive,
    n_decisive_wrong,
    CAST(n_decisive AS DOUBLE) / n_decided AS share_decisive,
    CAST(n_decisive_wrong AS DOUBLE) / NULLIF(n_decisive, 0) AS share_wrong_when_decisive
FROM counts
ORDER BY n_decisive_wrong DESC, model
