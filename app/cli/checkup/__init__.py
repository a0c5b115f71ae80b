"""What `sheaf doctor` looks at: each check says what it found and what to do, in bounded time."""
