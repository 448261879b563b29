"""One store, used at once by the service, by command lines and by a second writer of the same documents."""

import json
import subprocess

import pytest
from served import QUESTION, REMIT

pytestmark = pytest.mark.e2e
COUNT = 12


def test_service_and_command_lines_share_a_store(service, tmp_path):
    """Two ingests of one folder beside uploads of the same documents give each once; the service answers all the while."""
    said = [
        {
            "document": f"SH-{at}",
            "revision": "1",
            "title": f"Tank {at}",
            "collection": "procedures",
            "status": "current",
        }
        | {"labels": ["maintenance"], "valid_from": "2026-01-01", "text": f"The storage tank T-{at} holds {at} litres."}
        for at in range(COUNT)
    ]
    for one in said:
        (tmp_path / f"{one['document']}.jsonl").write_text(json.dumps(one))
    ingest = [REMIT, "ingest", str(tmp_path), "--store", str(service.store), "--json"]
    with service.client(service.keys.mnt) as client:
        writers = [subprocess.Popen(ingest, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) for _ in "ab"]
        for one in reversed(said):
            uploaded = {name: value for name, value in one.items() if name != "text"}
            done = client.post("/v1/documents", json={**uploaded, "name": "a.md", "text": one["text"]})
            assert 200 == done.status_code, done.text
            assert "answer" == client.post("/v1/ask", json={"question": QUESTION}).json()["decision"]
        ended = [(*one.communicate(timeout=120), one.returncode) for one in writers]
        assert [0, 0] == [code for _, _, code in ended], ended
        for at in range(COUNT):
            shown = client.get(f"/v1/documents/SH-{at}").json()
            assert ["1"] == [one["revision"] for one in shown["revisions"]]
        found = client.post("/v1/search", json={"query": "storage tank litres", "k": 50}).json()["hits"]
        assert sorted(f"SH-{at}" for at in range(COUNT)) == sorted(
            h["document"] for h in found if "SH-" in h["document"]
        )
        deleted = [REMIT, "delete", "SH-0", "--store", str(service.store), "--yes"]
        assert 0 == subprocess.run(deleted, check=False, capture_output=True).returncode
        assert 404 == client.get("/v1/documents/SH-0").status_code
        assert [1] * (COUNT - 1) == [
            client.delete(f"/v1/documents/SH-{at}").json()["deleted"] for at in range(1, COUNT)
        ]
    assert (
        0
        == subprocess.run([REMIT, "verify", "--store", str(service.store)], check=False, capture_output=True).returncode
    )
