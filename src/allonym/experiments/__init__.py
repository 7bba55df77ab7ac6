"""The papers' tables on real data, one module a paper."""
