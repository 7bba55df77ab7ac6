"""One public way to write English: the marks, forms, links and words that everybody gets, whatever they wrote.

A writer is known by choices that mean nothing: "can't" or "cannot", a dash or a comma, "moreover" or "also". Here each
such choice has one answer, the same for all. Rules and lists, no model; what they leave alone stays as it was written.

Privacy: spends nothing, and proves nothing.
"""
