import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Processes, type ProcessIdentity } from "@souffleur/domain"
import { Effect, Option } from "effect"
import { meansGone } from "../src/files/SystemError.ts"
import { lockersIn, parseStat, proc } from "../src/processes/Proc.ts"
import { layerOf, layerOn } from "../src/processes/Processes.ts"
import { conditionOf, type ProcessSource } from "../src/processes/ProcessSource.ts"
import { type PsDialect, psSource } from "../src/processes/Ps.ts"
import { becomes, folder, identity, killed, output, spawned, until } from "./fixtures/Spawned.ts"

const condition = (process: Parameters<typeof Processes.Service.condition>[0]) =>
  Effect.flatMap(Processes, (processes) => processes.condition(process))
const signal = (...args: Parameters<typeof Processes.Service.signal>) =>
  Effect.flatMap(Processes, (processes) => processes.signal(...args))

const named = (pid: number, name: string) =>
  until(
    Effect.map(
      Effect.flatMap(Processes, (processes) => processes.find(pid)),
      Option.exists((info) => info.name === name)
    )
  )

/** Waits until a process has written its line to a file, and returns the number in it. */
const numberIn = (path: string) => {
  const read = () => (fs.existsSync(path) ? fs.readFileSync(path, "utf8") : "")
  return Effect.map(until(Effect.sync(() => read().endsWith("\n"))), () => Number(read()))
}

it("the fields are counted behind a program's name, whatever it is", () => {
  const rest = Array.from({ length: 48 }, (_, at) => at + 5)
  const stat = parseStat(`7 (a) R 1 (b) Z 4 ${rest.join(" ")}\n`)
  assert.deepStrictEqual(stat, {
    pid: 7,
    name: "a) R 1 (b",
    state: "Z",
    parent: 4,
    group: 5,
    hasTerminal: true,
    processor: 14 + 15,
    ofChildren: 16 + 17,
    threads: 20,
    startTime: 22
  })
  assert.isFalse(parseStat("7 (a) S 1 7 7 0 -1 4194304\n").hasTerminal)
  assert.strictEqual(conditionOf(stat), "running", "only the main thread has ended")
  assert.strictEqual(conditionOf({ ...stat, threads: 1 }), "zombie")
})

describe("behaviour#damaged-log", () => {
  it("a lack of descriptors, memory or permission is no sign that a process is gone", () => {
    const failed = (code: string) => meansGone(Object.assign(new Error(code), { code }))
    assert.deepStrictEqual(["ENOENT", "ESRCH"].map(failed), [true, true])
    assert.deepStrictEqual(["EMFILE", "ENFILE", "ENOMEM", "EACCES", "EIO"].map(failed), [
      false,
      false,
      false,
      false,
      false
    ])
  })
})
it.effect("a platform that is not built is named", () =>
  Effect.gen(function* () {
    const failure = yield* Effect.flip(Effect.provide(Processes, layerOn("aix")))
    assert.strictEqual(failure._tag, "ProcessesUnavailable")
  })
)

it.effect("the cache keeps a bounded number of descriptors, and answers for all processes", () =>
  Effect.gen(function* () {
    const other = yield* spawned("sleep", ["300"])
    const open = () => fs.readdirSync("/proc/self/fd").length
    const before = open()
    const kept = proc.reader(1)
    const known = (pid: number) => ({ pid, bootId: "", startTime: proc.stat(pid)?.startTime ?? 0 })
    const one = known(process.pid)
    const two = known(other.pid)
    for (const process of [one, two, one, two]) assert.strictEqual(kept.read(process)?.pid, process.pid)
    assert.strictEqual(open(), before + 1)
    assert.isUndefined(kept.read({ ...one, startTime: one.startTime + 1 }))
    kept.close()
    assert.strictEqual(open(), before)
  })
)

describe("behaviour#signs", () => {
  it("a lock counts if it is of a whole file, and of that inode", () => {
    const locks = [
      "1: FLOCK  ADVISORY  WRITE 929 fe:00:77 0 EOF",
      "2: FLOCK  ADVISORY  WRITE 930 fe:00:7 0 EOF",
      "3: POSIX  ADVISORY  WRITE 931 fe:00:77 0 EOF",
      "4: POSIX  ADVISORY  READ 932 fe:00:77 128 128",
      ""
    ]
    assert.deepStrictEqual(lockersIn(locks.join("\n"), "77"), [929])
  })
})

