"""Memory of a process that indexes: used again by whichever thread comes next, and given back when asked."""

import subprocess
import sys
import textwrap

import pytest

PAGE = 4096
SIZE = 24 << 20


def run(program: str) -> list[int]:
    started = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)], capture_output=True, text=True, check=True, timeout=240
    )
    return [int(word) for word in started.stdout.split()]


@pytest.mark.skipif(sys.platform != "linux", reason="counts the page faults of the C library's heap")
def test_threads_reuse_the_same_pages_for_large_answers() -> None:
    faults, resident, given_back = run(
        f"""
        import resource, threading
        from warehouse.process_memory import release_free_memory, share_heap

        def faults():
            return resource.getrusage(resource.RUSAGE_SELF).ru_minflt

        def resident():
            return int(open("/proc/self/statm").read().split()[1]) * {PAGE}

        def answer():
            bytearray({SIZE})[:] = b"x" * {SIZE}

        share_heap()
        before = faults()
        for _ in range(10):
            thread = threading.Thread(target=answer)
            thread.start()
            thread.join()
        print(faults() - before)
        print(resident())
        release_free_memory()
        print(resident())
        """
    )
    # Two such pieces of memory at a time, each touched once; ten turns with pages of their own would be ten times that.
    assert faults < 4 * SIZE // PAGE
    assert resident - given_back > SIZE


def test_libraries_report_no_leaks_when_the_process_ends() -> None:
    code = "import duckdb; from warehouse.process_memory import collect_garbage_less; collect_garbage_less()"
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ended.stderr == ""
