-- Texts as a warehouse groups them, compared by their bytes.
-- One row: a group.
-- Binds: texts (list), shown (list)
-- Result: t, a text of the group; n, how many texts it has.
-- NULL: is a text of its own.
SELECT g.t, count(*) AS n
FROM (
    SELECT each(shown, {read} AS t)
    FROM (united(texts, SELECT CAST({text} AS {kind}) AS c0)) AS s
) AS g
GROUP BY g.t
