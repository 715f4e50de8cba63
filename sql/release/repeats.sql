-- As many rows of each power as two to that power, to repeat what is joined with them.
-- One row: a repetition.
-- Result: times, the power, 0 to 16; number, of the repetition, from 0.
SELECT
    powers.power AS times,
    again.number AS number
FROM range(17) AS powers(power)
INNER JOIN range(1 << 16) AS again(number) ON again.number < (1 << powers.power)
