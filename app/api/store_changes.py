"""What every change of a store's settings has in common: who may, which version it is of, and what is answered."""

from collections.abc import Callable
from hashlib import sha256
from typing import Annotated, Any, Final

from fastapi import Header, Response
from pydantic import ValidationError

from app.api.auth import require
from app.api.conditions import expected_numbers
from app.api.documenting import documented
from app.api.problems import ProblemError, field_errors, not_found, outcome_unknown
from app.api.services import Services
from app.api.store_schemas import LogoBody, StoreChange, StoreLinks, StoreModel, TaxIdBody
from app.database.settings import SettingsChanged, Version, change_settings, current_version
from app.database.stores import find_store
from app.deadline.current import stage
from app.documents.logo import media_type
from app.documents.settings import SettingRefused
from app.domain.codes import Problem
from app.domain.principal import Principal, Right
from app.domain.store_settings import StoreSettings, TaxId

IfMatch = Annotated[
    str | None, Header(description="The `ETag` of the settings that are to be changed; others answer 412.")
]

CHANGED: Final = {"description": "The settings as they are now.", "headers": documented("ETag")}
"""The 200 of a change, as OpenAPI tells it."""

REFUSALS: Final = (
    Problem.UNAUTHENTICATED,
    Problem.RIGHT_MISSING,
    Problem.PRECONDITION_FAILED,
    Problem.OUTCOME_UNKNOWN,
)
"""The problems that every change can answer with."""


async def change_store(
    services: Services,
    principal: Principal,
    change: Callable[[StoreSettings], StoreSettings],
    *,
    if_match: str | None,
    answer: Callable[[Version], Response],
    unknown: Response | None = None,
) -> Response:
    """Change the settings of the principal's store and answer with what they became.

    `unknown` is the answer while nobody knows whether they were changed; that of version 1 unless it is given.
    """
    owner = principal.owner
    uncertain = unknown or _unknown(store_path(services.limits.root_path))
    try:
        async with services.database.transaction() as tx:
            version = await tx.run_sync(
                change_settings,
                owner.store_id,
                change,
                changed_by=owner.name,
                expected=expected_numbers(if_match),
            )
            done = answer(version)
            stage(unknown=uncertain, done=done)
    except SettingsChanged as other:
        raise ProblemError(
            Problem.PRECONDITION_FAILED,
            f"The settings are at version {other.number}.",
            headers={"ETag": f'"{other.number}"'},
            version=other.number,
        ) from None
    except SettingRefused as refused:
        raise setting_refused(refused.field, refused.reason) from None
    return done


def changes_of(body: Any) -> dict[str, Any]:
    """What a patch names, with what it is to become; raises the problem `invalid_request`."""
    try:
        asked = StoreChange.model_validate(body)
    except ValidationError as error:
        raise ProblemError(Problem.INVALID_REQUEST, errors=field_errors(error.errors())) from None
    return named_in(asked)


def named_in(asked: StoreChange) -> dict[str, Any]:
    """What a checked patch names, with what it is to become."""
    changes = asked.model_dump(exclude_unset=True)
    if changes.get("tax_ids"):
        changes["tax_ids"] = [TaxId(**one) for one in changes["tax_ids"]]
    return changes


def require_settings(principal: Principal) -> None:
    """Raise the problem `right_missing` for whoever may not change the store."""
    require(principal, Right.SETTINGS)


def setting_refused(field: str, reason: str) -> ProblemError:
    """The problem that names the setting."""
    return ProblemError(Problem.INVALID_REQUEST, errors=[{"field": field, "reason": reason}])


def store_path(root_path: str) -> str:
    """The path-absolute address of the principal's store."""
    return f"{root_path}/v1/store"


async def read_settings(services: Services, key: str) -> Version:
    """The settings of a store as they are; raises a problem if it is gone."""
    async with services.database.reading() as tx:
        store = await tx.run_sync(find_store, key)
        if store is None:
            raise not_found()
        return await tx.run_sync(current_version, store)


def headers_of(version: Version) -> dict[str, str]:
    """What goes with every representation: its version as `ETag`."""
    return {"ETag": f'"{version.number}"', "Cache-Control": "private, no-cache"}


def store_model(key: str, version: Version, root_path: str) -> StoreModel:
    """The settings' representation."""
    settings, path = version.settings, store_path(root_path)
    return StoreModel(
        key=key,
        version=version.number,
        changed_at=version.changed_at,
        changed_by=version.changed_by,
        name=settings.name,
        address=list(settings.address),
        tax_ids=[TaxIdBody(number=one.number, label=one.label) for one in settings.tax_ids],
        bank_lines=list(settings.bank_lines),
        footer=list(settings.footer),
        accent=settings.accent or None,
        logo=_logo(settings.logo),
        paper=settings.paper,
        locale=settings.locale,
        time_zone=settings.time_zone,
        number_keys=list(settings.number_keys),
        missing_glyphs=settings.missing_glyphs,
        country=settings.country or None,
        vat_keys=list(settings.vat_keys),
        unit_keys=list(settings.unit_keys),
        untaxed=settings.untaxed or None,
        templates=[own.document_type for own in settings.templates],
        links=StoreLinks(self=path, logo=f"{path}/logo"),
    )


def settings_shown(version: Version, *, key: str, root_path: str) -> Response:
    """The answer with the settings."""
    model = store_model(key, version, root_path)
    return Response(model.model_dump_json(), 200, headers_of(version), "application/json")


def settings_gone(version: Version) -> Response:
    """The answer after something was taken away."""
    return Response(status_code=204, headers=headers_of(version))


def _logo(logo: bytes | None) -> LogoBody | None:
    if logo is None:
        return None
    return LogoBody(media_type=media_type(logo), bytes=len(logo), sha256=sha256(logo).hexdigest())


def _unknown(path: str) -> Response:
    return outcome_unknown(
        path,
        "The settings may have been changed. Get them: if they are what you wanted, they were. If not, that proves "
        "nothing yet: send the change again, its answer is certain.",
        what="store",
    )
