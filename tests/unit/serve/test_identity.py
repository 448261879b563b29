"""Keys and tokens: what proves a caller, and what does not."""

import json
import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest
import served
from cryptography.hazmat.primitives.asymmetric import ec
from jwt.algorithms import ECAlgorithm

from remit.access.principal import Principal
from remit.corpus.toml_file import TomlFile
from remit.errors import InvalidInput, MissingPrerequisite, NothingThere
from remit.serve.identity.caller import Caller, Refused, Role
from remit.serve.identity.jwt import Jwks, JwtIdentity, JwtSettings
from remit.serve.identity.keys import KeyFile
from remit.serve.identity.settings import ANONYMOUS, Gate, IdentitySettings

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
MARA = Principal(id="mara", groups=("maintenance",))


@pytest.fixture
def keys(tmp_path):
    """An empty key file, at a time that a test can move."""
    made = KeyFile(tmp_path / "keys.json", now=lambda: made.now)
    made.now = NOW
    return made


def test_a_key_is_its_principal_until_it_expires_or_is_revoked(keys):
    """A key stands for whom it was made, with groups and roles, until its day or its revocation."""
    made = keys.add(MARA, roles=frozenset({"read", "write:procedures"}), expires=NOW + timedelta(days=1))
    caller = keys(made.token)
    assert (MARA, f"key {made.key.id}") == (caller.principal, caller.source)
    assert [True, False, True, False] == [caller.may(role) for role in (Role.READ, Role.REVIEW, Role.WRITE, Role.AUDIT)]
    assert (True, False) == (caller.may_write("procedures"), caller.may_write("hr"))
    keys.now = NOW + timedelta(days=1)
    with pytest.raises(Refused, match="expired"):
        keys(made.token)
    keys.now = NOW
    assert made.key == keys.revoke(made.key.id)
    with pytest.raises(Refused, match="unknown"):
        keys(made.token)
    with pytest.raises(NothingThere):
        keys.revoke(made.key.id)


def test_the_file_holds_no_key_and_is_its_owners(keys):
    """The file has the digest and not the secret, and nobody else may read it."""
    made = keys.add(MARA, roles=frozenset({"read"}), expires=None)
    assert made.token.rpartition("_")[2] not in keys.path.read_text()
    assert 0o600 == keys.path.stat().st_mode & 0o777


def test_another_process_may_write_the_file(keys):
    """A key that somebody else made or took out counts at the next request."""
    other = KeyFile(keys.path, now=lambda: NOW)
    with pytest.raises(Refused):
        keys("remit_00000000_x")
    made = other.add(MARA, roles=frozenset({"read"}), expires=None)
    assert MARA == keys(made.token).principal
    other.revoke(made.key.id)
    with pytest.raises(Refused):
        keys(made.token)


def test_who_change_the_file_at_once_lose_nothing(keys):
    """Keys that are made at once are all there, and one that is revoked meanwhile does not come back."""
    gone = keys.add(MARA, roles=frozenset({"read"}), expires=None)

    def make():
        own = KeyFile(keys.path, now=lambda: NOW)
        return [own.add(MARA, roles=frozenset({"read"}), expires=None).key.id for _ in range(10)]

    with ThreadPoolExecutor(5) as threads:
        made = [threads.submit(make) for _ in range(4)]
        revoked = threads.submit(keys.revoke, gone.key.id)
        ids = {id for one in made for id in one.result()}
        assert gone.key == revoked.result()
    assert ids == keys.keys().keys()
    assert [keys.path] == list(keys.path.parent.iterdir())


def test_a_place_that_cannot_be_written_is_told(tmp_path):
    """Where the file cannot be written, the message names it and says that the keys are as they were."""
    keys = KeyFile(tmp_path / "nowhere" / "keys.json", now=lambda: NOW)
    with pytest.raises(MissingPrerequisite, match=r"cannot write .*nowhere/keys\.json .*as they were"):
        keys.add(MARA, roles=frozenset({"read"}), expires=None)


@pytest.mark.parametrize("text", ["", "{", "[]", '{"keys": [{}]}', '{"keys": [{"id": "a"}]}', '{"keys": 3}'])
def test_a_broken_key_file_opens_nothing(keys, text):
    """A file that is no key file is an error that names it, never an open door."""
    keys.path.write_text(text)
    with pytest.raises(InvalidInput, match="no key file"):
        keys("remit_00000000_x")


