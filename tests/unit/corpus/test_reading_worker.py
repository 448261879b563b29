"""The process that reads files for an ingest."""

import subprocess
import sys

import pytest
from office import repacked, word

from remit.corpus.control import Control
from remit.corpus.folders import Source
from remit.corpus.reading_worker import receive, send
from remit.corpus.stated import Stated

PARAGRAPH = b"<w:p><w:r><w:t>a</w:t></w:r></w:p>"


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the limit is refused, or counts for nothing")
def test_a_small_file_that_unpacks_to_a_large_one_ends_as_a_rejection(tmp_path):
    """Memory is bounded: the file is told, and the next one is read by the same process."""
    bomb, after = tmp_path / "bomb.docx", tmp_path / "after.txt"
    content = word(lambda opened: opened.add_paragraph("Text."))
    bomb.write_bytes(repacked(content, "word/document.xml", b"<w:sectPr", PARAGRAPH * 600_000 + b"<w:sectPr"))
    after.write_text("Text.")
    assert bomb.stat().st_size < 200_000
    command = "import remit.corpus.reading_worker as worker; worker.MOST_MEMORY = 300 << 20; worker.main()"
    with subprocess.Popen([sys.executable, "-c", command], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        found = []
        for path in (bomb, after):
            send(process.stdin, (Source(path, path.name, path.name, Control()), Stated()))
            found.append(receive(process.stdout).drafts[0])
        process.stdin.close()
    rejected, draft = found
    assert "is damaged" in str(rejected) or "of memory to read" in str(rejected)
    assert "Text." == draft.reading.text
