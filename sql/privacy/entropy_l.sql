-- Entropy l-diversity: exp of the entropy of the sensitive values of each class.
-- One row: an equivalence class.
-- Reads: cells
-- Binds: cells (table)
-- Result: class; reached: the class is entropy l-diverse for each l up to it. The base of the logarithm cancels out.
-- NULL: a sensitive NULL is a value of its own.
SELECT class, exp(ln(sum(weight)) - sum(weight * ln(weight)) / sum(weight)) AS reached
FROM cells
GROUP BY class
