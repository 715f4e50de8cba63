SELECT MAX("age@0"), MAX("it's ""odd""@0") FROM joined_records
