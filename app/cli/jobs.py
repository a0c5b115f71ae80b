"""`sheaf jobs …`: an operator's view of everybody's exports, and the two verbs that resolve what is stuck."""

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated
from uuid import UUID

import typer

from app.cli.answering import Json, JsonLines
from app.cli.failing import Exit, Refused
from app.cli.targets import DataOption, read_settings, target_database
from app.domain.lifecycle import ACTIVE, JobState

app = typer.Typer()


def _id(text: str) -> UUID:
    try:
        return UUID(text)
    except ValueError:
        raise typer.BadParameter(f"`{text}` is no export's id. See: sheaf jobs list") from None


Id = Annotated[UUID, typer.Argument(parser=_id, metavar="ID", help="The export's id.")]


@app.command("list")
def list_(
    state: Annotated[
        list[JobState] | None, typer.Option(help="Exports in this state; may be repeated. By default the active ones.")
    ] = None,
    store: Annotated[str | None, typer.Option(help="Only this store's, by its key.")] = None,
    owner: Annotated[str | None, typer.Option(help="Only this owner's.")] = None,
    stuck: Annotated[bool, typer.Option("--stuck", help="Only those that need somebody.")] = False,
    limit: Annotated[int, typer.Option(min=1, help="At most so many, the oldest first.")] = 200,
    as_json: JsonLines = False,
    data: DataOption = None,
) -> None:
    """List exports with their state, their age, and what keeps them."""
    from app.cli.surveys import as_document, table
    from app.exports.surveying import survey

    with target_database(data) as database, database.reading() as tx:
        found = survey(
            tx,
            states=state or ACTIVE,
            store=store,
            owner=owner,
            limit=limit,
            cancel_grace=read_settings().cancel_grace_seconds,
        )
    shown = [one for one in found if one.is_stuck or not stuck]
    if as_json:
        for one in shown:
            typer.echo(json.dumps(as_document(one), ensure_ascii=False))
        return
    for line in table(shown, is_terminal=sys.stdout.isatty()):
        typer.echo(line)
    if not shown:
        typer.echo("No export is stuck." if stuck else "There is none.", err=True)


@app.command()
def show(job_id: Id, as_json: Json = False, data: DataOption = None) -> None:
    """Show all of an export: its steps, who holds them, its strikes, and in plain sentences what keeps it."""
    from app.cli.surveys import examined_document, report
    from app.exports.surveying import examine

    with target_database(data) as database, database.reading() as tx:
        found = examine(tx, job_id, cancel_grace=read_settings().cancel_grace_seconds)
    if found is None:
        raise _unknown(job_id)
    if as_json:
        typer.echo(json.dumps(examined_document(found), ensure_ascii=False))
        return
    for line in report(found):
        typer.echo(line)


@app.command()
def fail(
    job_id: Id,
    reason: Annotated[str, typer.Option(help="What its owner is told; one line.")],
    as_json: Json = False,
    data: DataOption = None,
) -> None:
    """End an active export as failed, at once, whoever works on it. One that is being cancelled ends as cancelled."""
    from app.exports import operating
    from app.exports.operating import Ending

    note = reason.strip()
    if not 1 <= len(note) <= 200 or not note.isprintable():
        raise Refused("--reason takes one line of 1 to 200 printable characters.", exit_code=Exit.USAGE)
    with target_database(data) as database, _explained(job_id), database.transaction() as tx:
        ending = operating.fail(tx, job_id, note=note)
    sentence = {
        Ending.FAILED: f"Export {job_id} has failed. Its owner reads: An operator ended this export: {note}",
        Ending.FAILED_BEFORE: f"Export {job_id} was failed by an operator before; nothing is changed.",
        Ending.CANCELLED: f"Export {job_id} was being cancelled: it has ended as cancelled, as its owner was promised.",
    }[ending]
    state = JobState.CANCELLED if ending is Ending.CANCELLED else JobState.FAILED
    typer.echo(json.dumps({"id": str(job_id), "state": state, "ending": ending}) if as_json else sentence)


@app.command()
def release(
    job_id: Id,
    step: Annotated[
        int | None,
        typer.Option(
            metavar="STEP", help="Only this step, by the id that `show` tells, even from a holder that lives."
        ),
    ] = None,
    as_json: Json = False,
    data: DataOption = None,
) -> None:
    """Let an export's steps be claimed now: waits end, and steps of dead or frozen holders are handed back."""
    from app.exports import operating

    with target_database(data) as database, _explained(job_id, step), database.transaction() as tx:
        released = operating.release(tx, job_id) if step is None else operating.release_step(tx, job_id, step)
    if as_json:
        typer.echo(json.dumps({"id": str(job_id), "waits_ended": released.waits, "taken": list(released.taken)}))
        return
    parts = []
    if released.waits:
        parts.append(f"{released.waits} waiting, which may be claimed now")
    if released.taken:
        parts.append(f"{', '.join(map(str, released.taken))} taken from lost or stuck holders, who can write no more")
    typer.echo(f"Export {job_id}: steps {'; '.join(parts)}." if parts else f"Export {job_id}: nothing to release.")


@contextmanager
def _explained(job_id: UUID, step: int | None = None) -> Iterator[None]:
    """Turn what the verbs refuse into lines that say what to do instead."""
    from app.exports.operating import CancelUnderway, UnknownJob, UnknownStep
    from app.exports.request import AlreadyFinished

    try:
        yield
    except UnknownJob:
        raise _unknown(job_id) from None
    except UnknownStep:
        raise Refused(f"Export {job_id} has no step {step}. See: sheaf jobs show {job_id}") from None
    except AlreadyFinished as finished:
        raise Refused(f"Export {job_id} is {finished.state}; what has ended stays as it is.") from None
    except CancelUnderway:
        raise Refused(
            f"Export {job_id} is being cancelled: nothing of it is worked on any more. "
            f"End the cancel now with: sheaf jobs fail {job_id} --reason …"
        ) from None


def _unknown(job_id: UUID) -> Refused:
    return Refused(f"There is no export {job_id}. See: sheaf jobs list")
