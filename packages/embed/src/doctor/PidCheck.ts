import { Agent, heldBy, Processes } from "@souffleur/domain"
import { refuseTarget } from "@souffleur/supervisor"
import { Effect, Equal, Option, Result } from "effect"
import type { NamedWatch } from "../watching/FindWatch.ts"
import { Installation } from "../world/Installation.ts"
import { type Finding, note, passed, wrong } from "./Finding.ts"

/** Checks whether a process could be watched, with the questions of `watch`. It claims nothing. */
export const pidCheck = Effect.fn("Doctor.pidCheck")(function* (pid: number, watches: ReadonlyArray<NamedWatch>) {
  const agent = yield* Agent
  const { agent: kind } = yield* Installation
  const processes = yield* Processes
  const check = `process ${pid}`
  const found = Option.getOrUndefined(yield* processes.find(pid))
  const choose = "souffleur watch, without a pid, lists the live sessions"
  if (found === undefined) return [wrong(check, "no such process is running", choose)]
  if (found.condition === "zombie") return [wrong(check, "it has ended (a zombie)", choose)]
  const refused = yield* Effect.result(refuseTarget(pid))
  if (Result.isFailure(refused)) return [wrong(check, refused.failure.message, choose)]
  const findings: Array<Finding> = []
  findings.push(
    agent.isAgent(yield* processes.commandLine(pid))
      ? passed(check, `${found.name} is an agent by its command line, and ${found.condition}`)
      : note(
          check,
          `${found.name} is no agent by its command line`,
          "an agent of your own? set AGENT_COMMAND to its command"
        )
  )
  const session = yield* heldBy(found.identity)
  if (session === undefined)
    findings.push(
      note(check, "neither a hook nor a pid file says which session it holds", "name it yourself: --session-id")
    )
  else {
    const file = yield* Effect.result(agent.sessionFile(session))
    findings.push(
      Result.isSuccess(file)
        ? passed(check, `it holds session ${session}: souffleur watch --pid ${pid} --session-id ${session}`)
        : wrong(
            check,
            `it holds session ${session}, which cannot be found: ${file.failure.message}`,
            `another folder? set ${kind.folder.variables[0]}`
          )
    )
  }
  const watching = watches.filter(
    ({ watch }) => watch.phase !== "Exited" && Equal.equals(watch.conductor, found.identity)
  )
  for (const { id } of watching) findings.push(passed(check, `it is the Conductor of watch ${id}`))
  return findings
})
