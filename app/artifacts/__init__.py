"""Bytes that outlive a process: step results and archives, on a folder or in S3."""