/** The programs of Debian, by which the source of macOS is tried here. */
const debian: PsDialect = {
  ps: "/bin/ps",
  executable: "exe",
  environment: "e",
  bootId: ["/sbin/sysctl", "-n", "kernel.random.boot_id"],
  hardware: ["/bin/echo", "6D1B2C3A-0000-4000-8000-00000000002A"],
  lsof: "/usr/bin/lsof"
}
const holdsBy = (source: ProcessSource) => {
  describe("behaviour#stop", () => {
    it.layer(layerOf(source), { excludeTestServices: true })((it) => {
      it.effect("this process, its ancestors and its host are known", () =>
        Effect.gen(function* () {
          const processes = yield* Processes
          assert.strictEqual(processes.self.pid, process.pid)
          assert.deepStrictEqual((yield* processes.ancestors)[0], process.ppid)
          assert.notInclude(yield* processes.ancestors, process.pid)
          const found = Option.getOrThrow(yield* processes.find(process.pid))
          assert.deepStrictEqual(found.identity, processes.self)
          assert.strictEqual(found.uid, process.getuid?.())
          assert.isNotEmpty(processes.host.pidNamespace)
          assert.isTrue(Option.isNone(yield* processes.find(0)))
          assert.strictEqual(yield* processes.condition({ ...processes.self, bootId: "another boot" }), "gone")
        })
      )

      it.effect("a working process uses processor time, and a sleeping one uses none", () =>
        Effect.gen(function* () {
          const processes = yield* Processes
          const works = yield* spawned("sh", ["-c", "while :; do :; done"])
          const sleeps = yield* spawned("sleep", ["300"])
          const working = yield* identity(works.pid)
          const sleeping = yield* identity(sleeps.pid)
          yield* named(sleeping.pid, "sleep")
          const isStill = Effect.gen(function* () {
            const before = (yield* processes.processorTime(working)) ?? NaN
            const still = yield* processes.processorTime(sleeping)
            yield* until(Effect.map(processes.processorTime(working), (now = 0) => now > before + 10))
            assert.isDefined(still)
            return (yield* processes.processorTime(sleeping)) === still
          })
          // It has its name before it is loaded.
          yield* until(isStill)
          assert.isUndefined(yield* processes.processorTime({ ...working, startTime: working.startTime + 1 }))
          assert.isUndefined(yield* processes.processorTime({ ...working, bootId: "another boot" }))
          yield* signal(working, "SIGKILL")
          yield* becomes(working, "gone")
          assert.isUndefined(yield* processes.processorTime(working))
        })
      )

      it.effect("a process is seen running, stopped and killed, under an odd name", () =>
        Effect.gen(function* () {
          const program = join(yield* folder, "a b) R (c")
          fs.copyFileSync("/bin/sleep", program)
          const process = yield* identity((yield* spawned(program, ["300"])).pid)
          yield* named(process.pid, "a b) R (c")
          assert.strictEqual(yield* condition(process), "running")
          globalThis.process.kill(process.pid, "SIGSTOP")
          yield* becomes(process, "stopped")
          yield* signal(process, "SIGKILL")
          yield* becomes(process, "gone")
          yield* signal(process, "SIGKILL")
        })
      )

      it.effect("a zombie differs from a living process", () =>
        Effect.gen(function* () {
          const parent = yield* spawned("/bin/sh", ["-c", "sleep 300 & echo $!; exec sleep 300"])
          const child = yield* identity(Number(yield* output(parent)))
          // The shell would reap it.
          yield* named(parent.pid, "sleep")
          yield* signal(child, "SIGKILL")
          yield* becomes(child, "zombie")
          const found = yield* Effect.flatMap(Processes, (processes) => processes.find(child.pid))
          assert.strictEqual(Option.getOrThrow(found).condition, "zombie")
        })
      )

      it.effect("a tree holds living processes, and only tagged ones for a root of an earlier boot", () =>
        Effect.gen(function* () {
          const root = yield* spawned("/bin/sh", ["-c", "sleep 300 & echo $!; exec sleep 300"])
          const child = Number(yield* output(root))
          const { tree } = yield* Processes
          const it = yield* identity(root.pid)
          yield* Effect.addFinalizer(() => killed(child))
          const pids = (of: ProcessIdentity) =>
            Effect.map(tree(of, {}), (all) => all.map(({ identity }) => identity.pid))
          assert.deepStrictEqual(yield* pids(it), [child])
          assert.deepStrictEqual(yield* pids({ ...it, bootId: "another boot" }), [])
          // Its parent never asks how it ended, so it becomes a zombie. A zombie does nothing any more.
          const ended = yield* identity(child)
          yield* killed(child)
          yield* becomes(ended, "zombie")
          assert.deepStrictEqual(yield* pids(it), [])
        })
      )

      it.effect("another process under the same pid is never signalled, nor init, nor souffleur itself", () =>
        Effect.gen(function* () {
          const child = yield* spawned("/bin/sleep", ["300"])
          const process = yield* identity(child.pid)
          const former = { ...process, startTime: process.startTime - 1 }
          assert.strictEqual(yield* condition(former), "gone")
          yield* signal(former, "SIGKILL")
          yield* signal({ ...process, bootId: "another boot" }, "SIGKILL")
          // Of two signals SIGKILL wins. An end by SIGTERM shows that no SIGKILL arrived.
          yield* signal(process, "SIGTERM")
          yield* until(Effect.sync(() => child.signalCode !== null))
          assert.strictEqual(child.signalCode, "SIGTERM")
          const self = (yield* Processes).self
          for (const refused of [
            self,
            { ...self, pid: 1 },
            { ...self, pid: 0 },
            { ...self, pid: -1 },
            { ...self, pid: -child.pid }
          ]) {
            assert.strictEqual((yield* Effect.flip(signal(refused, "SIGTERM")))._tag, "NotPermitted")
          }
        })
      )

      it.effect("a signal is only sent: a process that handles SIGTERM lives", () =>
        Effect.gen(function* () {
          const child = yield* spawned("/bin/sh", [
            "-c",
            "trap 'echo asked' TERM; echo ready; while :; do sleep 0.05; done"
          ])
          assert.strictEqual(yield* output(child), "ready")
          const process = yield* identity(child.pid)
          yield* signal(process, "SIGTERM")
          assert.strictEqual(yield* output(child), "asked")
          assert.strictEqual(yield* condition(process), "running")
          yield* signal(process, "SIGKILL")
          yield* becomes(process, "gone")
        })
      )

      it.effect(
        "processes that a Conductor started are found, in other sessions and re-parented too, but no second agent",
        () =>
          Effect.gen(function* () {
            const processes = yield* Processes
            const at = yield* folder
            const background = (name: string, options: string) =>
              `${options} sh -c 'echo $$ > ${at}/${name}; exec sleep 300' &`
            // The tool's shell ends, so init adopts the tool. A process that the tool starts has no tag.
            const tool = `MARK=yes sh -c "setsid sh -c 'echo \\$\\$ > ${at}/tool; env -u MARK sleep 300 & echo \\$! > ${at}/below; wait' &"`
            const agent = `MARK=yes sh -c 'echo $$ > ${at}/agent; sleep 300 & echo $! > ${at}/its; wait' &`
            const script = `${tool}\n${background("child", "setsid")}\n${agent}\nexec sleep 300`
            const root = yield* spawned("/bin/sh", ["-c", script])
            const stranger = yield* spawned("/bin/sleep", ["300"], { env: { MARK: "yesterday" } })
            const names = ["tool", "below", "child", "agent", "its"]
            const pids = new Map<string, number>()
            for (const name of names) {
              const pid = yield* numberIn(join(at, name))
              pids.set(name, pid)
              yield* Effect.addFinalizer(() => killed(pid))
            }
            const pid = (name: string) => pids.get(name) ?? 0
            const conductor = yield* identity(root.pid)
            const tags = [{ environment: { MARK: "yes" } }]
            const tree = (others: ReadonlyArray<number>, tags_ = tags) =>
              Effect.map(processes.tree(conductor, { tags: tags_, others }), (found) =>
                found.map((info) => info.identity.pid).sort()
              )
            const orphaned = Effect.map(
              processes.find(pid("tool")),
              (found) => Option.getOrThrow(found).parent !== root.pid
            )
            yield* until(orphaned)

            assert.deepStrictEqual(yield* tree([pid("agent")]), [pid("tool"), pid("below"), pid("child")].sort())
            assert.deepStrictEqual(yield* tree([pid("agent"), root.pid], []), [pid("child")])
            assert.sameMembers(yield* tree([]), [...pids.values()])
            const marked = Effect.map(processes.tagged({ environment: { MARK: "yes" } }), (found) =>
              found.map((info) => info.identity.pid)
            )
            assert.include(yield* marked, pid("tool"))
            assert.notInclude(yield* marked, stranger.pid)
            assert.deepStrictEqual(yield* processes.tagged({ environment: {} }), [])

            yield* processes.signal(conductor, "SIGKILL")
            yield* becomes(conductor, "gone")
            assert.deepStrictEqual(
              yield* tree([pid("agent")]),
              [pid("tool"), pid("below")].sort(),
              "tags tell when the root is dead"
            )
            assert.deepStrictEqual(yield* tree([pid("agent")], []), [])
          })
      )

      const asRoot = process.getuid?.() === 0 && spawnSync("setpriv", ["--version"]).status === 0
      it.effect.skipIf(!asRoot)(
        "another user's process with our tag is left alone (skipped unless root has setpriv)",
        () =>
          Effect.gen(function* () {
            const processes = yield* Processes
            const mark = `souffleur-${process.pid}-foreign`
            const as = (uid: string) => [
              "--reuid",
              uid,
              "--regid",
              uid,
              "--clear-groups",
              "setsid",
              "sh",
              "-c",
              "echo ready; exec sleep 300"
            ]
            const foreign = yield* spawned("setpriv", as("65534"), { env: { MARK: mark } })
            const ours = yield* spawned("setsid", ["sh", "-c", "echo ready; exec sleep 300"], { env: { MARK: mark } })
            yield* output(foreign)
            yield* output(ours)
            const tag = { environment: { MARK: mark } }
            const pids = (found: ReadonlyArray<{ readonly identity: { readonly pid: number } }>) =>
              found.map(({ identity }) => identity.pid)
            assert.deepStrictEqual(pids(yield* processes.tagged(tag)), [ours.pid])
            const carriers = yield* processes.carriers("MARK")
            assert.deepStrictEqual(pids(carriers.filter(({ value }) => value === mark)), [ours.pid])
            assert.deepStrictEqual(yield* processes.carriers("ARK"), [])
            assert.deepStrictEqual(pids(yield* processes.tree({ pid: 0, startTime: 0, bootId: "" }, { tags: [tag] })), [
              ours.pid
            ])
          })
      )

      it.effect("a known process is found without its environment and parent, with its later children", () =>
        Effect.gen(function* () {
          const { signal, tree } = yield* Processes
          const at = yield* folder
          // A worker of its own session that starts something once it is told to.
          const worker = `while [ ! -e ${at}/go ]; do sleep 0.01; done; sleep 300 & echo $! > ${at}/started; wait`
          const root = yield* spawned("/bin/sh", [
            "-c",
            `env -i PATH="$PATH" setsid sh -c '${worker}' & echo $!; exec sleep 300`
          ])
          const pid = Number(yield* output(root))
          const conductor = yield* identity(root.pid)
          yield* Effect.addFinalizer(() => killed(pid))
          const before = yield* tree(conductor, {})
          assert.include(
            before.map(({ identity }) => identity.pid),
            pid
          )
          yield* signal(conductor, "SIGKILL")
          yield* becomes(conductor, "gone")
          fs.writeFileSync(join(at, "go"), "")
          const its = yield* numberIn(join(at, "started"))
          yield* Effect.addFinalizer(() => killed(its))
          const known = before.map(({ identity }) => identity)
          const pids = (found: typeof before) => found.map(({ identity }) => identity.pid).sort()
          assert.deepStrictEqual(yield* tree(conductor, {}), [], "neither by parent nor by tag")
          assert.deepStrictEqual(pids(yield* tree(conductor, { known })), [pid, its].sort())
          assert.deepStrictEqual(yield* tree(conductor, { others: [pid], known }), [], "another agent's session by now")
          const former = known.map((one) => ({ ...one, startTime: one.startTime - 1 }))
          assert.deepStrictEqual(yield* tree(conductor, { known: former }), [])
        })
      )

      // A listing of `ps` tells nothing of ended children.
      it.effect.skipIf(source !== proc)(
        "the processor time of a process in a tree has that of its children that have ended",
        () =>
          Effect.gen(function* () {
            const at = yield* folder
            const burn = `sh -c "i=0; while [ \\$i -lt 300000 ]; do i=\\$((i+1)); done"; echo 1 > ${at}/burnt`
            const root = yield* spawned("/bin/sh", ["-c", `sh -c '${burn}; exec sleep 300' & echo $!; exec sleep 300`])
            const pid = Number(yield* output(root))
            yield* Effect.addFinalizer(() => killed(pid))
            yield* numberIn(join(at, "burnt"))
            const found = yield* (yield* Processes).tree(yield* identity(root.pid), {})
            assert.isAbove(found.find(({ identity }) => identity.pid === pid)?.processor ?? 0, 5)
          })
      )

      it.effect("a process with only the name of a terminal server belongs to its tree", () =>
        Effect.gen(function* () {
          const at = yield* folder
          fs.copyFileSync("/bin/sleep", join(at, "tmux"))
          const root = yield* spawned("/bin/sh", ["-c", `${at}/tmux 300 & echo $!; exec sleep 300`])
          const false_ = Number(yield* output(root))
          yield* Effect.addFinalizer(() => killed(false_))
          yield* named(false_, "tmux")
          const found = yield* (yield* Processes).tree(yield* identity(root.pid), {})
          assert.deepStrictEqual(
            found.map(({ identity }) => identity.pid),
            [false_]
          )
        })
      )

      const canLock = source === proc || fs.existsSync(debian.lsof)
      it.effect.skipIf(!canLock)("a process holds a lock until it ends, and a file without one has no holder", () =>
        Effect.gen(function* () {
          const { lockers } = yield* Processes
          const file = join(yield* folder, "writer.lock")
          fs.writeFileSync(file, "")
          assert.deepStrictEqual(yield* lockers(file), [])
          assert.deepStrictEqual(yield* lockers(`${file}.none`), [])
          const child = yield* spawned("flock", ["--no-fork", file, "sleep", "600"])
          const holders = Effect.map(lockers(file), (all) => all.map(({ identity }) => identity.pid))
          yield* until(Effect.map(holders, (all) => all.length > 0))
          assert.deepStrictEqual(yield* holders, [child.pid])
          assert.deepStrictEqual(source.holders([file]), [child.pid])
          yield* killed(child.pid)
          yield* until(Effect.map(holders, (all) => all.length === 0))
        })
      )

      it.effect("a tag in the words of a command is none", () =>
        Effect.gen(function* () {
          const { tagged } = yield* Processes
          const mark = `souffleur-${process.pid}-words`
          const script = "echo ready; read line"
          const named = yield* spawned("sh", ["-c", script, "sh", `MARK=${mark}`])
          const carrier = yield* spawned("sh", ["-c", script], { env: { MARK: mark } })
          yield* output(named)
          yield* output(carrier)
          const found = yield* tagged({ environment: { MARK: mark } })
          assert.deepStrictEqual(
            found.map(({ identity }) => identity.pid),
            [carrier.pid]
          )
        })
      )

      it.effect("the words of a command line are known", () =>
        Effect.gen(function* () {
          const { commandLine } = yield* Processes
          const child = yield* spawned("sleep", ["300"])
          yield* named(child.pid, "sleep")
          assert.deepStrictEqual(yield* commandLine(child.pid), ["sleep", "300"])
        })
      )

      const tmux = fs.existsSync("/usr/bin/tmux")
      it.effect.skipIf(!tmux)(
        "a tmux server that the Conductor started is left alone, but not a Conductor's tools inside one",
        () =>
          Effect.gen(function* () {
            const processes = yield* Processes
            const at = yield* folder
            const socket = `souffleur-${process.pid}-tree`
            yield* Effect.addFinalizer(() =>
              Effect.sync(() => {
                spawnSync("tmux", ["-L", socket, "kill-server"])
                fs.rmSync(`/tmp/tmux-${process.getuid?.()}/${socket}`, { force: true })
              })
            )
            const pane = `sleep 300 & echo $! > ${at}/tool; echo $$ > ${at}/pane; wait`
            const start = `tmux -L ${socket} -f /dev/null new-session -d "${pane.replaceAll("$", "\\$")}"; exec sleep 300`
            const root = yield* spawned("/bin/sh", ["-c", start], { env: { MARK: socket } })
            const inPane = yield* numberIn(join(at, "pane"))
            const tool = yield* numberIn(join(at, "tool"))
            // The client of tmux has ended.
            yield* named(root.pid, "sleep")
            const tags = [{ environment: { MARK: socket } }]
            const pids = (found: ReadonlyArray<{ readonly identity: { readonly pid: number } }>) =>
              found.map((info) => info.identity.pid)
            assert.include(pids(yield* processes.tagged(tags[0]!)), inPane)
            assert.deepStrictEqual(yield* processes.tree(yield* identity(root.pid), { tags }), [])
            assert.deepStrictEqual(pids(yield* processes.tree(yield* identity(inPane), {})), [tool])
          })
      )
    })
  })
}
describe("processes by /proc", () => holdsBy(proc))
// The rules are the same, and each look of `ps` starts a program.
describe("processes by ps", { tags: ["cases"] }, () => holdsBy(psSource(debian)))
