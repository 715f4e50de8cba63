-- How uncertain the sensitive values are in the equivalence classes of a release by a method.
-- One row: an equivalence class, in the order of its number.
-- Reads: shown_secrets
-- Result: records; largest, those of the most frequent value; held_values, how many there are; uncertainty, their entropy in bits.
-- NULL: a sensitive value of its own.
WITH shares AS (
    SELECT equivalence, records, records / sum(records) OVER (PARTITION BY equivalence) AS share
    FROM shown_secrets
)
SELECT
    sum(records)::BIGINT AS records,
    max(records) AS largest,
    count(*) AS held_values,
    abs(round(sum(-share * log2(share) ORDER BY share), 12)) AS uncertainty
FROM shares
GROUP BY equivalence
ORDER BY equivalence
