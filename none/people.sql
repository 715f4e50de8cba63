-- privacy.people: the rows of privacy_staged.people, which SQLMesh audits before it makes this table
MODEL (
  name privacy.people,
  kind FULL,
  dialect duckdb
);

SELECT *
FROM privacy_staged.people AS s
WHERE CASE WHEN NOT (EXISTS (
      SELECT count(*) AS failing_classes, sum(class_records) AS failing_records, min(class_records) AS reached
      FROM (
        SELECT
        count(*) AS class_records
        FROM privacy_staged.people
        GROUP BY CAST("rate" AS VARCHAR) COLLATE C
      ) AS classes
      WHERE class_records < 5
      HAVING count(*) > 0
    ) OR EXISTS (
      SELECT count(*) AS failing_classes, sum(class_records) AS failing_records, min(class_values) AS reached
      FROM (
        SELECT
        count(*) AS class_records,
        count(DISTINCT CAST("note" AS VARCHAR) COLLATE C) + max(CASE WHEN "note" IS NULL THEN 1 ELSE 0 END) AS class_values
        FROM privacy_staged.people
        GROUP BY CAST("rate" AS VARCHAR) COLLATE C
      ) AS classes
      WHERE class_values < 2
      HAVING count(*) > 0
    )) THEN 'met' ELSE ERROR('the release misses what is required of it') END = 'met';
