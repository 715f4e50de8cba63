-- How many cells of columns of text hold what names a person directly, anywhere in the text: an e-mail address, a telephone
-- number, an IBAN or a card number by its check digits, a web address, an IP address.
-- One row: a column that has a value, by its place.
-- Reads: counted_texts.
-- Binds: $email (value), $phone (value), $not_phone (value), $iban (value), $card (value), $url (value), $ip (value)
-- Result: place; cells; emails; phones; ibans; cards; card_like (cells with as many digits as a card number has, of which
--   one in ten has the right check digit by chance); urls; ips; worded (cells of at least four words); texts (the distinct
--   ones); worded_texts.
-- NULL: does not occur in counted_texts.
WITH found AS (
    SELECT
        place,
        value,
        records,
        CASE WHEN length(value) >= 15 THEN regexp_extract_all(value, $iban) ELSE [] END AS ibans,
        list_filter(
            list_transform(
                CASE WHEN length(value) >= 13 THEN regexp_extract_all(value, $card) ELSE [] END,
                lambda one: replace(replace(one, ' ', ''), '-', '')
            ),
            lambda digits: length(digits) BETWEEN 13 AND 19
        ) AS cards
    FROM counted_texts
), checked AS (
    SELECT
        place,
        records,
        contains(value, '@') AND regexp_matches(value, $email) AS email,
        length(value) >= 8 AND regexp_matches(regexp_replace(value, $not_phone, ' ', 'g'), $phone) AS phone,
        list_bool_or(list_transform(ibans, lambda one: list_reduce(
            list_transform(
                string_split(substr(replace(one, ' ', ''), 5) || substr(one, 1, 4), ''),
                lambda mark: CASE WHEN ascii(mark) < 58 THEN ascii(mark) - 48 ELSE ascii(mark) - 55 END
            ),
            lambda rest, digit: (rest * CASE WHEN digit > 9 THEN 100 ELSE 10 END + digit) % 97
        ) = 1)) AS iban,
        len(cards) > 0 AS card_like,
        list_bool_or(list_transform(cards, lambda one: list_sum(list_transform(
            list_reverse(string_split(one, '')),
            lambda mark, position: CASE
                WHEN position % 2 = 1 THEN ascii(mark) - 48
                WHEN ascii(mark) < 53 THEN 2 * (ascii(mark) - 48)
                ELSE 2 * (ascii(mark) - 48) - 9
            END
        )) % 10 = 0)) AS card,
        length(value) >= 7 AND regexp_matches(value, $url) AS url,
        length(value) >= 7 AND regexp_matches(value, $ip) AS ip,
        length(value) >= 7 AND regexp_matches(value, '(\S+\s+){3}\S') AS worded
    FROM found
)
SELECT
    place,
    sum(records)::BIGINT AS cells,
    coalesce(sum(records) FILTER (WHERE email), 0)::BIGINT AS emails,
    coalesce(sum(records) FILTER (WHERE phone), 0)::BIGINT AS phones,
    coalesce(sum(records) FILTER (WHERE iban), 0)::BIGINT AS ibans,
    coalesce(sum(records) FILTER (WHERE card), 0)::BIGINT AS cards,
    coalesce(sum(records) FILTER (WHERE card_like), 0)::BIGINT AS card_like,
    coalesce(sum(records) FILTER (WHERE url), 0)::BIGINT AS urls,
    coalesce(sum(records) FILTER (WHERE ip), 0)::BIGINT AS ips,
    coalesce(sum(records) FILTER (WHERE worded), 0)::BIGINT AS worded,
    count(*) AS texts,
    count(*) FILTER (WHERE worded) AS worded_texts
FROM checked
GROUP BY place
ORDER BY place
