"""What does the work: claims steps, runs them, keeps their leases alive, sweeps up behind."""
