"""Networks that tell writers apart, for attackers."""
