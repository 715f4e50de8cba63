"""The version of anonduck, which receipts, reports and scripts name."""

__version__ = "0.1.0"
