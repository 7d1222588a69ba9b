import { parsePid, Processes, type ResolvedSettings } from "@souffleur/domain"
import { HookFiles } from "@souffleur/node"
import { channelProblem } from "@souffleur/notify"
import { Console, Effect, Layer, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { layerAgent, layerAgentFiles, layerHost, settingsOf, trustOf } from "@souffleur/embed/internal"
import { commsCheck } from "../doctor/CommsCheck.ts"
import { pidCheck } from "../doctor/PidCheck.ts"
import { type Level, passed, wrong } from "../doctor/Finding.ts"
import { hooksCheck } from "../doctor/HooksCheck.ts"
import { stateFolderCheck } from "../doctor/StateFolderCheck.ts"
import { quarantine } from "../doctor/Quarantine.ts"
import { runsCheck } from "../doctor/RunsCheck.ts"
import { setupCheck, systemCheck } from "../doctor/SetupCheck.ts"
import { pinned, trustCheck } from "../doctor/TrustCheck.ts"
import { Environment } from "../world/CommandEnvironment.ts"
import { BadUsage, Ended } from "../Failure.ts"
import { paint, printJson } from "../Printing.ts"
import { wrapped } from "../Wrapped.ts"
import { withProgressLine } from "../explain/Progress.ts"
import { json, projectDir } from "./Options.ts"
import { Project, withProject } from "./ProjectCommand.ts"

const colours: Readonly<Record<Level, Parameters<ReturnType<typeof paint>>[0]>> = {
  ok: "green",
  note: "yellow",
  wrong: "red"
}

/** Checks the trust in the config file. A damaged record of trust is a finding too. */
const trustFinding = Effect.fnUntraced(function* (project: string) {
  return yield* Effect.map(trustOf(project), (trust) => ({
    settings: trust.settings,
    finding: trustCheck(trust)
  })).pipe(
    Effect.catchTag("ConfigUntrusted", ({ message }) =>
      Effect.map(settingsOf(project), (settings) => ({
        settings,
        finding: wrong("trust", message, "look at the config file, then: souffleur config --trust")
      }))
    )
  )
})

/** The files of the agent. They are read even where the agent cannot be launched, which another check reports. */
const evidence = (settings: ResolvedSettings) =>
  Layer.mergeAll(
    Layer.catch(layerAgent(settings), () => layerAgentFiles(settings)),
    HookFiles.layer(settings.stateDir)
  ).pipe(Layer.provideMerge(layerHost))

/** Checks the channels of notices. It sends nothing. */
const noticesCheck = Effect.fn("noticesCheck")(function* ({ notify, stateDir }: ResolvedSettings) {
  const { platform, variables } = yield* Environment
  return yield* Effect.forEach(notify, (channel) =>
    Effect.map(channelProblem(channel, { platform, variables, stateDir }), (problem) =>
      problem === null
        ? passed("notices", `${channel._tag} is ready`)
        : wrong("notices", `${channel._tag}: ${problem}`, "put it right, then: souffleur notify --test")
    )
  )
})

const examined = Effect.fnUntraced(function* (project: string, pid: Option.Option<number>) {
  const { finding, settings } = yield* trustFinding(project)
  const { uid } = yield* Effect.provide(
    Effect.map(Processes, ({ host }) => host),
    layerHost
  )
  const kept = yield* stateFolderCheck(settings)
  const readable = kept.findings.some(({ check, level }) => check === "event log" && level === "ok")
  return [
    ...systemCheck((yield* Environment).platform),
    ...(yield* setupCheck(settings, project, uid)),
    finding,
    ...pinned(kept.watches),
    ...(Option.isNone(pid) ? [] : yield* Effect.provide(pidCheck(pid.value, kept.watches), evidence(settings))),
    ...(yield* hooksCheck(settings, project)),
    ...(yield* noticesCheck(settings)),
    ...kept.findings,
    ...(readable ? yield* runsCheck(settings, project) : []),
    ...(yield* commsCheck(settings, project, kept.watches))
  ]
})

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
    const findings = flags.quarantine
      ? yield* withProgressLine("moving the log aside")(quarantine(yield* settingsOf(project)))
      : yield* withProgressLine("looking at everything")(examined(project, pid))
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
      const width = Math.max(...findings.map(({ check }) => check.length))
      const hang = " ".repeat(width + 9)
      for (const { check, detail, level, todo } of findings) {
        const [first = "", ...more] = wrapped(
          `${level.padEnd(5)}  ${check.padEnd(width)}  ${detail}`,
          columns,
          hang.length
        )
        yield* Console.log(`${brush(colours[level], first.slice(0, 5))}${first.slice(5)}`)
        yield* Effect.forEach(more, (line) => Console.log(line))
        const todos = todo === null ? [] : wrapped(`${hang}-> ${todo}`, columns, hang.length + 3)
        yield* Effect.forEach(todos, (line) => Console.log(brush("dim", line)))
      }
    }
    if (bad > 0) return yield* new Ended({ code: 1 })
  })
).pipe(withProject)
