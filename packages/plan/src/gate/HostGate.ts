import { Processes, Settings } from "@souffleur/domain"
import { endTree, runCheck } from "@souffleur/process"
import { Effect, FileSystem, Path, Result, Semaphore } from "effect"
import { gitIn } from "../git/GitProgram.ts"
import type { RefusedWork } from "../run/RunFields.ts"
import type { RunRef } from "../run/RunRef.ts"
import type { PlanProgram } from "../tasks/PlannedTask.ts"
import { type GateOrder, loggedProgram, type SetupOrder } from "./GatePort.ts"
import { includeFiles } from "./IncludeFiles.ts"

/** Where a plan's programs run, and with which variables. */
export interface GatePlace {
  readonly project: string
  readonly environment: Readonly<Record<string, string>>
}

/** Variables by which git would look at the caller's repository, and not at the checkout. */
const ofCaller = /^GIT_(?:DIR|WORK_TREE|INDEX_FILE|COMMON_DIR|OBJECT_DIRECTORY|PREFIX|NAMESPACE)$/u

/**
 * Makes the gate of a project, which judges one commit at a time, in a fresh work tree of git's in the state folder,
 * with the ignored files that `.worktreeinclude` names. Its programs count as an agent's session, since agents write
 * what they run. What they leave running is ended, also what a killed conductor's programs left. Each conductor has a
 * folder of its own all the same: not every process is found. A commit that cannot be checked out is refused.
 */
export const hostGate = Effect.fn("hostGate")(function* ({ environment, project }: GatePlace) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const { stateDir, verifyTimeout } = yield* Settings
  const processes = yield* Processes
  const services = yield* Effect.context<
    Effect.Services<ReturnType<typeof runCheck | typeof includeFiles>> | Processes
  >()
  const asked = yield* gitIn(project)
  const all = path.join(stateDir, "gates")
  const line = (what: string) => Effect.map(asked.git(["rev-parse", what]), (text) => text.replace(/\n$/u, ""))

  /** Removes a checkout, also where what ran in it has broken it. */
  const remove = Effect.fnUntraced(function* (folder: string) {
    yield* Effect.ignore(asked.git(["worktree", "remove", "--force", "--force", folder]))
    yield* Effect.ignore(fs.remove(folder, { recursive: true, force: true }))
  })
  const clear = Effect.fnUntraced(function* (id: string) {
    const names = yield* Effect.orElseSucceed(fs.readDirectory(all), () => [])
    yield* Effect.forEach(
      names.filter((name) => name.replace(/\.\d+$/u, "") === id),
      (name) => remove(path.join(all, name))
    )
  })

  /** Checks a commit out, and returns the folder of the project in it. */
  const checkout = Effect.fnUntraced(function* ({ head, ref }: GateOrder) {
    const [root, prefix] = yield* Effect.all([line("--show-toplevel"), line("--show-prefix")])
    const folder = path.join(all, `${ref.id}.${(yield* Effect.orDie(ref.state)).fence}`)
    yield* clear(ref.id)
    yield* fs.makeDirectory(all, { recursive: true, mode: 0o700 })
    yield* asked.git(["worktree", "add", "--force", "--force", "--no-checkout", "--detach", folder, head])
    // The configuration that counts there may name other filters.
    yield* (yield* gitIn(folder)).filtered(["reset", "--hard", "--quiet"])
    yield* includeFiles(root, folder)
    return path.join(folder, prefix)
  })

  const markOf = (id: string) => ({ SOUFFLEUR_LAUNCH_ID: `run-${id}-gate`, SOUFFLEUR_GATE: all })
  /** Ends what carries the mark of the gate. No process is its root: each program is over, and a pid may be reused. */
  const endLeft = Effect.fnUntraced(
    function* (ref: RunRef) {
      const none = { ...processes.self, startTime: 0 }
      const left = processes.tree(none, { tags: [{ environment: markOf(ref.id) }] })
      const pids = (yield* left).map(({ identity }) => identity.pid)
      if (pids.length === 0) return
      yield* ref.dispatch({ _tag: "EndGateLeft", pids })
      const granted = ref.granted(() => true)
      yield* endTree(none, () => left, "1 second", granted)
    },
    (ending) => Effect.ignore(ending)
  )

  /** Runs one program, and returns how it refuses the commit; `null`: it ended with 0. */
  const run = (cwd: string, id: string) => (words: PlanProgram) => {
    const own = Object.entries(environment).filter(([name]) => !ofCaller.test(name))
    const marked = { ...Object.fromEntries(own), ...markOf(id) }
    return runCheck({ words, cwd, environment: marked, within: verifyTimeout }).pipe(
      Effect.catchTag("ProgramFailed", ({ message, said = "" }) =>
        Effect.succeed({ code: null, said: `${said}\n${message}`.trim() })
      ),
      Effect.map(({ code, said }): RefusedWork | null =>
        code === 0 ? null : { program: loggedProgram(words), code, said }
      )
    )
  }

  /** Runs programs in a folder one after another, until one refuses. */
  const runAll = Effect.fnUntraced(function* (cwd: string, id: string, programs: ReadonlyArray<PlanProgram>) {
    const check = run(cwd, id)
    for (const words of programs) {
      const refused = yield* check(words)
      if (refused !== null) return refused
    }
    return null
  })
  const judgeIn = Effect.fnUntraced(function* (order: GateOrder) {
    yield* endLeft(order.ref)
    const made = yield* Effect.result(checkout(order))
    if (Result.isFailure(made))
      return { program: "git worktree add", code: null, said: made.failure.message.slice(0, 2000) }
    return yield* runAll(made.success, order.ref.id, [...order.gate.setup, ...order.gate.verify])
  })
  // What the programs of one judgement leave is ended by their mark, which is that of the run.
  const turn = yield* Semaphore.make(1)
  const judge = Effect.fn("hostGate.judge")((order: GateOrder) =>
    judgeIn(order).pipe(Effect.ensuring(endLeft(order.ref)), turn.withPermit, Effect.provide(services))
  )
  const setUp = Effect.fn("hostGate.setUp")(({ folder, programs, ref }: SetupOrder) =>
    endLeft(ref).pipe(
      Effect.andThen(runAll(folder, ref.id, programs)),
      Effect.ensuring(endLeft(ref)),
      turn.withPermit,
      Effect.provide(services)
    )
  )
  const end = Effect.fn("hostGate.end")((ref: RunRef) => Effect.provide(endLeft(ref), services))
  return { judge, setUp, end, clear: (id: string) => Effect.provide(clear(id), services) }
})
