-- title: Where no model succeeds
-- answers: In which question types, and in which tracks, do the items lie that no model solves?
-- tables: item_counts
SELECT
    COALESCE(track, '') AS track,
    COALESCE(question_type, '') AS question_type,
    COUNT(*) AS n_items,
    CAST(SUM(CASE WHEN k = 0 THEN 1 ELSE 0 END) AS BIGINT) AS n_unsolved,
    CAST(SUM(CASE WHEN k = n_models THEN 1 ELSE 0 END) AS BIGINT) AS n_solved_by_all,
    AVG(CASE WHEN k = 0 THEN 1.0 ELSE 0.0 END) AS share_unsolved
FROM item_counts
GROUP BY COALESCE(track, ''), COALESCE(question_type, '')
ORDER BY ROUND(AVG(CASE WHEN k = 0 THEN 1.0 ELSE 0.0 END), 9) DESC, track, question_type
