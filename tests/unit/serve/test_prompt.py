"""Connections of those who do not come to an end: closed in their time, and never more of them than may be."""

import asyncio
from contextlib import asynccontextmanager

import pytest
import uvicorn
from uvicorn.server import ServerState

from remit.serve.http import prompt
from remit.serve.http.prompt import PromptProtocol

LARGE = 1 << 16
REQUEST = b"GET / HTTP/1.1\r\nhost: a\r\n\r\n"


async def endless(scope, receive, send):
    """Send as long as somebody reads."""
    await send({"type": "http.response.start", "status": 200, "headers": []})
    while (await ready(receive))["type"] != "http.disconnect":
        await send({"type": "http.response.body", "body": b"x" * LARGE, "more_body": True})


async def ready(receive):
    """Return what was received, or that nothing was."""
    try:
        return await asyncio.wait_for(receive(), 0.001)
    except TimeoutError:
        return {"type": "nothing"}


async def short(scope, receive, send):
    """Answer at once."""
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"2")]})
    await send({"type": "http.response.body", "body": b"ok"})


@asynccontextmanager
async def listening(app, protocol):
    """Lend what opens connections to a server of such a protocol, and what it knows of them."""
    config, state = uvicorn.Config(app, http=protocol, ws="none", lifespan="off", log_config=None), ServerState()
    config.load()
    make = lambda: protocol(config=config, server_state=state, app_state={})  # noqa: E731 - short
    server = await asyncio.get_running_loop().create_server(make, "127.0.0.1", 0)
    opened = []

    async def connected():
        opened.append(await asyncio.open_connection("127.0.0.1", server.sockets[0].getsockname()[1], limit=1024))
        return opened[-1]

    try:
        yield connected, state
    finally:
        server.close()
        for _, writer in opened:
            writer.transport.abort()
        await asyncio.sleep(0.05)


async def until(state, count):
    """Wait until so many connections are open."""
    for _ in range(250):
        if len(state.connections) == count:
            return
        await asyncio.sleep(0.02)
    raise AssertionError(f"{len(state.connections)} are open")


async def line(reader):
    """Return the first line of a reply."""
    return await asyncio.wait_for(reader.readline(), 5)


def test_a_reader_who_takes_nothing_is_let_go(monkeypatch):
    """The connection of a reader who stopped in the middle of a reply is closed; one who goes on reading is not."""
    monkeypatch.setattr(prompt, "STALL_SECONDS", 0.3)

    async def run():
        async with listening(endless, PromptProtocol) as (connected, state):
            (_, stalled), (reader, writer) = await connected(), await connected()
            stalled.write(REQUEST)
            writer.write(REQUEST)
            going = asyncio.create_task(reads(reader))
            await until(state, 1)
            assert not going.done()
            going.cancel()

    asyncio.run(run())


async def reads(reader):
    """Read for as long as there is something."""
    while await reader.read(1 << 20):
        continue


def test_more_connections_than_may_be_are_told_to_come_later():
    """Who comes when all places are taken gets 503 and is closed; when there is room again they are served."""

    class Two(PromptProtocol):
        most = 2

    async def run():
        async with listening(short, Two) as (connected, state):
            (reader, writer), (_, idle) = await connected(), await connected()
            writer.write(REQUEST)
            assert (await line(reader)).startswith(b"HTTP/1.1 200")
            late, _ = await connected()
            assert (await line(late)).startswith(b"HTTP/1.1 503")
            assert (await asyncio.wait_for(late.read(), 5)).endswith(b"\r\n\r\n")
            idle.close()
            await until(state, 1)
            reader, writer = await connected()
            writer.write(REQUEST)
            assert (await line(reader)).startswith(b"HTTP/1.1 200")

    asyncio.run(run())


@pytest.mark.parametrize("piece", [b"GET / HTTP/1.1\r\n", b"POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 9\r\n\r\nx"])
def test_a_request_that_does_not_end_is_closed(monkeypatch, piece):
    """Head and body have their time, and no more."""
    monkeypatch.setattr(prompt, "HEAD_SECONDS", 0.3)
    monkeypatch.setattr(prompt, "BODY_SECONDS", 0.3)

    async def waiting(scope, receive, send):
        while (await receive())["type"] != "http.disconnect":
            pass

    async def run():
        async with listening(waiting, PromptProtocol) as (connected, _):
            reader, writer = await connected()
            writer.write(piece)
            assert b"" == await line(reader)

    asyncio.run(run())
