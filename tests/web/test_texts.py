"""The catalogue has a sentence for every word of the domain, and what the console says is nowhere else."""

import ast
import json
import re
from html.parser import HTMLParser

import pytest

from app.domain.codes import FAILURE_SENTENCES, ItemCode, Problem, WaitingFor
from app.domain.document_type import DocumentType
from app.domain.lifecycle import JobState
from app.web.texts import Texts
from tests.installation import ROOT


def test_every_word_of_the_domain_is_told():
    keys = [f"state.{one}" for one in JobState]
    keys += [f"doing.{one}" for one in JobState if one is not JobState.FAILED]
    keys += [f"{kind}.{one}" for kind in ("item", "do") for one in ItemCode]
    keys += [f"waiting.{one}" for one in WaitingFor] + [f"type.{one}" for one in DocumentType]

    assert [key for key in keys if key not in Texts("en")] == []


def test_problems_and_failures_are_told_as_the_api_tells_them():
    told = json.loads((WEB / "texts" / "en.json").read_text())

    assert {f"failed.{code}": sentence for code, sentence in FAILURE_SENTENCES.items()}.items() <= told.items()
    assert {f"answer.{one.code}": one.title for one in Problem}.items() <= told.items()
    assert {f"answer.{one.code}.do": one.hint for one in Problem}.items() <= told.items()


WEB = ROOT / "app" / "web"
TEMPLATES = sorted((WEB / "templates").glob("*.html"))
MODULES = sorted(WEB.rglob("*.py"))
SAID = {"aria-label", "alt", "title", "placeholder", "data-sending", "data-reading", "data-offline", "data-late"}
"""Attributes that people are told."""


class Letters(HTMLParser):
    """Words of a page that stand in its template; commands and the product's own name are in no catalogue."""

    def __init__(self, template: str) -> None:
        super().__init__()
        self.found: list[str] = []
        self._is_code = False
        self.feed(re.sub(r"\{\{.*?\}\}|\{%.*?%\}|\{#.*?#\}", "", template, flags=re.DOTALL))

    def handle_starttag(self, tag, attrs):
        self._is_code = tag == "code"
        self.found += [value for name, value in attrs if name in SAID and re.search("[A-Za-z]", value or "")]

    def handle_endtag(self, tag):
        self._is_code = False

    def handle_data(self, data):
        text = re.sub(r'[a-z-]+="[^"]*"', "", data.replace("Sheaf", ""))  # macros hold attributes without their tag
        if not self._is_code and re.search("[A-Za-z]", text):
            self.found.append(data.strip())


@pytest.mark.parametrize("template", TEMPLATES, ids=lambda one: one.stem)
def test_a_template_holds_no_words(template):
    assert Letters(template.read_text()).found == []


def sentences(module) -> list[str]:
    """Texts of a module with a space between words and an end, which are no docstrings."""
    tree = ast.parse(module.read_text())
    told = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    texts = [node for node in ast.walk(tree) if isinstance(node, ast.Constant) and id(node) not in told]
    return [node.value for node in texts if isinstance(node.value, str) and re.search(r"[a-z] .*\.$", node.value)]


def test_code_holds_no_sentences_and_neither_does_the_script():
    assert [found for module in MODULES for found in sentences(module)] == []
    assert re.findall(r'textContent = (?:"|`[^$`]*[A-Za-z])[^;]*', (WEB / "assets" / "console.js").read_text()) == []


def test_every_sentence_is_said_and_every_key_that_is_asked_for_is_there():
    keys = json.loads((WEB / "texts" / "en.json").read_text())
    code = "\n".join(file.read_text() for file in (*TEMPLATES, *MODULES))
    asked = set(re.findall(r"""\b_?t\(["']([a-z_.]+)["'][,)]""", code))
    beginnings = set(re.findall(r"""["']([a-z_]+\.)["'] ~|f["']([a-z_]+\.)\{""", code))
    open_ended = tuple(first or second for first, second in beginnings)

    unsaid = [key for key in keys if f'"{key.removesuffix(".one")}"' not in code
              and f"'{key.removesuffix('.one')}'" not in code and not key.startswith(open_ended)]  # fmt: skip

    assert sorted(asked - set(keys)) == []
    assert unsaid == []
