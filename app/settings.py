"""Every tunable of Sheaf: typed, with its unit and its reason. Read once, in a composition root."""

import os
import socket
from functools import cached_property
from ipaddress import IPv4Network, IPv6Network, ip_network
from pathlib import Path

from pydantic import Field, SecretStr, field_validator
from pydantic_settings import BaseSettings, SettingsConfigDict


class Settings(BaseSettings):
    """Values come from the environment as `SHEAF_…`; unknown names there are not ours to judge."""

    model_config = SettingsConfigDict(env_prefix="SHEAF_", frozen=True, extra="ignore")

    database_url: SecretStr | None = Field(default=None, description="SQLAlchemy URL of PostgreSQL (or SQLite).")
    redis_url: SecretStr | None = Field(
        default=None, description="Redis for the workers' bell; without it work starts half a second later."
    )
    artifacts: str | None = Field(default=None, description="Folder shared by every host, or `s3://bucket/prefix`.")

    host: str = Field(default="127.0.0.1", description="Address the API listens on.")
    port: int = Field(default=8080, ge=0, le=65535, description="Port the API listens on; 0 takes a free one.")
    root_path: str = Field(default="", description="Path under which a proxy serves the API; links begin with it.")

    worker_slots: int = Field(
        default_factory=lambda: max(1, os.cpu_count() or 1),
        ge=1,
        description="Steps that one worker process works at a time, and renderer children that make their documents.",
    )
    worker_name: str = Field(default_factory=socket.gethostname, description="What hosts are called in lists.")

    checkpoint_every: int = Field(
        default=10, ge=1, le=1000, description="Items a step holds: what a crash loses at most."
    )
    combined_part: int = Field(
        default=500,
        ge=1,
        le=5000,
        description="Documents that one combined PDF holds at most; they are in memory once.",
    )
    max_items: int = Field(default=100_000, ge=1, description="Items one export may hold.")
    render_seconds: float = Field(default=60.0, gt=0, description="Time limit of one document.")
    render_memory_mib: int = Field(
        default=1024, ge=256, description="Private memory of one renderer child, in MiB; 5,000 lines take 515."
    )
    documents_per_child: int = Field(
        default=500, ge=1, description="Documents after which a child is replaced: libraries leak."
    )
    preview_children: int = Field(
        default=1,
        ge=1,
        le=16,
        description="Renderer children of one API process, for previews of documents; they start with the first one.",
    )
    package_seconds: float = Field(default=3600.0, gt=0, description="Time limit of one archive.")

    pulse_seconds: float = Field(
        default=0.5, gt=0, description="Rhythm in which a worker renews, hears cancels and looks for work."
    )
    lease_seconds: float = Field(default=15.0, gt=0, description="How long a claim lives without a renewal.")
    cancel_grace_seconds: float = Field(
        default=1.2, ge=0, description="Time the holders of a cancelled job have to stop."
    )
    sweep_seconds: float = Field(default=30.0, gt=0, description="Rhythm of the reconciler.")
    shutdown_seconds: float = Field(
        default=10.0, ge=0, description="Grace for steps in hand when a worker is told to end."
    )

    queue_ttl_seconds: float = Field(
        default=24 * 3600.0, gt=0, description="Life of a queued job while a worker lives."
    )
    run_ttl_seconds: float = Field(
        default=24 * 3600.0, gt=0, description="Life of a job since its last checkpoint, while a worker lives."
    )
    archive_ttl_seconds: float = Field(
        default=7 * 24 * 3600.0, gt=0, description="How long an archive can be downloaded."
    )
    archive_grace_seconds: float = Field(
        default=3600.0, ge=0, description="How long bytes outlive their expiry for running downloads."
    )
    record_ttl_seconds: float = Field(
        default=90 * 24 * 3600.0, gt=0, description="How long an ended job is remembered."
    )

    import_max_mib: int = Field(default=512, ge=1, description="Size of one import upload, unpacked, in MiB.")
    body_max_kib: int = Field(default=2048, ge=1, description="Size of any other request body, in KiB.")
    import_idle_seconds: float = Field(default=30.0, gt=0, description="How long an upload may send nothing.")
    deadlines: bool = Field(
        default=True, description="Hold every call to its deadline; off, it is only measured, for comparisons."
    )
    request_seconds: float = Field(
        default=10.0, gt=0.1, le=300, description="Deadline of a call whose caller sends none, and the longest."
    )
    api_permits: int = Field(
        default=40,
        ge=2,
        description="Calls one API process works on at once; while they end too late fewer, down to one a connection.",
    )
    api_threads: int = Field(default=16, ge=1, description="Threads of one API process for what blocks.")
    api_stuck: int = Field(
        default=100, ge=1, description="Calls that may be stuck beyond their deadline before new ones are refused."
    )
    trusted_proxies: str = Field(
        default="",
        description=(
            "Networks (comma-separated) whose `X-Request-Start` and `X-Forwarded-For` are believed; none by default."
        ),
    )
    stream_seconds: float = Field(
        default=60.0,
        gt=0,
        description="How long a stream of events lasts; its reader comes back, if still let in.",
    )
    session_seconds: float = Field(
        default=12 * 3600.0, gt=0, description="How long a sign-in to the console lasts: a working day."
    )
    metrics_token: SecretStr | None = Field(
        default=None, description="Bearer token that reads `/metrics` from elsewhere; this machine needs none."
    )
    worker_metrics_host: str = Field(
        default="127.0.0.1", description="Address on which a worker process shows its metrics, to whoever asks."
    )
    worker_metrics_port: int = Field(
        default=9464, ge=0, le=65535, description="Port for them, or the next that is free; 0 shows none."
    )
    database_connections: int = Field(default=10, ge=2, description="Connections of one API process.")
    database_connect_seconds: float = Field(default=5.0, gt=0, description="Wait for a connection.")
    database_statement_seconds: float = Field(
        default=30.0, gt=0, description="Longest statement; planning 100,000 items fits well."
    )
    database_lock_seconds: float = Field(default=10.0, gt=0, description="Longest wait for a row lock.")
    redis_seconds: float = Field(default=0.2, gt=0, description="Time an announcement may take; it is news, not truth.")

    @cached_property
    def trusted_networks(self) -> tuple[IPv4Network | IPv6Network, ...]:
        """`trusted_proxies` as networks."""
        return _networks(self.trusted_proxies)

    @field_validator("trusted_proxies")
    @classmethod
    def _are_networks(cls, text: str) -> str:
        _networks(text)
        return text

    @cached_property
    def import_max_bytes(self) -> int:
        """`import_max_mib` in bytes."""
        return self.import_max_mib * 1024 * 1024

    def without_servers(self) -> "Settings":
        """These settings for a data folder that was named: the environment's servers are not meant."""
        return self.model_copy(update={"database_url": None, "redis_url": None, "artifacts": None})

    def for_folder(self, folder: Path) -> "Settings":
        """The embedded default: everything in one data folder. Explicit settings win."""
        return self.model_copy(
            update={
                "database_url": self.database_url or SecretStr(f"sqlite:///{folder / 'sheaf.db'}"),
                "artifacts": self.artifacts or str(folder / "artifacts"),
            }
        )


def _networks(text: str) -> tuple[IPv4Network | IPv6Network, ...]:
    return tuple(ip_network(part.strip()) for part in text.split(",") if part.strip())
