import { parsePid } from "@souffleur/domain"
import { SouffleurSetup } from "@souffleur/embed"
import { Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { BadUsage, Ended } from "../Failure.ts"
import { printJson } from "../Printing.ts"
import { withProgressLine } from "../explain/Progress.ts"
import { printChecks } from "../preview/CheckTable.ts"
import { json, projectDir } from "./Options.ts"
import { Project, withProject } from "./ProjectCommand.ts"

/** Checks what a watch needs, and moves a damaged log aside (spec: command-line#doctor). */
export const doctorCommand = Command.make(
  "doctor",
  {
    pid: Argument.String("pid").pipe(Argument.withDescription("A process: could it be watched?"), Argument.optional),
    projectDir,
    quarantine: Flag.Boolean("quarantine").pipe(
      Flag.withDescription("Move a damaged event log aside, as it is, and say how to go on; a sound one stays"),
      Flag.withDefault(false)
    ),
    json
  },
  Effect.fnUntraced(function* (flags) {
    const project = yield* Project
    const pid = yield* Effect.transposeOption(Option.map(flags.pid, (text) => Effect.fromResult(parsePid(text))))
    if (flags.quarantine && Option.isSome(pid))
      return yield* new BadUsage({ message: "--quarantine concerns the log alone: leave the process out" })
    const setup = yield* SouffleurSetup
    const findings = flags.quarantine
      ? yield* withProgressLine("moving the log aside")(setup.quarantine(project))
      : yield* withProgressLine("looking at everything")(
          setup.findings(project, Option.isSome(pid) ? { pid: pid.value } : {})
        )
    const bad = findings.filter(({ level }) => level === "wrong").length
    if (flags.json) {
      const facts = findings.map(({ check, detail, level, todo }) => ({
        check,
        ok: level !== "wrong",
        level,
        detail,
        todo
      }))
      yield* printJson(facts)
    } else yield* printChecks(findings)
    if (bad > 0) return yield* new Ended({ code: 1 })
  })
).pipe(Command.provide(SouffleurSetup.layer), withProject)
