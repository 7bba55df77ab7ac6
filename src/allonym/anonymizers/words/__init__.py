"""Words of a public table, replaced one by one: with Laplace noise, or by the exponential mechanism."""
