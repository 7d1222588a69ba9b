import { Settings } from "@souffleur/domain"
import { runCheck } from "@souffleur/process"
import { Effect, FileSystem, Path } from "effect"
import { GitUnusable } from "../git/Git.ts"
import { gitIn } from "../git/GitProgram.ts"
import type { RefusedWork } from "../run/RunFields.ts"
import type { PlanProgram } from "../tasks/Plan.ts"
import type { GateOrder } from "./GatePort.ts"

const parts = (text: string) => text.split("\0").filter((part) => part !== "")

/** Where a plan's programs run, and with which variables. */
export interface GatePlace {
  readonly project: string
  readonly environment: Readonly<Record<string, string>>
}

/**
 * Makes the gate of a project: a work tree of git's in the state folder, which follows the commit that is judged.
 * Ignored files that `.worktreeinclude` names are copied into it, and what git ignores there stays from one commit to
 * the next. Each conductor has one of its own, since a program of a killed one may still write to the other.
 */
export const hostGate = Effect.fn("hostGate")(function* ({ environment, project }: GatePlace) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const { stateDir, verifyTimeout } = yield* Settings
  const services = yield* Effect.context<Effect.Services<ReturnType<typeof runCheck>>>()
  const asked = yield* gitIn(project)
  const failed = (doing: string) => (error: { readonly message: string }) =>
    new GitUnusable({ project, problem: `git could not ${doing}: ${error.message}` })
  const line = (what: string) =>
    asked.git(["rev-parse", what]).pipe(
      Effect.map((text) => text.replace(/\n$/u, "")),
      Effect.mapError(failed("tell where the work tree is"))
    )
  const all = path.join(stateDir, "gates")

  /** Removes the checkouts of a run but for one. */
  const clear = Effect.fnUntraced(function* (id: string, kept: string | undefined) {
    const names = yield* Effect.orElseSucceed(fs.readDirectory(all), () => [])
    for (const name of names.filter((one) => one.startsWith(`${id}.`) && one !== kept)) {
      const folder = path.join(all, name)
      yield* Effect.ignore(asked.git(["worktree", "remove", "--force", folder]))
      yield* Effect.ignore(fs.remove(folder, { recursive: true, force: true }))
    }
    yield* Effect.ignore(asked.git(["worktree", "prune"]))
  })

  /** Copies the ignored files that the project wants in each work tree. */
  const include = Effect.fnUntraced(function* (root: string, folder: string) {
    const file = path.join(root, ".worktreeinclude")
    if (!(yield* fs.exists(file))) return
    const whole = yield* gitIn(root)
    const named = parts(yield* whole.git(["ls-files", "--others", "--ignored", `--exclude-from=${file}`, "-z"]))
    const ignored = yield* whole.ignored(named)
    for (const name of named.filter((one) => ignored.has(one))) {
      yield* fs.makeDirectory(path.join(folder, path.dirname(name)), { recursive: true })
      yield* fs.copyFile(path.join(root, name), path.join(folder, name))
    }
  })

  /** Checks a commit out, and returns the folder of the project in it. */
  const checkout = Effect.fnUntraced(function* ({ head, ref }: GateOrder) {
    const [root, prefix] = yield* Effect.all([line("--show-toplevel"), line("--show-prefix")])
    const name = `${ref.id}.${(yield* Effect.orDie(ref.state)).fence}`
    const folder = path.join(all, name)
    yield* clear(ref.id, name)
    yield* Effect.gen(function* () {
      yield* fs.makeDirectory(all, { recursive: true, mode: 0o700 })
      if (yield* fs.exists(folder)) {
        yield* asked.filtered(["-C", folder, "checkout", "--detach", "--force", head])
        yield* asked.git(["-C", folder, "clean", "-ffdq"])
      } else yield* asked.filtered(["worktree", "add", "--detach", folder, head])
      yield* include(root, folder)
    }).pipe(Effect.mapError(failed(`check ${head} out`)))
    return path.join(folder, prefix)
  })

  /** Runs one program, and returns how it refuses the commit; `null`: it ended with 0. */
  const run = (cwd: string) => (words: PlanProgram) =>
    runCheck({ words, cwd, environment, within: verifyTimeout }).pipe(
      Effect.catchTag("ProgramFailed", ({ message }) => Effect.succeed({ code: null, said: message })),
      Effect.map(({ code, said }): RefusedWork | null =>
        code === 0 ? null : { program: words.join(" ").slice(0, 200), code, said }
      )
    )

  const judge = Effect.fn("hostGate.judge")(function* (order: GateOrder) {
    const check = run(yield* checkout(order))
    for (const words of [...order.gate.setup, ...order.gate.verify]) {
      const refused = yield* check(words)
      if (refused !== null) return refused
    }
    return null
  }, Effect.provide(services))
  return { judge, clear: (id: string) => Effect.provide(clear(id, undefined), services) }
})
