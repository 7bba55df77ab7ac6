"""The tables that the paper on generalised differential privacy should have had."""
