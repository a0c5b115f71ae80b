"""Codes are published: each failure has its sentence, and a later release's code is no error of ours."""

from app.domain.codes import FAILURE_SENTENCES, JobFailure, failure_sentence


def test_every_failure_has_its_sentence():
    assert {code: failure_sentence(code) for code in JobFailure} == FAILURE_SENTENCES


def test_a_failure_that_a_later_release_wrote_is_still_told():
    assert failure_sentence("written_by_a_later_release") == "This export failed."
