"""What a stored result says of where it was made."""
import os
import pathlib
import re
import shutil
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent
RESULTS = ROOT / "bench" / "results"


def output_of(*command, cwd=ROOT):
    ended = subprocess.run(command, cwd=cwd, check=True, capture_output=True, text=True)
    return ended.stdout.strip()


def nvcc():
    return shutil.which("nvcc") or shutil.which("nvcc", path="/usr/local/cuda/bin")


def machine():
    processor = re.search(r"model name\s*: (.*)", pathlib.Path("/proc/cpuinfo").read_text())
    return {"processor": processor[1] if processor else "", "cores": os.cpu_count(),
            "compiler": output_of("clang++", "--version").splitlines()[0]}


def commit():
    """As git describes it; what is stored here is no change of what is measured."""
    changed = output_of("git", "status", "--porcelain", "--", ".", ":!bench/results")
    return output_of("git", "describe", "--always", "--abbrev=12") + ("-dirty" if changed else "")
