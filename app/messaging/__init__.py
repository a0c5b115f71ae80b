"""The workers' bell: a Dramatiq message that carries a job id and no truth."""
