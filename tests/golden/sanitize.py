#!/usr/bin/env python3
"""Runs compute-sanitizer's tools over the specimens on a GPU.

    sanitize.py PROGRAM > tests/golden/specimens_h100.csv

PROGRAM is warpfold_specimens_cuda. One line for each specimen, twin and tool: whether the tool
reported anything, how many errors or hazards it summed up, the first place that it named, and its
first message. A run that does not end in time, or that the tool could not make, is said to be so.
"""
import concurrent.futures
import csv
import os
import re
import shutil
import signal
import subprocess
import sys

TOOLS = ('memcheck', 'racecheck', 'synccheck', 'initcheck')
SECONDS = 20  # a specimen may hang
JOBS = min(8, os.cpu_count() or 1)


def find_sanitizer():
    for name in ('compute-sanitizer', '/usr/local/cuda/bin/compute-sanitizer',
                 '/usr/local/cuda/compute-sanitizer/compute-sanitizer'):
        if shutil.which(name):
            return shutil.which(name)
    sys.exit('sanitize.py: there is no compute-sanitizer here; it comes with the CUDA toolkit')


def run(sanitizer, program, specimen, twin, tool):
    command = [sanitizer, '--tool', tool, '--print-limit', '4']
    if tool == 'racecheck':
        command += ['--racecheck-report', 'all']
    command += [program, specimen, twin]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                               text=True, errors='replace', start_new_session=True)
    try:
        output, _ = process.communicate(timeout=SECONDS)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)  # the tool and the program that it watches
        process.communicate()
        return [specimen, twin, tool, 'no end', '', '', f'killed after {SECONDS} s']
    lines = [line.lstrip('= ').strip() for line in output.splitlines()
             if line.startswith('=====')]
    summary = next((re.search(r'(\d+) (errors?|hazards?)', line) for line in lines
                    if 'SUMMARY' in line), None)
    if summary is None:
        said = output.strip().splitlines()
        return [specimen, twin, tool, 'failed', '', '', said[-1] if said else 'said nothing']
    count = int(summary.group(1))
    places = re.findall(r'[\w./]*?(\w+\.cuh?):(\d+)', output)
    place = next((f'{file}:{line}' for file, line in places if file == specimen + '.cu'), '')
    messages = [line for line in lines if line and 'SUMMARY' not in line
                and not line.startswith('COMPUTE-SANITIZER')]
    message = messages[0] if count and messages else ''
    return [specimen, twin, tool, 'yes' if count else 'no', count, place, message]


def about(command):
    if not shutil.which(command[0]):
        return 'unknown'
    ended = subprocess.run(command, capture_output=True, text=True)
    return ' '.join(ended.stdout.split())


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sanitizer, program = find_sanitizer(), os.path.abspath(sys.argv[1])
    names = subprocess.run([program], capture_output=True, text=True, check=True).stdout.split()
    runs = [(name, twin, tool)
            for name in names for twin in ('broken', 'mended') for tool in TOOLS]
    with concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
        rows = list(pool.map(lambda r: run(sanitizer, program, *r), runs))
    device = about(['nvidia-smi', '--query-gpu=name,driver_version', '--format=csv,noheader'])
    version = re.search(r'[Vv]ersion ([\d.]+)', about([sanitizer, '--version']))
    print(f'# {device}; compute-sanitizer {version.group(1) if version else "of unknown version"}')
    out = csv.writer(sys.stdout, lineterminator='\n')
    out.writerow(['specimen', 'twin', 'tool', 'found', 'count', 'place', 'message'])
    out.writerows(rows)


if __name__ == '__main__':
    main()
