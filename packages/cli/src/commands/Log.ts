import { EventLog, evolve, initial, type Recorded, type Watch } from "@souffleur/domain"
import { Clock, Console, Duration, Effect, Option, Stream } from "effect"
import { Command, Flag } from "effect/cli"
import { settingsOf, store } from "../App.ts"
import { Environment } from "../Environment.ts"
import { BadUsage } from "../Failure.ts"
import { jsonLine, line, paint } from "../Telling.ts"
import { findWatch } from "../Watches.ts"
import { json, projectDir, realProject, watchName } from "./Options.ts"

/** `8h`, `30m`, or what Effect reads as a duration. */
const sinceOf = (text: string) =>
  Option.match(
    Duration.fromInput(
      text.replace(
        /^(\d+)\s*(s|m|h|d)$/u,
        (_, n: string, unit: "s" | "m" | "h" | "d") => `${n} ${{ s: "seconds", m: "minutes", h: "hours", d: "days" }[unit]}`
      ) as Duration.Input
    ),
    {
      onNone: () =>
        Effect.fail(new BadUsage({ why: `--since ${JSON.stringify(text.slice(0, 40))} is no duration: write 8h, 30m or "90 seconds"` })),
      onSome: Effect.succeed
    }
  )

export const logCommand = Command.make(
  "log",
  {
    watch: watchName,
    projectDir,
    json,
    follow: Flag.Boolean("follow").pipe(Flag.withDescription("Go on with what is appended, until the watch ends"), Flag.withDefault(false)),
    from: Flag.Int("from").pipe(Flag.withDescription("Only from this revision on"), Flag.withDefault(1)),
    since: Flag.String("since").pipe(Flag.withDescription("Only what is younger, such as 8h"), Flag.optional)
  },
  Effect.fnUntraced(function* (flags) {
    const project = yield* realProject(flags.projectDir)
    const settings = yield* settingsOf(project)
    const { colour } = yield* Environment
    const brush = paint(colour)
    const after = Option.isSome(flags.since) ? (yield* Clock.currentTimeMillis) - Duration.toMillis(yield* sinceOf(flags.since.value)) : 0
    yield* Effect.gen(function* () {
      const log = yield* EventLog
      const { id } = yield* findWatch(flags.watch, project)
      const told = (watch: Watch, recorded: Recorded) => {
        const next = evolve(watch, recorded.event)
        const wanted = recorded.revision >= flags.from && recorded.event.at >= after
        return [
          next,
          [
            {
              ended: next.phase === "Exited",
              text: wanted ? (flags.json ? jsonLine(recorded) : line(recorded, next.generation, brush)) : undefined
            }
          ]
        ] as const
      }
      const events = flags.follow ? log.changes(id, 0) : Stream.fromIterable(yield* log.read(id, 0))
      yield* events.pipe(
        Stream.mapAccum(() => initial, told),
        Stream.tap(({ text }) => (text === undefined ? Effect.void : Console.log(text))),
        Stream.takeUntil(({ ended }) => flags.follow && ended),
        Stream.runDrain
      )
    }).pipe(Effect.provide(store(settings)))
  })
).pipe(Command.withDescription("The events of a watch"))
