"""Words as points: tables of vectors, their distances, and ratings of one word as a substitute for another."""