@pytest.mark.parametrize("roles", [["everything"], ["write:"], "read", [3]])
def test_only_known_roles_are_given(keys, roles):
    """A role that does not exist is refused when the key is made."""
    with pytest.raises(InvalidInput, match="role"):
        keys.add(MARA, roles=roles, expires=None)


def said(place, **more):
    """Return what tokens must say."""
    return JwtSettings(issuer=served.ISSUER, audience=served.AUDIENCE, jwks=str(place), **more)


def test_roles_come_from_groups_and_from_a_claim_that_is_configured(tmp_path):
    """A group that has a role gives it; a claim of roles counts only where it was configured, and only for known roles."""
    provider = served.Provider()
    provider.publish(tmp_path / "jwks.json")
    roles = {"review": frozenset({"maintenance"})}
    plain = JwtIdentity(said(tmp_path / "jwks.json"), roles=roles)
    assert {"read", "review"} == plain(provider.token(roles=["audit"])).roles
    claimed = JwtIdentity(said(tmp_path / "jwks.json", roles_claim="roles"), roles={})
    assert {"read", "audit"} == claimed(provider.token(roles=["audit"])).roles
    with pytest.raises(Refused, match="no role"):
        claimed(provider.token(roles=["root"]))


def test_only_public_key_algorithms_can_be_configured(tmp_path):
    """A shared secret or none at all is no algorithm that may be pinned."""
    for name in ("HS256", "none", "RS1"):
        with pytest.raises(InvalidInput, match="not allowed"):
            JwtIdentity(said(tmp_path, algorithms=(name,)), roles={})


def test_keys_of_a_provider_are_read_again_but_not_each_time(tmp_path):
    """A new key is found; made-up ids do not make the service ask each time; where keys cannot be read nothing is proved."""
    place, now = tmp_path / "jwks.json", [0.0]
    first, second = served.Provider(), served.Provider()
    first.publish(place)
    keys = Jwks(str(place), clock=lambda: now[0])
    check = JwtIdentity(said(place), roles={}, keys=keys)
    assert "mara" == check(first.token()).principal.id
    data = json.loads(place.read_text())
    second.publish(place)
    fresh = json.loads(place.read_text())["keys"][0] | {"kid": "two"}
    place.write_text(json.dumps({"keys": [*data["keys"], fresh]}))
    with pytest.raises(Refused, match="does not list"):
        check(second.token(kid="two"))  # it asked a moment ago
    now[0] = 20.0
    assert "mara" == check(second.token(kid="two")).principal.id
    place.unlink()
    now[0] = 100.0
    assert "mara" == check(first.token()).principal.id
    now[0] = 1000.0
    with pytest.raises(MissingPrerequisite, match="cannot be read"):
        check(first.token())


def test_a_provider_that_is_down_is_not_asked_by_everybody(tmp_path):
    """While its keys cannot be read, those who come are refused at once; a while later it is tried again."""
    place, now, provider = tmp_path / "jwks.json", [0.0], served.Provider()
    keys = Jwks(str(place), clock=lambda: now[0])
    check = JwtIdentity(said(place), roles={}, keys=keys)
    with pytest.raises(MissingPrerequisite, match="cannot be read"):
        check(provider.token())
    provider.publish(place)
    with pytest.raises(MissingPrerequisite, match="as a moment ago"):
        check(provider.token())
    now[0] = 20.0
    assert "mara" == check(provider.token()).principal.id


def test_a_key_of_another_kind_proves_nobody(tmp_path):
    """A token that names a listed key of another kind than its algorithm's, or is no text, is refused as any other."""
    provider, curve = served.Provider(), ec.generate_private_key(ec.SECP256R1())
    provider.publish(tmp_path / "jwks.json")
    listed = json.loads((tmp_path / "jwks.json").read_text())["keys"]
    other = json.loads(ECAlgorithm.to_jwk(curve.public_key())) | {"kid": "two"}
    (tmp_path / "jwks.json").write_text(json.dumps({"keys": [*listed, other]}))
    check = JwtIdentity(said(tmp_path / "jwks.json", algorithms=("RS256", "ES256")), roles={})
    assert "mara" == check(provider.token(kid="two", key=curve, algorithm="ES256")).principal.id
    for wrong in (provider.token(kid="two"), provider.token(kid="one", key=curve, algorithm="ES256"), "\udcff.a.b"):
        with pytest.raises(Refused, match="not valid"):
            check(wrong)


