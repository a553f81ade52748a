SELECT
    chain_of(scores.chain_id) AS chain,
    scores.chain_id AS chain_id,
    caip2_of(scores.chain_id) AS caip2,
    text_of(scores.chain_id, scores.token) AS token,
    names.symbol AS symbol,
    names.name AS name,
    scores.hour AS hour,
    toFloat64(scores.score) AS score,
    toFloat64(scores.timestamp_score) AS recency_score,
    toFloat64(scores.volume_score) AS volume_score,
    toFloat64(scores.holders_score) AS holders_score,
    toFloat64(scores.confidence_score) AS confidence_score,
    toFloat64(scores.score - scores.before) AS score_change,
    scores.weights_version AS weights_version,
    scores.inputs AS inputs,
    scores.computed_at AS computed_time,
    scores.as_of_block AS as_of_block
FROM
(
    SELECT
        *,
        lagInFrame(toNullable(score)) OVER (
            PARTITION BY chain_id, token ORDER BY hour ROWS BETWEEN 1 PRECEDING AND CURRENT ROW
        ) AS before
    FROM published_agg_heartbeat
) AS scores
LEFT ANY JOIN token_name AS names ON names.chain_id = scores.chain_id AND names.token = scores.token
