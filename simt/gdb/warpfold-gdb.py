"""CUDA threads of the CPU machine in gdb: gdb -x warpfold-gdb.py ./program

  cuda                where the running thread is
  cuda blocks         the blocks that this OS thread has in flight
  cuda warp [N]       the lanes of a warp: what each does, and where
  cuda thread N       shows another thread of the block, or (x,y,z); bt, up and print are about it
  cuda block N        the same, its first thread
  cuda thread         back to the running one

$threadIdx, $blockIdx, $blockDim and $gridDim hold what they say of the thread shown. In conditions,
$cuda_thread(x[,y,z]) and $cuda_block(x[,y,z]) say whether the running one is it:

  break scale.cu:12 if $cuda_block(2) && $cuda_thread(33)
"""
import gdb
from gdb.unwinder import Unwinder

STATES = ["is none", "runs", "can go on", "waits", "spins", "has ended"]
NONE, RUNNING, READY, WAITING, SPINNING, ENDED = range(6)
WARP, RED_ZONE = 32, 128


LONG = gdb.lookup_type("unsigned long")


class Layout:
    """Where the machine keeps what; read once for each program."""
    offsets = None

    @classmethod
    def forget(cls, *_):
        cls.offsets = None

    @classmethod
    def read(cls):
        if cls.offsets is None:
            at = word(int(gdb.parse_and_eval("(unsigned long)&simt_debug_layout")))
            lines = (pair.split("=", 1) for pair in text(at).splitlines())
            cls.offsets = dict(lines)
        return cls.offsets


def offset(name):
    return int(Layout.read()[name])


def number(address, size):
    return int.from_bytes(bytes(gdb.selected_inferior().read_memory(address, size)), "little")


def word(address):
    return number(address, 8)


def text(address):
    return gdb.Value(address).cast(gdb.lookup_type("char").pointer()).string()


def three(address):
    return [number(address + 4 * i, 4) for i in range(3)]


def running():
    """The running lane of this OS thread, and what it belongs to; None outside of kernels."""
    try:
        base = int(gdb.newest_frame().read_register("fs_base"))
        lane = word(base + offset("tls") + offset("thread_state.current"))
    except (gdb.error, gdb.MemoryError):
        return None
    if lane == 0:
        return None
    warp = word(lane + offset("lane.warp"))
    block = word(warp + offset("warp.block"))
    worker = word(word(block + offset("block.cluster")) + offset("cluster.worker"))
    config = word(word(worker + offset("worker.launched")))  # the grid's first member
    now = {"lane": lane, "worker": worker,
           "threadIdx": three(lane + offset("lane.thread_idx")),
           "blockIdx": three(block + offset("block.block_idx")),
           "blockDim": three(config + offset("launch_config.block")),
           "gridDim": three(config + offset("launch_config.grid")),
           "whole": number(worker + offset("worker.whole_blocks"), 1) != 0}
    now["block"] = flat(now["blockIdx"], now["gridDim"])
    now["thread"] = flat(now["threadIdx"], now["blockDim"])
    return now


def needed():
    now = running()
    if now is None:
        raise gdb.GdbError("no kernel runs on this thread of the program; `info threads` lists "
                           "others, a breakpoint in a kernel stops one")
    if now["whole"]:
        raise gdb.GdbError("the threads of the block run as one loop, since nobody looked on when "
                           "the kernel was launched; start the program with SIMT_WATCHED=1")
    return now


def resident(now):
    """Addresses of the blocks that this OS thread has in flight, by their numbers in the grid."""
    found = {}
    clusters = now["worker"] + offset("worker.resident")
    for c in range(word(clusters), word(clusters + 8), 8):
        blocks = word(c) + offset("cluster.blocks")
        for b in range(word(blocks), word(blocks + 8), offset("sizeof.block")):
            found[flat(three(b + offset("block.block_idx")), now["gridDim"])] = b
    return found


def place_in_words(at):
    line = number(at + offset("place.line"), 4)
    if line == 0:
        return ""
    what = Layout.read()["what.%d" % number(at + offset("place.what"), 1)]
    file = text(word(at + offset("place.file"))).rsplit("/", 1)[-1]
    return "%s, %s:%d" % (what, file, line)


