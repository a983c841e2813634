-- title: Ranks that change between tracks
-- answers: Which models stand much better in one track than in another? A positive shift: better in track_b.
-- tables: model_scores
-- :metric = correct   A metric of the benchmark.
-- :at_least = 1       Smallest change of rank to show.
WITH ranks AS (
    SELECT s.track, s.model, MIN(s.rank) AS rank
    FROM model_scores AS s
    CROSS JOIN parameters AS p
    WHERE s.metric = p.metric AND s.track <> 'all'
    GROUP BY s.track, s.model
)
SELECT a.model, a.track AS track_a, b.track AS track_b, a.rank AS rank_a, b.rank AS rank_b, a.rank - b.rank AS shift
FROM ranks AS a
JOIN ranks AS b ON b.model = a.model
CROSS JOIN parameters AS p
WHERE a.track < b.track AND ABS(a.rank - b.rank) >= p.at_least
ORDER BY ABS(a.rank - b.rank) DESC, a.model, a.track, b.track
