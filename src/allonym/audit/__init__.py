"""Audits: attempts to prove a claimed loss wrong."""
