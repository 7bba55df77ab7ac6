"""Our methods and the rivals, on the same texts and under the same attackers: what is kept, what is given away."""
