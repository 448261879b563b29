"""How long `import remit` takes in a fresh process, beyond what Python itself takes to start. Bound: 150 ms."""

import statistics
import subprocess
import sys
import time

BOUND_MS = 150
TRIES = 15


def seconds(statement: str) -> float:
    """Return the wall time of one fresh interpreter that runs `statement`."""
    began = time.perf_counter()
    subprocess.run([sys.executable, "-c", statement], check=True)
    return time.perf_counter() - began


def main() -> int:
    """Print the medians and return 1 where the bound is missed."""
    seconds("import remit")  # compiles the bytecode once, as an installer would
    empty, imported = zip(*((seconds("pass"), seconds("import remit")) for _ in range(TRIES)), strict=True)
    cost = 1000 * (statistics.median(imported) - statistics.median(empty))
    print(f"import remit: {cost:.0f} ms (median of {TRIES}; bound {BOUND_MS} ms)")
    return int(cost > BOUND_MS)


if __name__ == "__main__":
    sys.exit(main())