@pytest.mark.parametrize(
    "more", [{"hasgroups": True}, {"_claim_names": {"groups": "src1"}}, {"_claim_names": ["groups"]}]
)
def test_groups_that_stand_elsewhere_are_not_left_out(tmp_path, more):
    """A token whose groups the provider cut short, however it says so, is refused and not read as one without groups."""
    provider = served.Provider()
    provider.publish(tmp_path / "jwks.json")
    with pytest.raises(Refused, match="left groups out"):
        JwtIdentity(said(tmp_path / "jwks.json"), roles={})(provider.token(groups=None, **more))


def test_keys_come_from_the_place_that_is_configured_and_no_other(tmp_path):
    """Keys are fetched over HTTP, and a redirect to somewhere else is not followed."""
    provider = served.Provider()
    provider.publish(tmp_path / "jwks.json")

    class Places(BaseHTTPRequestHandler):
        def log_message(self, *args):
            """Say nothing."""

        def do_GET(self):
            self.send_response(302 if self.path == "/moved" else 200)
            self.send_header("Location", "/jwks")
            self.end_headers()
            self.wfile.write((tmp_path / "jwks.json").read_bytes())

    with HTTPServer(("127.0.0.1", 0), Places) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        place = f"http://127.0.0.1:{server.server_port}"
        assert "one" == Jwks(f"{place}/jwks").key("one").key_id
        with pytest.raises(MissingPrerequisite, match="cannot be read"):
            Jwks(f"{place}/moved").key("one")
        server.shutdown()


def identity(tmp_path, text):
    """Return what a remit.toml says about identity."""
    file = TomlFile("remit.toml", text)
    found = IdentitySettings.read(file, tmp_path)
    file.finish()
    return found


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("[identity]\nanonymous = 1", "true or false"),
        ("[identity]\nusers = 1", "unknown key"),
        ('[identity.jwt]\nissuer = "i"', "needs audience"),
        ('[identity.jwt]\nissuer = "i"\naudience = "a"\njwks = "http://example.org/k"', "https"),
        ('[identity.jwt]\nissuer = "i"\naudience = "a"\njwks = "http://localhost.example.org/k"', "https"),
        ('[identity.jwt]\nissuer = "i"\naudience = "a"\njwks = "ftp://example.org/k"', "https"),
        ('[identity.jwt]\nissuer = "i"\naudience = "a"\njwks = "k"\nalgorithms = ["HS256"]', "not allowed"),
        ('[identity.jwt]\nissuer = "i"\naudience = "a"\njwks = "k"\nalgorithms = []', "not allowed"),
        ('[identity.roles]\nroot = ["x"]', "want one of"),
        ('[identity.roles]\nreview = "x"', "list"),
    ],
)
def test_wrong_settings_are_told(tmp_path, text, word):
    """What is wrong about identity stops the service before it starts, with the field."""
    with pytest.raises(InvalidInput, match=word):
        identity(tmp_path, text)


def test_nobody_is_let_in_only_where_that_is_said(tmp_path):
    """Without a token nobody gets in, unless the settings say so; then as somebody without groups."""
    closed, opened = (
        Gate(identity(tmp_path, f"[identity]\nanonymous = {said}"), now=lambda: NOW) for said in ("false", "true")
    )
    with pytest.raises(Refused, match="no token"):
        closed(None)
    assert (ANONYMOUS, ()) == (opened(None), opened(None).principal.groups)
    with pytest.raises(Refused):
        opened("wrong")
    forged = opened.keys.add(Principal(id="anonymous", groups=("board",)), roles=frozenset({"read"}), expires=None)
    with pytest.raises(Refused, match="called anonymous"):
        opened(forged.token)
    assert Caller(principal=MARA, source="x").may(Role.READ)
