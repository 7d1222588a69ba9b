import { formatChannel } from "@souffleur/domain"
import { Processes } from "@souffleur/node"
import type { NoticeChannel, NoticeMessage } from "@souffleur/process"
import { Clock, Console, Effect } from "effect"
import { Command, Flag } from "effect/cli"
import { BadUsage, Ended } from "../Failure.ts"
import { printJson } from "../Printing.ts"
import { noticeChannels, opening } from "@souffleur/embed/internal"
import { json, projectDir } from "./Options.ts"
import { Project, withProject } from "./ProjectCommand.ts"

/** Sends a notice once, and returns what the channel answered; `null`: it took the notice. */
const tried = Effect.fnUntraced(function* ({ name, send }: NoticeChannel, message: NoticeMessage) {
  const problem = yield* send(message, true).pipe(
    Effect.as(null),
    Effect.catchTag("NoticeLost", ({ message }) => Effect.succeed(message))
  )
  return { channel: name, ok: problem === null, problem }
})

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
    // A channel may be a program or a server of the config file's choice. So it is trusted as where a watch opens.
    const { settings } = yield* opening(project)
    if (settings.notify.length === 0)
      return yield* new BadUsage({ message: "NOTIFY names no channel: set it in the config file, or SOUFFLEUR_NOTIFY" })
    if (!flags.test) {
      const names = settings.notify.map(formatChannel)
      return yield* flags.json ? printJson(names) : Effect.forEach(names, (name) => Console.log(name))
    }
    const message: NoticeMessage = {
      subject: { watch: "test", project },
      revision: 0,
      at: yield* Clock.currentTimeMillis,
      notice: {
        kind: "test",
        state: "working",
        text: "This is a test of souffleur's notices.",
        words: null,
        next: "souffleur status"
      }
    }
    const channels = yield* Effect.provide(noticeChannels(settings), Processes.layer)
    const answers = yield* Effect.forEach(channels, (channel) => tried(channel, message), { concurrency: "unbounded" })
    if (flags.json) yield* printJson(answers)
    else
      yield* Effect.forEach(answers, ({ channel, problem }) =>
        Console.log(`${channel.padEnd(12)}${problem === null ? "took it" : `did not take it: ${problem}`}`)
      )
    if (answers.some(({ ok }) => !ok)) return yield* new Ended({ code: 1 })
  })
).pipe(withProject)
