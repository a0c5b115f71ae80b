"""The catalogue has a sentence for every word of the domain."""

from app.domain.codes import ItemCode, WaitingFor
from app.domain.document_type import DocumentType
from app.domain.lifecycle import JobState
from app.web.texts import Texts


def test_every_word_of_the_domain_is_told():
    keys = [f"state.{one}" for one in JobState]
    keys += [f"doing.{one}" for one in JobState if one is not JobState.FAILED]
    keys += [f"{kind}.{one}" for kind in ("item", "do") for one in ItemCode]
    keys += [f"waiting.{one}" for one in WaitingFor] + [f"type.{one}" for one in DocumentType]

    assert [key for key in keys if key not in Texts("en")] == []
