"""Faults of the surroundings, told in a line: no traceback helps against a server that is down."""


def sentence(error: Exception) -> str | None:
    """What is wrong and what to do, or None for what must be a bug."""
    from sqlalchemy.exc import ArgumentError, InterfaceError, InternalError, NoSuchModuleError, OperationalError

    from app.artifacts.store import ArtifactsUnavailable
    from app.database.revisions import SchemaOutdated

    match error:
        case SchemaOutdated():
            return f"{_capital(str(error))}. Bring it there with: sheaf db upgrade"
        case ArgumentError() | NoSuchModuleError():
            return "SHEAF_DATABASE_URL is no address of a database: postgresql+psycopg://user:password@host/name"
        case OperationalError(orig=orig) | InterfaceError(orig=orig) | InternalError(orig=orig):
            lines = str(orig).strip().splitlines() or [type(orig).__name__]
            return f"The database cannot be used: {lines[0]}"
        case ArtifactsUnavailable():
            return f"The artifacts cannot be reached: {error}"
        case OSError(strerror=str(reason), filename=str(file)):
            return f"{file}: {reason}."
        case _:
            return None


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
