"""The README is true: its diagram, its settings and its codes are those of the code."""

import re
from math import isinf
from pathlib import Path

from prometheus_client import CollectorRegistry

from app.api.deadlines import Policies
from app.deadline.policy import Kind
from app.deadline.prometheus import PrometheusSignals
from app.domain.codes import ItemCode, JobFailure, Problem
from app.domain.document_type import NO_SALE, NOT_OWED, DocumentType
from app.domain.lifecycle import TRANSITIONS, JobState
from app.settings import Settings
from worker.metrics import WorkerSignals

README = (Path(__file__).parents[1] / "README.md").read_text()


def section(name: str) -> str:
    """What stands between the two marks of a section."""
    found = re.search(rf"<!-- {name} -->\n(.*?)\n<!-- /{name} -->", README, flags=re.DOTALL)
    assert found is not None, name
    return found[1]


def diagram() -> str:
    """The state diagram that `TRANSITIONS` describes."""
    arrows = [
        f"    {source} --> {transition.target}: {event.value.replace('_', ' ')}"
        for event, transition in TRANSITIONS.items()
        for source in JobState
        if source in transition.sources
    ]
    ends = [f"    {state} --> [*]" for state in JobState if state.is_terminal]
    return "\n".join(["```mermaid", "stateDiagram-v2", "    [*] --> queued", *arrows, *ends, "```"])


def settings_table() -> str:
    """Every setting with its default and its reason."""
    rows = ["| variable | default | what it is |", "|---|---|---|"]
    for name, field in Settings.model_fields.items():
        if field.default_factory is not None:
            default = {"worker_slots": "the cores", "worker_name": "the host's name"}[name]
        else:
            default = (
                ""
                if field.default in (None, "")
                else f"{field.default:g}"
                if isinstance(field.default, float)
                else str(field.default)
            )
        rows.append(f"| `SHEAF_{name.upper()}` | {default} | {field.description} |")
    return "\n".join(rows)


def problems_table() -> str:
    """Every problem code with its status and what to do."""
    rows = ["| code | status | what it means | what to do |", "|---|---|---|---|"]
    rows += [f"| `{problem.code}` | {problem.status} | {problem.title} | {problem.hint} |" for problem in Problem]
    return "\n".join(rows)


STATUSES = (
    ("`processing`, `on-hold`, `completed`, any of the shop's own", ("processing", "on-hold", "completed", "own")),
    ("`pending`", ("pending",)),
    ("`refunded`", ("refunded",)),
    ("`failed`, `cancelled`, `trash`, `draft`, `auto-draft`, `checkout-draft`", NO_SALE),
)
"""Statuses as an owner reads them, of which each row is treated alike."""


MADE = {
    DocumentType.INVOICE: "one",
    DocumentType.PACKING_SLIP: "one",
    DocumentType.CREDIT_NOTE: "one per refund",
    DocumentType.RECEIPT: "one if paid, else `not_paid`",
}


def policy_table() -> str:
    """Which order is owed which document by itself, from the table that planning looks into."""
    rows = [f"| status | {' | '.join(f'`{kind}`' for kind in DocumentType)} |", "|---" * (len(DocumentType) + 1) + "|"]
    for name, statuses in STATUSES:
        cells = []
        for kind, rule in NOT_OWED.items():
            (is_skipped,) = {status in rule.statuses for status in statuses}
            cells.append(f"`{rule.code}`" if is_skipped else MADE[kind])
        rows.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(rows)


def deadlines_table() -> str:
    """What each call may take, from the table that the API itself looks into."""
    rows = ["| call | longest | least | kept | caps | priority |", "|---|---|---|---|---|---|"]
    for name, row in Policies(request_seconds=Settings.model_fields["request_seconds"].default).rows():
        longest = "none" if isinf(row.maximum) else f"{row.maximum:g}"
        longest += {Kind.CALL: "", Kind.UPLOAD: " (upload)", Kind.STREAM: " (until it begins)"}[row.kind]
        caps = ", ".join(f"{dependency} {seconds:g}" for dependency, seconds in row.caps.items())
        rows.append(
            f"| `{name}` | {longest} | {row.minimum:g} | {row.reserve:g} | {caps} | {row.priority.name.lower()} |"
        )
    return "\n".join(rows)


def test_the_state_diagram_is_the_table_of_transitions():
    assert section("states") == diagram()


def test_the_settings_are_all_told():
    assert section("settings") == settings_table()


def test_what_each_call_may_take_is_told():
    assert section("deadlines") == deadlines_table()


def test_which_orders_get_which_document_is_told():
    assert section("policy") == policy_table()


def test_every_signal_is_told_to_operators():
    of_the_api = PrometheusSignals(CollectorRegistry(), prefix="sheaf_")
    of_workers = WorkerSignals(CollectorRegistry())
    told = README[README.index("### What to watch") : README.index("### Settings")]

    metrics = (*vars(of_the_api).values(), *vars(of_workers).values())
    missing = [name for metric in metrics if (name := getattr(metric, "_name", None)) and name not in told]

    assert missing == []


def test_the_problem_codes_are_all_told():
    assert section("problems") == problems_table()


def test_the_codes_of_items_and_failed_exports_are_all_told():
    missing = [code for code in (*ItemCode, *JobFailure) if f"`{code}`" not in README]

    assert missing == []


def test_the_two_commands_stand_first():
    commands = re.findall(r"^(?:sudo apt-get|git|make) .*$", README, flags=re.MULTILINE)

    assert "git make" in commands[0]
    assert [command for command in commands if command.startswith("make")][:2] == ["make demo", "make test"]
