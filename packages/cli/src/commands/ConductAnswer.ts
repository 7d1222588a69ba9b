import { tellRun } from "@souffleur/conductor"
import { isGone, Processes } from "@souffleur/domain"
import { Console, Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { host, settingsOf } from "../App.ts"
import { findRun, runs } from "../Conducted.ts"
import { BadUsage } from "../Failure.ts"
import { projectDir, realProject } from "./Options.ts"

/** Characters of guidance: it goes into prompts. */
const longest = 4000

export const runName = Flag.String("run").pipe(Flag.withDescription("A run's id (default: this folder's newest)"), Flag.optional)

export const conductAnswerCommand = Command.make(
  "answer",
  {
    task: Argument.String("task").pipe(Argument.withDescription("The task that is escalated")),
    text: Argument.String("text").pipe(Argument.withDescription("Guidance for its next implementer"), Argument.optional),
    retry: Flag.Boolean("retry").pipe(Flag.withDescription("Try it again as it is"), Flag.withDefault(false)),
    skip: Flag.Boolean("skip").pipe(Flag.withDescription("Leave it out; those that depend on it go on"), Flag.withDefault(false)),
    run: runName,
    projectDir
  },
  Effect.fnUntraced(function* ({ retry, run, skip, task, text, ...flags }) {
    const guidance = Option.getOrElse(text, () => "").trim()
    const given = [guidance !== "", retry, skip].filter((one) => one).length
    if (given !== 1) return yield* new BadUsage({ why: 'answer with one of: "what to do", --retry, --skip' })
    if (guidance.length > longest) return yield* new BadUsage({ why: `${guidance.length} characters of guidance, more than ${longest}` })
    const project = yield* realProject(flags.projectDir)
    const settings = yield* settingsOf(project)
    yield* Effect.gen(function* () {
      const { id } = yield* findRun(run, project)
      const answer = skip ? "skip" : retry ? "retry" : "guidance"
      const after = yield* tellRun(id, { _tag: "Answer", taskId: task, answer, text: guidance }, { _tag: "Operator" })
      const processes = yield* Processes
      const waits = after.owner !== null && !(yield* isGone(processes, after.owner.process))
      const how = waits ? "its conductor goes on" : `it goes on with: souffleur conduct ${after.plan}`
      yield* Console.error(`run ${id}: task ${task} ${skip ? "is skipped" : "is tried again"}; ${how}`)
    }).pipe(Effect.provide([runs(settings), host]))
  })
).pipe(Command.withDescription("Answer an escalation: guidance, --retry or --skip"))
