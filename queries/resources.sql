-- title: Time and tokens by model
-- answers: How long does a response take, and how many tokens does it need?
-- tables: verdicts
SELECT
    model,
    COUNT(*) AS n_responses,
    MEDIAN(latency_s) AS median_latency_s,
    QUANTILE_CONT(latency_s, 0.95) AS p95_latency_s,
    AVG(input_tokens) AS mean_input_tokens,
    AVG(output_tokens) AS mean_output_tokens
FROM verdicts
GROUP BY model
ORDER BY model
