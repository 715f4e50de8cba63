COPY "target"."main"."it's ""odd""" TO 'it''s.csv' WITH (FORMAT csv, USE_TMP_FILE FALSE, HEADER TRUE)
