"""The papers' tables on real data, a folder a paper."""
