import { answersMeaning } from "@souffleur/domain"
import { SouffleurSetup } from "@souffleur/embed"
import { Console, Effect } from "effect"
import { Command, Flag } from "effect/cli"
import { BadUsage, Ended } from "../Failure.ts"
import { printTable } from "../explain/TextTable.ts"
import { printJson } from "../Printing.ts"
import { json, projectDir } from "./Options.ts"
import { Project, withProject } from "./ProjectCommand.ts"

/** Prints the channels of notices, and can test them (spec: command-line#setting-up). */
export const notifyCommand = Command.make(
  "notify",
  {
    projectDir,
    test: Flag.Boolean("test").pipe(
      Flag.withDescription("Send one notice to each channel, and say what each answered"),
      Flag.withDefault(false)
    ),
    json
  },
  Effect.fnUntraced(function* (flags) {
    const project = yield* Project
    const setup = yield* SouffleurSetup
    const none = new BadUsage({ message: "NOTIFY names no channel: set it in the config file, or SOUFFLEUR_NOTIFY" })
    const { settings } = yield* setup.settings(project)
    if (settings.some(({ name, value }) => name === "notify_answers" && value === "yes"))
      yield* Console.error(`Answers: ${answersMeaning}.`)
    if (!flags.test) {
      const names = settings.find(({ name }) => name === "notify")?.value as ReadonlyArray<string>
      if (names.length === 0) return yield* none
      return yield* flags.json ? printJson(names) : Effect.forEach(names, (name) => Console.log(name))
    }
    const answers = yield* setup.tryNotices(project)
    if (answers.length === 0) return yield* none
    if (flags.json)
      yield* printJson(answers.map(({ channel, problem }) => ({ channel, ok: problem === null, problem })))
    else
      yield* printTable(
        answers.map(({ channel, problem }) => [channel, problem === null ? "took it" : `did not take it: ${problem}`])
      )
    if (answers.some(({ problem }) => problem !== null)) return yield* new Ended({ code: 1 })
  })
).pipe(Command.provide(SouffleurSetup.layer), withProject)
