"""Engines that hold a table where it is, and answer what is asked of it: Spark, and warehouses."""
