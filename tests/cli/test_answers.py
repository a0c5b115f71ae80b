"""Every command answers programs too, and every error names what helps."""

import json

import typer
from pypdf import PdfReader

from app.cli.main import app
from tests.cli.running import Running, sheaf, small_order
from tests.cli.test_administration import PICTURE
from tests.client.awkward import Behaviour, proxy

FOR_PEOPLE = {"serve", "api", "worker", "demo"}
"""Commands that run until they are ended, and the one that is a show."""


def commands(group: typer.Typer, path: tuple[str, ...] = ()):
    """Every command with its place."""
    found = typer.main.get_command(group)
    pending = [((*path, name), command) for name, command in found.commands.items()]
    while pending:
        place, command = pending.pop()
        if hasattr(command, "commands"):
            pending += [((*place, name), one) for name, one in command.commands.items()]
        else:
            yield place, command


def test_every_command_but_those_for_people_has_json():
    without = {
        " ".join(place)
        for place, command in commands(app)
        if not any("--json" in parameter.opts for parameter in command.params)
    }

    assert without == FOR_PEOPLE


def test_every_command_that_asks_a_server_takes_a_timeout():
    without = {
        " ".join(place)
        for place, command in commands(app)
        if any("--url" in parameter.opts for parameter in command.params)
        and not any("--timeout" in parameter.opts for parameter in command.params)
    }

    # a file takes as long as it takes
    assert without == {"orders upload"}


def test_errors_are_one_problem_on_standard_error_for_programs(server: Running):
    owner = server.owner("few")
    stranger = owner.export("list", "--json", SHEAF_TOKEN="sheaf_wrong")
    wrong = owner.export("create", "--from", "soon", "--to", "later", "--json")
    away = owner.export("list", "--json", "--timeout", "0.3", SHEAF_URL="http://127.0.0.1:9")
    usage = owner.export("list", "--limit", "none", "--json")
    local = sheaf("stores", "show", "absent", "--json", "--data", str(server.folder))

    told = [json.loads(done.err) for done in (stranger, wrong, away, usage, local)]

    assert [done.out for done in (stranger, wrong, away, usage, local)] == [""] * 5
    assert [done.code for done in (stranger, wrong, away, usage, local)] == [7, 7, 1, 2, 1]
    assert [one["exit_code"] for one in told] == [7, 7, 1, 2, 1]
    assert [one["code"] for one in told] == ["unauthenticated", "invalid_request", "error", "usage", "error"]
    assert (told[0]["status"], told[0]["type"]) == (401, "about:blank")
    assert told[1]["errors"][0]["field"] == "selection.created.from"
    assert "does not answer" in told[2]["text"]
    assert "--limit" in told[3]["text"]


def test_the_time_given_is_the_time_that_all_attempts_have_and_the_server_is_told(server: Running):
    owner = server.owner("few")
    with proxy(owner.url, Behaviour(cut_after=0)) as between:
        done = owner.export("create", "--timeout", "3", SHEAF_URL=between.url)

    told = [dict(line.partition(": ")[::2] for line in head.splitlines()[1:]) for head in between.heads]
    assert done.code == 1
    assert 0 < int(told[0]["connect-timeout-ms"]) <= 3000
    (key,) = {one["idempotency-key"] for one in told}
    assert "It may have been created all the same. Asking again with --key" in done.err
    assert key in done.err.lower()


def test_the_shell_completes_commands_states_and_the_owners_exports(server: Running):
    owner = server.owner("few")
    export_id = owner.export("create", "--order-id", "1", "--wait").out.split()[1]

    def completed(words: str) -> str:
        words = f"sheaf {words}"
        asked = {"_SHEAF_COMPLETE": "complete_bash", "COMP_WORDS": words, "COMP_CWORD": str(words.count(" "))}
        return sheaf(environment={**owner.environment, **asked}).out

    assert export_id in completed("export status ")
    assert "completed" in completed("export list --state comp")


