#!/usr/bin/env python3
"""The rules by which an H100 counts one warp's memory access, and the proof on measured patterns.

  rules.py check [access_patterns_h100.csv]     every row against the rules; exit 1 on a difference
  rules.py join FOLDER … > table.csv            what capture.sh left, as one table; the first may be
                                                such a table, to be completed

A lane's address is an int, an inactive lane is None. Wavefronts are the passes over the banks;
bank conflicts are the wavefronts beyond the fewest that the instruction's lane groups need.
"""
import collections
import csv
import glob
import os
import re
import sys

BANKS, WORD, SECTOR = 32, 4, 32


# ---- the rules ------------------------------------------------------------------------------
def active(lanes):
    return [a for a in lanes if a is not None]


def sectors(lanes, size):
    """Global load or store: distinct 32-byte sectors, whatever the size; one request a warp."""
    return len({b // SECTOR for a in active(lanes) for b in (a, a + size - 1)})


def distinct_bytes(lanes, size):
    """What smsp__sass_average_data_bytes_per_sector counts as used: a byte once, however often."""
    return len({b for a in active(lanes) for b in range(a, a + size)})


def atomic_sectors(lanes, size):
    """Global atomic: a sector counts once for every time its busiest address is hit."""
    hits = collections.Counter(active(lanes))
    busiest = collections.Counter()
    for a, n in hits.items():
        busiest[a // SECTOR] = max(busiest[a // SECTOR], n)
    return sum(busiest.values())


def depth(addresses, size):
    """The most distinct words that one bank must serve."""
    words = {w for a in addresses for w in range(a // WORD, (a + size - 1) // WORD + 1)}
    return max(collections.Counter(w % BANKS for w in words).values(), default=0)


def neighbours_agree(lanes, distance):
    return all(a is None or lanes[i ^ distance] in (None, a) for i, a in enumerate(lanes))


def shared(lanes, size, is_load):
    """Shared load or store: (wavefronts, bank conflicts)."""
    group = {8: 16, 16: 8}.get(size, 32)
    if is_load and size >= 8 and any(neighbours_agree(lanes, d) for d in (1, 2)):
        group *= 2
    groups = [g for g in (active(lanes[i:i + group]) for i in range(0, 32, group)) if g]
    wavefronts = sum(depth(g, size) for g in groups)
    return wavefronts, wavefronts - len(groups)


def shared_atomic(lanes, same_address_merges):
    """Shared atomic of 4 bytes: lanes on one bank take turns, on one address too."""
    a = active(lanes)
    if same_address_merges:
        a = set(a)
    turns = max(collections.Counter(x // WORD % BANKS for x in a).values(), default=0)
    return turns, max(turns - 1, 0)


def retry_loop(lanes, size):
    """Shared atomic that compiles to a loop of load and compare-and-swap.

    In a turn every lane still in the loop loads, then tries. The banks take the lanes in order
    (8 bytes: each half warp by itself), one lane a bank; it fails if its word changed this turn.
    """
    left, total = list(lanes), collections.Counter()
    while active(left):
        wavefronts, conflicts = shared(left, size, True)
        total.update(ld_inst=1, ld_wavefronts=wavefronts, ld_conflicts=conflicts, atom_inst=1)
        tried, changed, now = set(), set(), list(left)
        for i, a in enumerate(now):
            if a is None:
                continue
            bank = (a // size % (BANKS * WORD // size), i // 16 if size == 8 else 0)
            if bank in tried:
                continue
            tried.add(bank)
            if a not in changed:
                changed.add(a)
                left[i] = None
    return total


LOOPS = ('cxx_add_float', 'cxx_add_float_used', 'cxx_add_double', 'cxx_add_u64', 'cxx_add_u64_used')


def expect(row):
    """(counters by short name, those that no rule covers)."""
    op, space, size = row['op'], row['space'], row['size']
    kind = op.split('_')[0]
    want, unruled = collections.Counter(), set()
    for lanes in row['lanes']:
        if not active(lanes):
            if op == 'load_predicated' and space == 'shared':
                want['ld_inst'] += 1  # issued, every lane off by predicate: no wavefront
            continue
        times = 2 if op == 'load_twice' else 1
        if kind in ('load', 'store') and space == 'global':
            k, s = 'ld' if kind == 'load' else 'st', sectors(lanes, size)
            want.update({f'{k}_requests': times, f'{k}_sectors': times * s})
            want[f'{k}_bytes_pct'] = 100 * distinct_bytes(lanes, size) / (SECTOR * s)
        elif op == 'one_counter':  # the compiler sums the warp, one lane adds
            want.update(red_requests=1, red_sectors=1)
        elif kind in ('atom', 'red', 'cxx') and space == 'global':
            k = 'atom' if kind == 'atom' or op.endswith('_used') else 'red'
            want.update({f'{k}_requests': 1, f'{k}_sectors': atomic_sectors(lanes, size)})
        elif kind in ('load', 'store'):
            k, generic = 'ld' if kind == 'load' else 'st', op.endswith('_generic')
            w, c = shared(lanes, size, kind == 'load' and not generic)
            want.update({f'{k}_wavefronts': times * w, f'{k}_conflicts': times * c})
            want[f'{k}_inst'] += 0 if generic else times
        elif op in LOOPS:
            want.update(retry_loop(lanes, size))
            want['atom_wavefronts'] = 2 * want['atom_inst']
            if size == 8:
                unruled.add('atom_wavefronts')
        elif kind in ('atom', 'red', 'cxx'):
            w, c = shared_atomic(lanes, op == 'cxx_add_one')
            want.update(atom_inst=1, atom_conflicts=c, atom_wavefronts=2 * w if 'cas' in op else w)
        elif kind == 'async':  # and three empty shared loads that the compiler puts around it
            want.update(ld_requests=1, ld_sectors=sectors(lanes, size), ld_inst=3)
        elif op == 'crowd':
            n = 8 * row['blocks'] * row['warps']
            least = {4: 1, 8: 2, 16: 4}[size]
            want.update(ld_requests=n, ld_sectors=n * size, ld_inst=n, st_inst=n,
                        ld_wavefronts=n * least, st_wavefronts=n * least)
            unruled |= {f'{k}_{what}' for k in ('ld', 'st') for what in ('wavefronts', 'conflicts')}
    return want, unruled


# ---- the measured table ---------------------------------------------------------------------
NAMES = {}
for k in ('ld', 'st', 'atom', 'red'):
    for what in ('requests', 'sectors'):
        NAMES[f'l1tex__t_{what}_pipe_lsu_mem_global_op_{k}.sum'] = f'{k}_{what}'
for k in ('ld', 'st', 'atom'):
    NAMES[f'l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_{k}.sum'] = f'{k}_conflicts'
    NAMES[f'l1tex__data_pipe_lsu_wavefronts_mem_shared_op_{k}.sum'] = f'{k}_wavefronts'
    NAMES[f'smsp__inst_executed_op_shared_{k}.sum'] = f'{k}_inst'
for k in ('ld', 'st'):
    NAMES[f'smsp__sass_average_data_bytes_per_sector_mem_global_op_{k}.pct'] = f'{k}_bytes_pct'
KEY = ('space', 'op', 'size', 'blocks', 'warps', 'mask', 'offsets')


def captured(folder):
    """The rows of one capture, each with the counters found for it."""
    groups = collections.defaultdict(list)
    for row in csv.DictReader(open(os.path.join(folder, 'patterns.csv'))):
        groups[row['group']].append(row)
    for path in sorted(glob.glob(os.path.join(folder, '*.[0-9]*.csv'))):
        label, first = re.fullmatch(r'(\w+)\.(\d+)\.csv', os.path.basename(path)).groups()
        lines = [line for line in open(path) if not line.startswith('==')]
        rows = list(csv.DictReader(lines))[1:]  # the first row holds the units
        for n, counters in enumerate(rows):
            row = groups['global' if label == 'sass' else label][int(first) + n]
            for name, short in NAMES.items():
                clears = label == 'shared_atomics' and row['op'].startswith('cxx_')
                if name in counters and not (clears and short.startswith('st_')):
                    row[short] = counters[name].replace(',', '')
    return [row for rows in groups.values() for row in rows]


def join(folders):
    """Later folders win; the last one's table names the rows."""
    found = collections.defaultdict(dict)
    for folder in folders:
        table = known(folder) if folder.endswith('.csv') else captured(folder)
        for row in table:
            got = {short: row[short] for short in NAMES.values() if short in row}
            found[tuple(row[k] for k in KEY)].update(got)
    shorts = list(NAMES.values())
    out = csv.writer(sys.stdout, lineterminator='\n')
    out.writerow(['id', 'space', 'op', 'size', 'blocks', 'warps', 'mask', 'elements'] + shorts)
    for row in sorted(table, key=lambda r: int(r['id'])):
        size, got = int(row['size']), found[tuple(row[k] for k in KEY)]
        elements = ' '.join(str(int(o) // size) if o else '' for o in row['offsets'].split(' '))
        out.writerow([row[k] for k in ('id', 'space', 'op', 'size', 'blocks', 'warps', 'mask')] +
                     [elements.rstrip()] + [got.get(s, '') for s in shorts])


def known(path):
    """The rows of a joined table, as captured() gives them."""
    for row in measured(path):
        offsets = [a for lanes in row['lanes'] for a in lanes]
        offsets += [None] * (32 * row['warps'] - len(offsets)) if row['warps'] <= 2 else []
        row['offsets'] = ' '.join('' if a is None else str(a) for a in offsets)
        row.update({k: str(row[k]) for k in ('size', 'blocks', 'warps')})
        yield {k: v for k, v in row.items() if v != ''}


def measured(path):
    for row in csv.DictReader(open(path)):
        row.update({k: int(row[k]) for k in ('size', 'blocks', 'warps')})
        at = [int(e) * row['size'] if e else None for e in row['elements'].split(' ')]
        at += [None] * (-len(at) % 32)
        row['lanes'] = [at[i:i + 32] for i in range(0, len(at), 32)]
        yield row


def check(path):
    tally, wrong = collections.Counter(), collections.Counter()
    for row in measured(path):
        want, unruled = expect(row)
        kind = f"{row['space']:6} {row['op']:18} {row['size']:2}"
        tally[kind] += 1
        if not any(row[short] for short in NAMES.values()):
            wrong[kind] += 1
            print(f"row {row['id']} {kind}: nothing was measured")
        for short in NAMES.values():
            if row[short] == '' or abs(float(row[short]) - want[short]) < 0.00501:
                continue
            said = 'no rule' if short in unruled else 'DIFFERS'
            if short not in unruled:
                wrong[kind] += 1
            if said == 'DIFFERS' or row['op'] == 'crowd':
                print(f"row {row['id']} {kind} {short}: measured {row[short]}, "
                      f"by address {want[short]}: {said}")
    for kind, n in tally.items():
        print(f"{kind}  {n:4} patterns  {'DIFFER' if wrong[kind] else 'equal'}")
    return 1 if wrong else 0


if __name__ == '__main__':
    if len(sys.argv) > 2 and sys.argv[1] == 'join':
        join(sys.argv[2:])
    elif len(sys.argv) > 1 and sys.argv[1] == 'check':
        here = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'access_patterns_h100.csv')
        sys.exit(check(sys.argv[2] if len(sys.argv) > 2 else here))
    else:
        sys.exit(__doc__)