def state_of(now, block, thread):
    """State, registers where it stopped, and where it waits in words."""
    blocks = resident(now)
    if block not in blocks:
        return 0, {}, ""
    warp = word(blocks[block] + offset("block.warps")) + thread // WARP * offset("sizeof.warp")
    index = thread % WARP
    lane = warp + offset("warp.lanes") + index * offset("sizeof.lane")

    def has(mask):
        return number(warp + offset("warp." + mask), 4) >> index & 1 != 0

    if lane == now["lane"]:
        return RUNNING, {}, ""
    if not has("live"):
        return ENDED, {}, ""
    top = word(warp + offset("warp.fibers") + 8 * index)  # run/fiber.hpp lays the stack out so
    registers = {"rip": word(top), "rbp": word(top + 8), "rsp": top + 16 + RED_ZONE}
    if has("ready"):
        return READY, registers, ""
    if has("spinning"):
        return SPINNING, registers, ""
    at = lane + offset("lane.at") if has("elsewhere") else blocks[block] + offset("block.barrier")
    return WAITING, registers, place_in_words(at)


def coordinates(number, shape):
    return [number % shape[0], number // shape[0] % shape[1], number // shape[0] // shape[1]]


def flat(at, shape):
    return at[0] + shape[0] * (at[1] + shape[1] * at[2])


def number_in(given, shape, what):
    """Of "5" or "(1,2,0)"."""
    parts = [p.strip() for p in given.strip().strip("()").split(",")]
    try:
        values = [int(p, 0) for p in parts]
    except ValueError:
        raise gdb.GdbError("%s '%s': expected a number, or (x,y,z)" % (what, given))
    if len(values) > 1:
        values += [0] * (3 - len(values))
        if any(v < 0 or v >= n for v, n in zip(values, shape)):
            raise gdb.GdbError("there is no %s (%s)" % (what, ",".join(map(str, values))))
        return flat(values, shape)
    if values[0] < 0 or values[0] >= shape[0] * shape[1] * shape[2]:
        raise gdb.GdbError("there is no %s %d" % (what, values[0]))
    return values[0]


def triple(v):
    return "(%d,%d,%d)" % tuple(v)


class Shown:
    """The thread that is looked at in place of the running one."""
    registers = None
    running_at = None  # rip and rsp of the running one
    who = None  # block and thread

    @classmethod
    def forget(cls, *_):
        if cls.registers is not None:
            cls.registers = cls.who = None
            gdb.invalidate_cached_frames()


class FrameId:
    def __init__(self, sp, pc):
        self.sp, self.pc = sp, pc


class OtherThread(Unwinder):
    """Puts the frames of the thread shown behind the innermost one."""

    def __init__(self):
        super().__init__("warpfold")

    def __call__(self, frame):
        if Shown.registers is None:
            return None
        pc = frame.read_register("rip")
        if (int(pc), int(frame.read_register("rsp"))) != Shown.running_at:
            return None
        below = gdb.Value(Shown.registers["rsp"] - 16).cast(LONG)  # inner to all of its frames
        info = frame.create_unwind_info(FrameId(below, pc))
        for name, value in Shown.registers.items():
            info.add_saved_register(name, gdb.Value(value).cast(LONG))
        return info


def own_frame():
    """The innermost frame of the program itself: what has lines."""
    frame = gdb.newest_frame()
    while frame is not None and int(frame.read_register("rsp")) == Shown.running_at[1]:
        frame = frame.older()  # of the running thread
    while frame is not None and frame.is_valid():
        where = frame.find_sal()
        if where.symtab is not None and "include/simt/" not in where.symtab.filename:
            return frame
        frame = frame.older()
    return None


def set_variables(now, who=None):
    values = {name: now[name] for name in ("threadIdx", "blockIdx", "blockDim", "gridDim")}
    if who is not None:
        values["blockIdx"] = coordinates(who[0], now["gridDim"])
        values["threadIdx"] = coordinates(who[1], now["blockDim"])
    kind = gdb.lookup_type("unsigned int")
    try:
        kind_of_three = gdb.lookup_type("uint3")
    except gdb.error:
        kind_of_three = kind.array(2)
    for name, v in values.items():
        raw = b"".join(x.to_bytes(4, "little") for x in v)
        gdb.set_convenience_variable(name, gdb.Value(raw, kind_of_three))


def on_stop(event):
    Shown.forget()
    now = running()
    if now is not None:
        set_variables(now)


class Cuda(gdb.Command):
    __doc__ = __doc__

    def __init__(self):
        super().__init__("cuda", gdb.COMMAND_STACK)

    def invoke(self, argument, from_tty):
        words = argument.split(None, 1)
        what, rest = (words + ["", ""])[:2]
        actions = {"": self.where, "blocks": self.blocks, "warp": self.warp,
                   "thread": self.thread, "block": self.block}
        if what not in actions:
            raise gdb.GdbError("cuda %s: there are cuda, cuda blocks, cuda warp, cuda thread and "
                               "cuda block; `help cuda`" % what)
        actions[what](rest)

    def complete(self, text, word):
        return [w for w in ("blocks", "warp", "thread", "block") if w.startswith(text)]

    def where(self, _=""):
        now = needed()
        block, thread = Shown.who or (now["block"], now["thread"])
        print("block %s, thread %s, warp %d lane %d%s" % (
            triple(coordinates(block, now["gridDim"])),
            triple(coordinates(thread, now["blockDim"])), thread // WARP, thread % WARP,
            "" if Shown.who is None else "; the running one is block %s, thread %s" % (
                triple(now["blockIdx"]), triple(now["threadIdx"]))))

    def blocks(self, _):
        now = needed()
        for b in sorted(resident(now)):
            print("block %d %s%s" % (b, triple(coordinates(b, now["gridDim"])),
                                     ", running" if b == now["block"] else ""))

    def warp(self, given):
        now = needed()
        block, thread = Shown.who or (now["block"], now["thread"])
        shape = now["blockDim"]
        threads = shape[0] * shape[1] * shape[2]
        index = number_in(given, [(threads + WARP - 1) // WARP, 1, 1], "warp") if given \
            else thread // WARP
        print("block %s, warp %d" % (triple(coordinates(block, now["gridDim"])), index))
        lanes = []
        for t in range(index * WARP, min((index + 1) * WARP, threads)):
            state, _, place = state_of(now, block, t)
            lanes.append((STATES[state] + (" at " + place if place else ""), t))
        first = 0
        for i in range(1, len(lanes) + 1):  # those side by side that do the same, as one
            if i < len(lanes) and lanes[i][0] == lanes[first][0]:
                continue
            names = "lane %d" % first if i - first == 1 else "lanes %d-%d" % (first, i - 1)
            print("  %-11s %s %s" % (
                names, triple(coordinates(lanes[first][1], shape)), lanes[first][0]))
            first = i

    def thread(self, given):
        now = needed()
        if not given:
            Shown.forget()
            set_variables(now)
            return self.where()
        block = Shown.who[0] if Shown.who else now["block"]
        self.show(now, block, number_in(given, now["blockDim"], "thread"))

    def block(self, given):
        now = needed()
        if not given:
            return self.where()
        self.show(now, number_in(given, now["gridDim"], "block"), 0)

    def show(self, now, block, thread):
        state, registers, place = state_of(now, block, thread)
        if state == NONE:
            raise gdb.GdbError("block %d is not in flight on this thread of the program; `cuda "
                               "blocks` lists those that are" % block)
        if state == ENDED:
            raise gdb.GdbError("thread %d of block %d has ended" % (thread, block))
        Shown.forget()
        if state != RUNNING:
            newest = gdb.newest_frame()
            Shown.running_at = tuple(int(newest.read_register(r)) for r in ("rip", "rsp"))
            Shown.registers, Shown.who = registers, (block, thread)
            gdb.invalidate_cached_frames()
            frame = own_frame()
            if frame is not None:
                frame.select()
            else:
                print("it has not begun")
        set_variables(now, (block, thread))
        self.where()
        if place:
            print("waits at " + place)
        gdb.execute("frame")


class Is(gdb.Function):
    def __init__(self, name, key):
        super().__init__(name)
        self.key = key

    def invoke(self, *wanted):
        now = running()
        return now is not None and [int(w) for w in wanted] == now[self.key][:len(wanted)] and \
            not any(now[self.key][len(wanted):])


gdb.unwinder.register_unwinder(None, OtherThread(), replace=True)
gdb.events.stop.connect(on_stop)
gdb.events.cont.connect(Shown.forget)
gdb.events.new_objfile.connect(Layout.forget)
Cuda()
Is("cuda_thread", "threadIdx")
Is("cuda_block", "blockIdx")
gdb.execute("set environment SIMT_WATCHED 1")
