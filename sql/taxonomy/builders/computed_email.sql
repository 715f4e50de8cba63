-- E-mail addresses: who is masked, then the domain down to its top level.
-- One row: a row of the relation held.
-- Reads: held (a relation with the column value: the distinct values of a column)
-- Binds: held (table)
-- Result: value, domain (*@example.com), top (*@*.com). The domain is what follows the last @, in lower case, without
--   a dot at its end; an address in brackets goes to *@[*]. Text without a domain is (not an address) in both.
-- NULL: stays NULL.
SELECT
    value,
    CASE WHEN name = '' THEN '(not an address)' ELSE '*@' || name END AS domain,
    CASE
        WHEN name = '' THEN '(not an address)'
        WHEN starts_with(name, '[') THEN '*@[*]'
        ELSE '*@*.' || regexp_extract(name, '[^.]*$')
    END AS top
FROM (
    SELECT
        value,
        rtrim(lower(regexp_extract(CAST(value AS VARCHAR), '@([^@\s<>,;]+)>?\s*$', 1)), '.') AS name
    FROM held
) AS domains
