"""What `deploy/` says fits together, and is what Remit reads."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

from remit.settings import Settings

DEPLOY = Path(__file__).resolve().parents[3] / "deploy"
COMPOSE = yaml.safe_load((DEPLOY / "compose.yaml").read_text(encoding="utf-8"))


def test_the_service_reads_what_compose_tells_it(tmp_path):
    """URL and password file of the example are settings, and name the service, user and database that it makes."""
    secret = tmp_path / "secret"
    secret.write_text("s3cret\n")
    environment = {
        name: value for name, value in COMPOSE["services"]["remit"]["environment"].items() if "$" not in value
    }
    assert f"/run/secrets/{COMPOSE['services']['remit']['secrets'][0]}" == environment["REMIT_DATABASE_PASSWORD_FILE"]
    found = Settings.load(None, {**environment, "REMIT_DATABASE_PASSWORD_FILE": str(secret)}).database
    server = COMPOSE["services"]["database"]["environment"]
    url = f"postgresql://{server['POSTGRES_USER']}@database:5432/{server['POSTGRES_DB']}"
    assert (url, "s3cret") == (found.url.get_secret_value(), found.password.get_secret_value())


@pytest.mark.parametrize("kind", ["volumes", "networks", "secrets"])
def test_what_services_name_is_there(kind):
    """No volume, network or secret is used that is not declared, and none declared that is not used."""
    used = {str(name).partition(":")[0] for service in COMPOSE["services"].values() for name in service.get(kind, ())}
    assert used == {*COMPOSE[kind]}


def test_the_service_waits_for_a_database_that_can_be_asked():
    """It starts once the database is healthy, and only the service and the database are on its network."""
    services = COMPOSE["services"]
    assert "service_healthy" == services["remit"]["depends_on"]["database"]["condition"]
    assert services["database"]["healthcheck"]["test"]
    assert {"database", "remit"} == {name for name, one in services.items() if "inside" in one["networks"]}
    assert "ports" not in services["database"]


def test_no_secret_stands_in_it():
    """Passwords come as files, keys from the environment."""
    for service in COMPOSE["services"].values():
        for name, value in service.get("environment", {}).items():
            secret = re.search("PASSWORD|SECRET|KEY", name) is not None
            assert not secret or name.endswith("_FILE") or value.startswith("${")


def test_what_is_built_holds_no_store():
    """Only named files go into the build of the container: no store, key or history that lies in the checkout."""
    lines = (DEPLOY.parent / ".dockerignore").read_text(encoding="utf-8").splitlines()
    said = [line for line in lines if line and not line.startswith("#")]
    assert "*" == said[0]
    assert {"!src", "!pyproject.toml", "!constraints.txt", "!README.md", "!LICENSE"} == set(said[1:])


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="needs systemd-analyze")
def test_systemd_understands_the_unit(tmp_path):
    """`systemd-analyze verify` has nothing to say of it."""
    unit = (
        (DEPLOY / "remit.service").read_text(encoding="utf-8").replace("/opt/remit/bin/remit serve", "/bin/true serve")
    )
    (tmp_path / "remit.service").write_text(unit, encoding="utf-8")
    command = ["systemd-analyze", "verify", "--man=no", str(tmp_path / "remit.service")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (0, "") == (done.returncode, "\n".join(line for line in done.stderr.splitlines() if "remit.service" in line))


def test_the_container_has_what_compose_needs():
    """The extra that speaks to the database is installed."""
    assert "postgres]" in (DEPLOY / "Containerfile").read_text(encoding="utf-8")
