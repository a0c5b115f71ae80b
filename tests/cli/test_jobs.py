"""`sheaf jobs` beside a server at work: what an operator ends has ended for its worker and for its owner."""

import json

import httpx
from prometheus_client.parser import text_string_to_metric_families

from tests.cli.running import Running, sheaf


def test_an_export_at_work_is_seen_and_ended_beside_the_running_server(server: Running):
    folder = ("--data", str(server.folder))
    owner = server.owner("many")
    with owner.client() as client:
        export = client.create_export()
        for snapshot in client.wait(export.id):
            if snapshot.counts.rendered:
                break

        listed = [json.loads(line) for line in sheaf("jobs", "list", "--json", *folder).out.splitlines()]
        done = sheaf("jobs", "fail", str(export.id), "--reason", "Wrong paper", *folder)
        *_, ended = client.wait(export.id)
        again = client.create_export()
        client.cancel(again.id)

    (seen,) = [job for job in listed if job["id"] == str(export.id)]
    assert (seen["state"], seen["phase"], seen["is_stuck"]) == ("processing", "rendering", False)
    assert seen["held"][0]["is_host_alive"]
    assert done.code == 0
    assert (ended.state, ended.failure.code) == ("failed", "failed_by_operator")
    assert ended.failure.reason == "An operator ended this export: Wrong paper"


def test_serve_shows_its_worker_among_its_own_metrics(server: Running):
    text = httpx.get(f"{server.url}/metrics").text

    names = {family.name for family in text_string_to_metric_families(text)}
    assert {"sheaf_requests", "sheaf_worker_slots", "sheaf_step_seconds", "sheaf_claims_held"} <= names
