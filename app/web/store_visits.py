"""A visit to the store's form: what was typed, what is wrong with it, and what would become of the settings."""

from base64 import b64decode, b64encode
from binascii import Error as NoBase64
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

from fastapi import Request

from app.api.services import Services
from app.documents.logo import MAX_BYTES, LogoRefused, checked_logo, media_type
from app.documents.settings import changed, refusals
from app.domain.store_settings import StoreSettings
from app.web.forms import Form
from app.web.store_forms import StoreForm, typed_in
from app.web.uploads import form_with_files

_MOST: Final = 3 * MAX_BYTES
"""Bytes of a form: a logo that was chosen now, another that was chosen before, in base64, and some text."""


@dataclass(frozen=True)
class Typed:
    """What stands in the form."""

    form: StoreForm
    version: int
    """Of the settings that the form was opened with; 0 for none of them."""
    logo: bytes | None = None
    """Chosen and not yet saved."""
    removes_logo: bool = False
    refusals: Sequence[tuple[str, str]] = ()
    """Fields, and what each of them takes."""
    preview_type: str = ""
    preview_order: str = ""
    """The shop's id; anything else is the invented order."""

    @property
    def logo_kept(self) -> str:
        """The chosen logo as text, so that the form has it when it comes again."""
        return "" if self.logo is None else b64encode(self.logo).decode()

    @property
    def logo_address(self) -> str:
        """The chosen logo as an address that a page can show."""
        return "" if self.logo is None else f"data:{media_type(self.logo)};base64,{self.logo_kept}"

    def apply(self, settings: StoreSettings) -> StoreSettings:
        """The settings as they would be; raises `SettingRefused`."""
        new = changed(settings, self.form.changes())
        if self.logo is not None:
            return replace(new, logo=self.logo)
        return replace(new, logo=None) if self.removes_logo else new


async def typed_of(request: Request, services: Services) -> Typed:
    """What was sent; raises problems for a form that is none of ours."""
    form, files = await form_with_files(request, at_most=_MOST, idle=services.limits.import_idle)
    typed = typed_in(form)
    refused = [(one.field, one.reason) for one in refusals(typed.changes())]
    logo, reason = await _logo(services, form, files)
    if reason is not None:
        refused.append(("logo", reason))
    number = form.get("version")
    return Typed(
        form=typed,
        version=int(number) if number.isascii() and number.isdigit() and len(number) < 10 else 0,
        logo=logo,
        removes_logo=bool(form.get("remove_logo")),
        refusals=refused,
        preview_type=form.get("preview_type"),
        preview_order=form.get("preview_order"),
    )


async def _logo(services: Services, form: Form, files: Mapping[str, bytes]) -> tuple[bytes | None, str | None]:
    """The logo that was chosen, now or before, and why it is none."""
    data = files.get("logo")
    if data is None:
        try:
            data = b64decode(form.get("logo_kept"), validate=True)
        except NoBase64:
            data = b""
    if not data:
        return None, None
    try:
        return await services.threads.run(partial(checked_logo, data)), None
    except LogoRefused as refused:
        return None, str(refused)
