SET TimeZone = $value
