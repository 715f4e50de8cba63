SELECT "age@distance", "it's ""odd""@distance" FROM distance_patterns WHERE "#class_differs" AND "#pairs" >= $threshold
