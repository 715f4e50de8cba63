SELECT Delimiter, DateFormat FROM SNIFF_CSV('it''s.csv', skip = 0, auto_type_candidates = ['BIGINT'])
