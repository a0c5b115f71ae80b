"""The server's verbs, each written once: what `SheafClient` and `AsyncSheafClient` do."""

import json
import secrets
import time
from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote
from uuid import UUID

import httpx

from app.client import answers
from app.client.answers import Export, Failure, ImportReport, ManifestItem
from app.client.checks import OrdersCheck, read_check
from app.client.downloading import Existing, RemoteArchive, describe, download, name_of
from app.client.errors import NotUnderstood, RequestRefused
from app.client.orders import Order, OrdersSummary, read_order, read_summary
from app.client.previews import Document, ExportPreview, read_export_preview
from app.client.selection import Selection
from app.client.settings import StoreSettings, Template, read_store, read_template
from app.client.transport import Call, Transport
from app.client.uploading import OnBytes, gzipped
from app.domain.lifecycle import JobState

_LONG_POLL: Final = 15.0
"""Seconds that one question waits for news: shorter than what proxies cut."""

_ALL_OF_STORE: Final = Selection()

_STORE: Final = "/v1/store"

_IMPORT_WITHIN: Final = 300.0
"""Seconds of silence that an import may need: the server stores the last batches before it answers."""


class Verbs:
    """Each call to a server as one owner, as a coroutine over the wire of its transport.

    `timeout` is how long an attempt may hear nothing; `patience` is the budget of one call, all attempts and pauses
    together; both in seconds.
    """

    def __init__(self, transport: Transport, *, timeout: float, patience: float) -> None:
        self._transport = transport
        self._timeout = timeout
        self._patience = patience

    @property
    def url(self) -> str:
        """The server's address."""
        return self._transport.url

    async def close(self) -> None:
        """Close the connections."""
        await self._transport.wire.shut()

    async def create_export(
        self,
        selection: Selection = _ALL_OF_STORE,
        *,
        document_type: str = "invoice",
        layout: str | None = None,
        pdf: str | None = None,
        sort: str | None = None,
        filename_pattern: str | None = None,
        key: str | None = None,
    ) -> Export:
        """Create an export, or find the one that this key has created before.

        The key is made before the first attempt, so that no repetition can make a second export.
        """
        body = _wanted(selection, document_type, layout=layout, pdf=pdf, sort=sort, filename_pattern=filename_pattern)
        return self._export(
            await self._post("/v1/exports", body, {"Idempotency-Key": key or secrets.token_urlsafe(16)})
        )

    async def preview_export(
        self,
        selection: Selection = _ALL_OF_STORE,
        *,
        document_type: str = "invoice",
        layout: str | None = None,
        pdf: str | None = None,
        sort: str | None = None,
        filename_pattern: str | None = None,
    ) -> ExportPreview:
        """What an export would hold, skip and fail if it were created now; nothing is created."""
        body = _wanted(selection, document_type, layout=layout, pdf=pdf, sort=sort, filename_pattern=filename_pattern)
        return read_export_preview(_object(await self._post("/v1/exports/preview", body)))

    async def preview_document(
        self,
        order_id: int | None,
        *,
        document_type: str = "invoice",
        refund_id: int | None = None,
        pdf: str | None = None,
        settings: Mapping[str, Any] | None = None,
    ) -> Document:
        """The document that an export would make of this order now; `refund_id` is for a credit note.

        Without an order it is of an invented one. With `settings`, a change as `change_store` takes it, it is as it
        would be if the store were changed so.
        """
        body: dict[str, Any] = {"document_type": document_type, "order_id": order_id}
        if refund_id is not None:
            body["refund_id"] = refund_id
        if pdf is not None:
            body["pdf"] = pdf
        if settings is not None:
            body["settings"] = dict(settings)
        return self._document(await self._post("/v1/documents/preview", body))

    async def get_export(self, export_id: UUID) -> Export:
        """The export as it stands."""
        return self._export(await self._send(Call("GET", _path(export_id), self._timeout)))

    async def list_exports(self, *, state: JobState | None = None) -> AsyncGenerator[Export, None]:
        """The owner's exports, newest first."""
        params = {} if state is None else {"state": state.value}
        async for document in self._items("/v1/exports", params):
            yield answers.read_export(document)

    async def wait(
        self,
        export_id: UUID,
        *,
        timeout: float | None = None,  # noqa: ASYNC109 - the library's raises, this one ends with what was last
        patience: float = 60.0,
    ) -> AsyncGenerator[Export, None]:
        """Each change of the export, the present state first; ends with the terminal state.

        After `timeout` seconds it ends with whatever was last: look at `is_active`. `patience` is how
        long the server may be away in between, as it is when it is restarted.
        """
        give_up_at = None if timeout is None else time.monotonic() + timeout
        etag = None
        while True:
            left = _LONG_POLL if give_up_at is None else min(_LONG_POLL, max(0.0, give_up_at - time.monotonic()))
            response = await self._look(_path(export_id), etag, wait=left, patience=patience)
            if response.status_code == httpx.codes.NOT_MODIFIED:
                # estimates and what it waits for change without a revision: look afresh
                etag = None
            else:
                etag = response.headers.get("etag")
                export = self._export(response)
                yield export
                if not export.is_active:
                    return
                if etag is None:
                    await self._transport.wire.sleep(1.0)  # a proxy took the revision away, so there is no long poll
            if give_up_at is not None and time.monotonic() >= give_up_at:
                return

    async def _look(self, path: str, etag: str | None, *, wait: float, patience: float) -> httpx.Response:
        headers = {}
        if etag is not None:
            headers = {"If-None-Match": etag, "Prefer": f"wait={max(1, round(wait))}"}
        return await self._transport.send(Call("GET", path, self._timeout + wait, headers=headers), patience=patience)

    async def cancel(self, export_id: UUID) -> Export:
        """Ask the export to stop; it may be `cancelling` still."""
        return self._export(await self._send(Call("POST", f"{_path(export_id)}/cancel", self._timeout)))

    async def retry_export(self, export_id: UUID, *, key: str | None = None) -> Export:
        """Create an export of what an ended one has no document of, or find the one that this key has created."""
        headers = {"Idempotency-Key": key or secrets.token_urlsafe(16)}
        return self._export(await self._send(Call("POST", f"{_path(export_id)}/retry", self._timeout, headers=headers)))

    async def delete_export(self, export_id: UUID) -> None:
        """Delete an export that has ended, with its archive."""
        # looked for first: one that is not there is refused here, so that below it means done
        await self.get_export(export_id)
        try:
            await self._send(Call("DELETE", _path(export_id), self._timeout))
        except RequestRefused as refused:
            # an attempt whose answer was lost has done it
            if refused.status != httpx.codes.NOT_FOUND:
                raise

    async def failures(self, export_id: UUID, *, page: int = 100) -> AsyncGenerator[Failure, None]:
        """The items that failed or were skipped, fetched in pages as they are asked for."""
        async for document in self._items(f"{_path(export_id)}/failures", {"limit": page}):
            yield answers.read_failure(document)

    async def manifest(self, export_id: UUID, *, page: int = 1000) -> AsyncGenerator[ManifestItem, None]:
        """Every item, fetched in pages as they are asked for."""
        async for document in self._items(f"{_path(export_id)}/manifest", {"limit": page}):
            yield answers.read_manifest_item(document)

    async def describe_archive(self, export_id: UUID) -> RemoteArchive:
        """The finished archive's name, size and digest."""
        path = f"{_path(export_id)}/archive"
        found = await describe(self._transport, path, silence=self._timeout, patience=self._patience)
        if found.sha256:
            return found
        known = (await self.get_export(export_id)).archive
        if known is None:
            raise NotUnderstood("The server does not say what the archive's SHA-256 is.")
        return replace(found, sha256=known.sha256)

    async def download(
        self,
        export_id: UUID,
        target: Path,
        *,
        existing: Existing = Existing.KEEP,
        on_bytes: OnBytes | None = None,
        patience: float | None = None,
    ) -> Path:
        """Fetch the archive to `target`, which exists only when it is whole and its digest is right.

        A download that was cut goes on where it stood, in this call or in a later one, from
        `target.part`. `patience` is how many seconds nothing may come before it is given up; by default that of every
        call. Raises `DownloadRefused` or `ArchiveDamaged` beside what every call raises.
        """
        archive = await self.describe_archive(export_id)
        return await download(
            self._transport,
            f"{_path(export_id)}/archive",
            archive,
            target,
            existing=existing,
            on_bytes=on_bytes,
            silence=self._timeout,
            patience=self._patience if patience is None else patience,
        )

    async def list_orders(self, *, statuses: Sequence[str] = ()) -> AsyncGenerator[Order, None]:
        """The store's orders, newest first, fetched in pages as they are asked for."""
        async for document in self._items("/v1/orders", {"status": list(statuses)} if statuses else {}):
            yield read_order(document)

    async def summarize_orders(self) -> OrdersSummary:
        """How many orders the store holds, by status."""
        return read_summary(_object(await self._send(Call("GET", "/v1/orders/summary", self._timeout))))

    async def check_orders(
        self, selection: Selection = _ALL_OF_STORE, *, page: int = 100
    ) -> AsyncGenerator[OrdersCheck, None]:
        """What the orders lack for e-invoices, `page` orders at a time, fetched as they are asked for."""
        body: dict[str, Any] = {"selection": selection.to_body(), "limit": page}
        while True:
            document = _object(await self._post("/v1/orders/check", body))
            yield read_check(document)
            if document.get("next") is None:
                return
            body["cursor"] = document["next"]

    async def import_orders(self, file: Path, *, on_bytes: OnBytes | None = None) -> ImportReport:
        """Send a JSON or NDJSON file, plain or gzip; sending it again is harmless.

        `on_bytes` is told how much of the file has been sent, and its size.
        """
        headers = {"Content-Type": "application/json", "Content-Encoding": "gzip"}
        call = Call(
            "POST",
            "/v1/orders/import",
            _IMPORT_WITHIN,
            headers=headers,
            content=lambda: gzipped(file, on_bytes),
            has_deadline=False,
        )
        return answers.read_import_report(_object(await self._send(call)))

    async def get_store(self) -> StoreSettings:
        """What stands on every document of the owner's store."""
        return read_store(_object(await self._send(Call("GET", _STORE, self._timeout))))

    async def change_store(self, changes: Mapping[str, Any], *, version: int | None = None) -> StoreSettings:
        """Change what is named, as a JSON merge patch: None takes away, lists are replaced whole.

        With `version` nothing is changed unless the settings are at it: else `RequestRefused` with the code
        `precondition_failed`, and so it is if the answer of the attempt that changed them was lost.
        """
        content = json.dumps(changes).encode()
        return await self._changed("PATCH", _STORE, content, "application/merge-patch+json", version)

    async def set_logo(self, picture: bytes, *, version: int | None = None) -> StoreSettings:
        """Put a PNG or JPEG at the top of every document; `version` as for `change_store`."""
        media_type = "image/png" if picture.startswith(b"\x89PNG") else "image/jpeg"
        return await self._changed("PUT", f"{_STORE}/logo", picture, media_type, version)

    async def remove_logo(self) -> None:
        """Take the logo away; it is no error if there is none."""
        await self._send(Call("DELETE", f"{_STORE}/logo", self._timeout))

    async def get_template(self, document_type: str) -> Template:
        """The store's own layout of a type, and ours to begin with."""
        return read_template(_object(await self._send(Call("GET", _template(document_type), self._timeout))))

    async def set_template(
        self, document_type: str, *, template: str | None = None, style: str | None = None, version: int | None = None
    ) -> StoreSettings:
        """Lay a type out by a Jinja template, by CSS rules that come after ours, or both; what is None is ours.

        The server tries it on a sample order first: `RequestRefused` with the code `invalid_request` names what is
        wrong. `version` as for `change_store`.
        """
        content = json.dumps({"template": template, "style": style}).encode()
        return await self._changed("PUT", _template(document_type), content, "application/json", version)

    async def preview_template(
        self, document_type: str, *, template: str | None = None, style: str | None = None
    ) -> Document:
        """The sample order's document by a template and a style; nothing is kept."""
        body = {"template": template, "style": style}
        return self._document(await self._post(f"{_template(document_type)}/preview", body))

    async def reset_template(self, document_type: str) -> None:
        """Go back to our layout of a type; it is no error if it is ours already."""
        await self._send(Call("DELETE", _template(document_type), self._timeout))

    async def _changed(
        self, method: str, path: str, content: bytes, media_type: str, version: int | None
    ) -> StoreSettings:
        headers = {"Content-Type": media_type} | ({} if version is None else {"If-Match": f'"{version}"'})
        call = Call(method, path, self._timeout, headers=headers, content=lambda: content)
        return read_store(_object(await self._send(call)))

    async def _post(self, path: str, body: dict[str, Any], headers: dict[str, str] | None = None) -> httpx.Response:
        content = json.dumps(body).encode()
        sent = {"Content-Type": "application/json", **(headers or {})}
        return await self._send(Call("POST", path, self._timeout, headers=sent, content=lambda: content))

    async def _send(self, call: Call) -> httpx.Response:
        return await self._transport.send(call, patience=self._patience)

    async def _items(self, path: str, params: dict[str, Any]) -> AsyncGenerator[dict[str, Any], None]:
        page = _object(await self._send(Call("GET", path, self._timeout, params=params)))
        while True:
            for item in page["items"]:
                yield item
            following = page.get("next")
            if following is None:
                return
            # only the cursor is taken from the link: where the server lives is ours to say
            cursor = httpx.URL(following).params
            page = _object(await self._send(Call("GET", path, self._timeout, params=dict(cursor))))

    def _document(self, response: httpx.Response) -> Document:
        if response.headers.get("content-type") != "application/pdf":
            raise NotUnderstood(f"{self.url} did not answer with a PDF: is it Sheaf?")
        return Document(name_of(response.headers, "document", ending=".pdf"), response.content)

    def _export(self, response: httpx.Response) -> Export:
        return answers.read_export(_object(response))


def _wanted(selection: Selection, document_type: str, **choices: str | None) -> dict[str, Any]:
    """The body of a create or preview, without what is left to the server."""
    chosen = {name: value for name, value in choices.items() if value is not None}
    return {"document_type": document_type, "selection": selection.to_body(), **chosen}


def _path(export_id: UUID) -> str:
    return f"/v1/exports/{export_id}"


def _template(document_type: str) -> str:
    return f"{_STORE}/templates/{quote(document_type, safe='')}"


def _object(response: httpx.Response) -> dict[str, Any]:
    try:
        found = response.json()
    except ValueError:
        found = None
    if not isinstance(found, dict):
        raise NotUnderstood(f"{response.url.copy_with(query=None)} did not answer with a JSON object: is it Sheaf?")
    return found
