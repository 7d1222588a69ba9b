import { parsePid } from "@souffleur/domain"
import { type Finding, SouffleurSetup } from "@souffleur/embed"
import { Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { Environment } from "../world/CommandEnvironment.ts"
import { BadUsage, Ended } from "../Failure.ts"
import { paint, printJson, printLines } from "../Printing.ts"
import { withProgressLine } from "../explain/Progress.ts"
import { table } from "../explain/TextTable.ts"
import { json, projectDir } from "./Options.ts"
import { Project, withProject } from "./ProjectCommand.ts"

const colours: Readonly<Record<Finding["level"], Parameters<ReturnType<typeof paint>>[0]>> = {
  ok: "green",
  note: "yellow",
  wrong: "red"
}

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
    } else {
      const { colour, columns } = yield* Environment
      const brush = paint(colour)
      const dim = (text: string) => text.replaceAll(/.+/gu, (line) => brush("dim", line))
      const rows = findings.flatMap(({ check, detail, level, todo }) => [
        { cells: [level, check, detail], drawn: (text: string) => text.replace(level, brush(colours[level], level)) },
        ...(todo === null ? [] : [{ cells: ["", "", `-> ${todo}`], drawn: dim }])
      ])
      const lines = table(
        rows.map(({ cells }) => cells),
        { columns, wraps: true }
      )
      yield* printLines(lines.map((line, n) => rows[n]!.drawn(line)).join("\n"))
    }
    if (bad > 0) return yield* new Ended({ code: 1 })
  })
).pipe(Command.provide(SouffleurSetup.layer), withProject)
