import { Processes } from "@souffleur/domain"
import type { CommandLine, Detached } from "@souffleur/embed"
import { Console, Effect, Schedule } from "effect"
import { printJson } from "../Printing.ts"
import { Environment } from "../world/CommandEnvironment.ts"

/** How a detached souffleur looks after its watch. */
interface DetachedLine {
  readonly guardian: boolean
  /** It counts as a restoration of the dead owner of that fence. */
  readonly over?: number | undefined
}

/** Returns the command by which a souffleur of its own resumes a watch. */
export const detachedLine = Effect.fnUntraced(function* ({ guardian, over }: DetachedLine) {
  const { self } = yield* Environment
  const { pid } = (yield* Processes).self
  return (id: string): CommandLine => [
    ...self,
    "watch",
    "--resume",
    id,
    "--outlive",
    String(pid),
    "--quiet",
    ...(guardian ? ["--guardian"] : []),
    ...(over === undefined ? [] : ["--restored", `died:${over}`])
  ]
})

/**
 * Tells of a detached souffleur, and returns the exit code: 1 if the agent is not watched, as souffleur looked at once.
 */
export const tellDetached = Effect.fnUntraced(function* ({ failure, id, output, pid }: Detached, asJson: boolean) {
  if (asJson) yield* printJson({ watch: id, pid, output, watched: failure === null, failure: failure ?? null })
  else if (failure === null) yield* Console.log(`souffleur, pid ${pid}, watches ${id}; it prints to ${output}`)
  else if (failure === undefined)
    yield* Console.log(`souffleur, pid ${pid}, still validates ${id}: "souffleur status ${id}" says how it goes`)
  else
    yield* Console.error(
      `${id} is not watched: ${failure}\nsouffleur, pid ${pid}, tries again each 30 s, and reads a reply in comms; "souffleur release ${id}" ends that`
    )
  return typeof failure === "string" ? 1 : 0
})

/**
 * Waits until the process that started this one is no longer its ancestor. The first process of a container is for ever
 * the ancestor of all, and nothing outlives it.
 */
export const outlived = Effect.fn("Detaching.outlived")(function* (starter: number) {
  const { ancestors } = yield* Processes
  if (starter === 1) return
  yield* Effect.repeat(ancestors, {
    until: (found) => !found.includes(starter),
    schedule: Schedule.spaced("10 millis")
  })
})
