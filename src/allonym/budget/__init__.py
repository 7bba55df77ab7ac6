"""What is spent: a ledger on disk, and the account of each author."""
