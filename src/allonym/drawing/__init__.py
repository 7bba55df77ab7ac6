"""Figures as SVG, and the look of reports."""
