"""The MCP server, with the protocol's own client: over stdio as one principal, over HTTP as whoever the bearer proves."""

import asyncio
import os

import httpx
import pytest
import served
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client
from served import LEAVE, QUESTION

pytestmark = pytest.mark.e2e


def over_stdio(store, token, work):
    """Run `work` with a client of `remit mcp`."""

    async def run():
        environ = {**os.environ, "REMIT_TOKEN": token}
        how = StdioServerParameters(command=served.REMIT, args=["mcp", "--store", str(store)], env=environ)
        async with Client(stdio_client(how)) as client:
            return await work(client)

    return asyncio.run(run())


def over_http(url, token, work):
    """Run `work` with a client of `/mcp`."""

    async def run():
        headers = {"authorization": f"Bearer {token}"}
        async with (
            httpx_client(headers) as http,
            Client(streamable_http_client(f"{url}/mcp", http_client=http)) as client,
        ):
            return await work(client)

    return asyncio.run(run())


def httpx_client(headers):
    """Return the HTTP client that the protocol's client is made with."""
    import mcp.client.streamable_http as transport

    library = getattr(transport, "httpx2", None) or httpx
    return library.AsyncClient(headers=headers, timeout=60)


async def everything(client):
    """Use each tool; return what came of it."""
    tools = {tool.name: tool.input_schema for tool in (await client.list_tools()).tools}
    found = await client.call_tool("search", {"query": "seal leave", "k": 20})
    asked = await client.call_tool("ask", {"question": QUESTION})
    leave = await client.call_tool("ask", {"question": LEAVE})
    passage = await client.call_tool("get_passage", {"passage": "PR-1-QMNT@2#0"})
    hidden = await client.call_tool("get_passage", {"passage": "LV-9-QPRS@7#0"})
    forged = await client.call_tool("ask", {"question": LEAVE, "principal": "hana", "groups": ["personnel"]})
    return tools, found, asked, leave, passage, hidden, forged


def check(done):
    """Check what each tool gave to mara of maintenance."""
    tools, found, asked, leave, passage, hidden, forged = done
    assert {"search", "ask", "get_passage"} == set(tools)
    for schema in tools.values():
        assert not {"principal", "groups", "user", "token", "roles", "ctx"} & set(schema["properties"])
    assert {"PR-1-QMNT", "IN-3-QMNT", "IN-4-QMNT", "GATE"} >= {
        hit["document"] for hit in found.structured_content["hits"]
    }
    assert "12 months" == asked.structured_content["answer"]
    assert "12 months [1]" in asked.structured_content["text"]
    assert "answer" != leave.structured_content["decision"]
    assert "12 months" in passage.structured_content["text"]
    assert hidden.is_error
    for result in (found, leave, hidden, forged):
        assert "okapi" not in str(result)
        assert "nine weeks" not in str(result)


def test_over_stdio_the_launch_token_says_who_calls(service):
    """Every tool works for the principal of REMIT_TOKEN, within what they may read, whatever the arguments say."""
    check(over_stdio(service.store, service.keys.mnt, everything))


def test_over_http_the_bearer_says_who_calls(service):
    """The same over HTTP, where each request carries its bearer; one without is refused before any tool."""
    check(over_http(service.url, service.keys.mnt, everything))
    for headers in ({}, {"authorization": "Bearer remit_0_x"}, {"x-user": "mara"}):
        done = httpx.post(
            f"{service.url}/mcp", json={"jsonrpc": "2.0", "id": 1, "method": "tools/list"}, headers=headers
        )
        assert 401 == done.status_code


def test_what_is_no_message_breaks_nothing(service):
    """Too much, another method, no JSON, an unknown tool and arguments of another kind are refused, and counted."""
    headers = {"authorization": f"Bearer {service.keys.mnt}", "accept": "application/json, text/event-stream"}
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call"}
    forged = {"name": "ask", "arguments": {"question": LEAVE}, "_meta": {"principal": "hana", "groups": ["personnel"]}}
    with httpx.Client(base_url=service.url, headers=headers, timeout=60) as client:
        tries = [
            client.post("/mcp", content=b" " * (2 << 20), headers={"content-type": "application/json"}),
            client.post("/mcp", content=b"{", headers={"content-type": "application/json"}),
            client.post("/mcp", json=[call] * 3),
            client.post("/mcp", json={**call, "params": {"name": "delete_everything", "arguments": {}}}),
            client.post("/mcp", json={**call, "params": {"name": "ask", "arguments": {"question": 7}}}),
            client.post("/mcp", json={**call, "params": {"name": "search", "arguments": {"query": "x" * 20_000}}}),
            client.post("/mcp", json={**call, "params": forged}),
            client.request("BREW", "/mcp"),
        ]
        assert 413 == tries[0].status_code
        assert [] == [(done.status_code, done.text) for done in tries if done.status_code >= 500]
        assert [] == [done.text for done in tries if "okapi" in done.text or "nine weeks" in done.text]
    with service.client(service.keys.auditor) as auditor:
        counted = [line for line in auditor.get("/metrics").text.splitlines() if 'route="/mcp"' in line]
    assert any('method="POST",route="/mcp",status="413"' in line for line in counted)
    assert not any("BREW" in line for line in counted)


def test_no_token_no_server(service):
    """Without a token, and with one that proves nobody, `remit mcp` does not start, and says what to do."""
    import subprocess

    for token, word in (("", "REMIT_TOKEN"), ("remit_00000000_x", "unknown key")):
        environ = {**os.environ, "REMIT_TOKEN": token}
        done = subprocess.run(
            [served.REMIT, "mcp", "--store", service.store], env=environ, capture_output=True, text=True, check=False
        )
        assert done.returncode in {3, 5}
        assert word in done.stderr
