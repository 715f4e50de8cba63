SELECT
  value AS key_0,
  number
FROM numbered_0
