"""What makes the chunks of a job: this machine's processes, or a Spark cluster."""
