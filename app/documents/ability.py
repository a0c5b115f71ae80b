"""Whether this machine can render: the fonts are there, and a child starts."""

from app.documents.errors import PoolClosed, RenderCancelled
from app.documents.fonts import missing_families
from app.documents.pool import RendererPool


def why_not(pool: RendererPool) -> str | None:
    """Start the pool's children; the reason if they cannot render, else None.

    Raises `PoolClosed` or `RenderCancelled` if the pool is closed meanwhile.
    """
    missing = missing_families()
    if missing:
        return f"fonts are missing: {', '.join(missing)}; install fonts-noto-core, -cjk and -color-emoji"
    try:
        pool.warm_up()
    except (PoolClosed, RenderCancelled):
        raise
    except Exception as error:  # noqa: BLE001 - whatever keeps a child from starting, nothing is rendered here
        return f"no renderer child starts: {type(error).__name__}: {error.__cause__ or error}"
    return None
