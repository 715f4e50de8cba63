-- What the models reach on the data as it came, of the records that a rule keeps.
-- One row: a model.
-- Reads: coded (the part of the coded frequency set that stays), baseline_right
-- Binds: coded (table)
-- Result: records that stay; accuracy over those of them that were tested, and the mean of the classes' accuracies.
-- NULL: a NULL class is code 0, a class value of its own.
WITH by_class AS (
    SELECT model, "#class", sum(predicted_right) AS predicted_right, sum(tested) AS tested
    FROM coded
    JOIN baseline_right USING ("#cell")
    WHERE tested > 0
    GROUP BY model, "#class"
)
SELECT
    model,
    (SELECT sum("#records") FROM coded)::BIGINT AS records,
    (sum(predicted_right) / sum(tested))::DOUBLE AS accuracy,
    avg(predicted_right / tested)::DOUBLE AS balanced_accuracy
FROM by_class
GROUP BY model