def test_the_owners_orders_are_sent_listed_and_counted(server: Running, tmp_path):
    owner, file, broken = server.owner("sent"), tmp_path / "orders.json", tmp_path / "broken.json"
    file.write_text(json.dumps([small_order(1), small_order(2, status="pending"), {"id": None}]))
    broken.write_text(json.dumps([small_order(3)])[:-1] + ", {oops}]")

    sent = sheaf("orders", "upload", str(file), environment=owner.environment)
    cut = sheaf("orders", "upload", str(broken), "--json", environment=owner.environment)
    listed = sheaf("orders", "list", "--status", "completed", environment=owner.environment)
    rows = sheaf("orders", "list", "--json", environment=owner.environment)
    counted = sheaf("orders", "summary", environment=owner.environment)

    assert (sent.code, sent.out) == (3, f"{file}: 2 new, 0 changed, 0 unchanged, 0 stale, 1 rejected\n")
    assert "line 1" in sent.err
    assert (cut.code, json.loads(cut.out)["new"], cut.err) == (1, 1, "")
    assert "column" in json.loads(cut.out)["fault"]
    assert [line.split()[:4] for line in listed.out.splitlines()] == [
        ["3", "N-3", "2026-07-04", "completed"],
        ["1", "N-1", "2026-07-02", "completed"],
    ]
    assert [json.loads(row)["order_id"] for row in rows.out.splitlines()] == [3, 2, 1]
    assert counted.out.splitlines()[:2] == ["3 orders, 0 refunds", "         2  completed"]


def test_who_may_sets_the_store_from_anywhere(server: Running):
    folder = ("--data", str(server.folder))
    made = sheaf("tokens", "create", "--owner", "fay", "--store", "ours", "--settings", "--json", *folder)
    environment = {"SHEAF_URL": server.url, "SHEAF_TOKEN": json.loads(made.out)["token"]}

    changed = sheaf(
        "store",
        "set",
        "--name",
        "Ours",
        "--tax-id",
        "VAT no.=GB 1",
        "--logo",
        PICTURE,
        "--missing-glyphs",
        "fail",
        environment=environment,
    )
    stale = sheaf("store", "set", "--accent", "", "--if-version", "1", environment=environment)
    bare = sheaf("store", "set", "--tax-id", "", "--no-logo", "--json", environment=environment)
    without = sheaf("tokens", "create", "--owner", "guy", "--store", "ours", *folder).out.strip()
    reader = sheaf("store", "set", "--name", "Mine", environment={**environment, "SHEAF_TOKEN": without})

    assert changed.code == 0
    assert "tax ids         VAT no. GB 1\n" in changed.out
    assert "logo            image/png, " in changed.out
    assert "missing glyphs  fail\n" in changed.out
    assert (stale.code, "precondition_failed" in stale.err, "sheaf store show" in stale.err) == (7, True, True)
    found = json.loads(bare.out)
    assert (found["name"], found["tax_ids"], found["logo"]) == ("Ours", [], None)
    assert (reader.code, "right_missing" in reader.err) == (7, True)


def test_how_the_store_looks_can_be_tried_from_anywhere_before_it_is_changed(server: Running, tmp_path):
    folder = ("--data", str(server.folder))
    made = sheaf("tokens", "create", "--owner", "hal", "--store", "looks", "--settings", "--json", *folder)
    environment = {"SHEAF_URL": server.url, "SHEAF_TOKEN": json.loads(made.out)["token"]}
    style, wrong = tmp_path / "style.css", tmp_path / "wrong.html"
    style.write_text("h1 { letter-spacing: 0.05em }")
    wrong.write_text("{% for %}")
    settings, template = tmp_path / "settings.pdf", tmp_path / "template.pdf"

    def store(*words):
        return sheaf("store", *words, environment=environment)

    tried = store("set", "--name", "Hal & Sons", "--preview", str(settings))
    again = store("set", "--name", "Hal & Sons", "--preview", str(settings))
    laid_out = store("template", "set", "receipt", "--style", str(style), "--preview", str(template), "--json")
    before = json.loads(store("show", "--json").out)
    refused = store("template", "set", "receipt", "--template", str(wrong))
    kept = store("template", "set", "receipt", "--style", str(style), "--json")
    shown = store("template", "show", "receipt", "--style")
    back = store("template", "reset", "receipt")
    ours = json.loads(store("template", "show", "receipt", "--json").out)

    assert (tried.code, "Hal & Sons" in PdfReader(settings).pages[0].extract_text()) == (0, True)
    assert (again.code, "exists" in again.err) == (1, True)
    assert (laid_out.code, json.loads(laid_out.out)["bytes"]) == (0, template.stat().st_size)
    assert (before["version"], before["name"], before["templates"]) == (1, "looks", [])
    assert (refused.code, "line 1" in refused.err) == (7, True)
    assert json.loads(kept.out) == {"document_type": "receipt", "changed": True, "version": 2}
    assert shown.out == style.read_text()
    assert (back.code, "version 3" in back.err) == (0, True)
    assert (ours["style"], "<html" in ours["template"] or "{%" in ours["template"]) == ("", True)
