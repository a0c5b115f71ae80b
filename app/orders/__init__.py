"""Where orders come from: tolerant reading into our own Order, and importers."""
