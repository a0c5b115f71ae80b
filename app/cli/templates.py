"""`sheaf stores template …`: a store's own layout of one type of document."""

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from app.cli.answering import Json, put
from app.cli.failing import Refused
from app.cli.stores import Key, known_store
from app.cli.targets import DataOption, settings_for, target_database
from app.domain.document_type import DocumentType

if TYPE_CHECKING:
    from app.domain.store_settings import OwnTemplate, StoreSettings

app = typer.Typer()

Type = Annotated[DocumentType, typer.Argument(help="The type of document.")]
Style = Annotated[bool, typer.Option("--style", help="Its own style sheet instead.")]
TemplateFile = Annotated[
    Path | None, typer.Option("--template", exists=True, dir_okay=False, help="Jinja file; without it it is ours.")
]
StyleFile = Annotated[
    Path | None, typer.Option("--style", exists=True, dir_okay=False, help="CSS file whose rules come after ours.")
]


@app.command()
def show(
    key: Key,
    document_type: Type,
    style: Style = False,
    as_json: Json = False,
    data: DataOption = None,
) -> None:
    """Print the store's own template, or ours where it has none: something to begin with."""
    from app.database.settings import settings_of
    from app.documents.ours import template_of

    with target_database(data) as database, database.reading() as tx:
        own = settings_of(known_store(tx, key)).template_of(document_type)
    if as_json:
        html = own.html if own is not None and own.html else template_of(document_type)
        put({"store": key, "document_type": document_type, "template": html, "style": own.css if own else ""})
    elif style:
        typer.echo("" if own is None else own.css, nl=False)
    else:
        typer.echo(own.html if own is not None and own.html else template_of(document_type), nl=False)


@app.command("set")
def set_(
    key: Key,
    document_type: Type,
    template: TemplateFile = None,
    style: StyleFile = None,
    output: Annotated[
        Path | None, typer.Option(dir_okay=False, help="Where to write the sample order's document.")
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Try it on the sample order and change nothing.")] = False,
    as_json: Json = False,
    data: DataOption = None,
) -> None:
    """Try a template and a style on a sample order and, if a document comes of it, keep them as a new version."""
    from app.database.settings import change_settings, settings_of
    from app.domain.store_settings import OwnTemplate

    if template is None and style is None:
        raise Refused("Nothing to set: name a --template, a --style, or both.")
    own = OwnTemplate(document_type, text_of(template), text_of(style))
    with target_database(data) as database:
        with database.reading() as tx:
            settings = settings_of(known_store(tx, key))
        pdf = _tried(settings, own, data)
        if output is not None:
            output.write_bytes(pdf)
        if dry_run:
            if as_json:
                put({"store": key, "document_type": document_type, "changed": False})
            else:
                typer.echo("A document came of it. Nothing was changed.", err=True)
            return
        with database.transaction() as tx:
            store = known_store(tx, key)
            version = change_settings(tx, store.id, lambda before: before.with_template(own), changed_by=None)
    _tell(key, document_type, version.number, as_json=as_json)


@app.command()
def reset(key: Key, document_type: Type, as_json: Json = False, data: DataOption = None) -> None:
    """Go back to our template and our style, as a new version."""
    from app.database.settings import change_settings

    with target_database(data) as database, database.transaction() as tx:
        store = known_store(tx, key)
        version = change_settings(tx, store.id, lambda before: before.without_template(document_type), changed_by=None)
    _tell(key, document_type, version.number, as_json=as_json)


def _tell(key: str, document_type: DocumentType, number: int, *, as_json: bool) -> None:
    if as_json:
        put({"store": key, "document_type": document_type, "changed": True, "version": number})
    else:
        typer.echo(f"Store `{key}` is at version {number}.", err=True)


def _tried(settings: "StoreSettings", own: "OwnTemplate", data: Path | None) -> bytes:
    from app.documents.errors import RendererUnavailable
    from app.documents.own import OwnTemplateFailed
    from app.documents.pool import RendererPool
    from app.documents.trial import TIME_LIMIT, tried

    pool = RendererPool(
        workers=1,
        time_limit=TIME_LIMIT,
        memory_limit=settings_for(data).render_memory_mib << 20,
        documents_per_child=1,
    )
    try:
        return tried(settings, own, partial(pool.call, time_limit=TIME_LIMIT)).pdf
    except OwnTemplateFailed as failed:
        raise Refused(f"Nothing was changed: {failed}.") from None
    except RendererUnavailable:
        raise Refused("Nothing was changed: no renderer can be started here. See: sheaf doctor") from None
    finally:
        pool.close()


def text_of(file: Path | None) -> str:
    """The text of a file, empty without one; raises `Refused` if it is none."""
    try:
        return "" if file is None else file.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise Refused(f"{file} is no UTF-8 text.") from None
