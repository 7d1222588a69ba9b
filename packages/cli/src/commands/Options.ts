import type { NamedWatch, WatchName } from "@souffleur/embed"
import { Duration, Effect, FileSystem, Option } from "effect"
import { Argument, Flag } from "effect/cli"
import { clockBefore, durationOf, personsZone, utc, type Zone } from "@souffleur/domain"
import type { Telling } from "../watching/WatchScreen.ts"
import { Environment } from "../world/CommandEnvironment.ts"
import { BadUsage } from "../Failure.ts"

/** Prints JSON for a program, one object or one a line. */
export const json = Flag.Boolean("json").pipe(Flag.withDescription("Print JSON, for programs"), Flag.withDefault(false))

/** Chooses UTC for printed times. */
export const utcFlag = Flag.Boolean("utc").pipe(
  Flag.withDescription("Times in UTC, and not by the clock of this host"),
  Flag.withDefault(false)
)

/** Returns the zone of the printed times. */
export const zoneOf = ({ utc: asked }: { readonly utc: boolean }) => (asked ? Effect.succeed(utc) : personsZone)

/** Prints each event of a watch, also those that are no news. */
export const verbose = Flag.Boolean("verbose").pipe(
  Flag.withDescription("Print each event, as the log has it; a dry run says all that it knows"),
  Flag.withDefault(false)
)

/** Leaves the agent's own output out of the screen. */
export const quiet = Flag.Boolean("quiet").pipe(
  Flag.withDescription("Print nothing of what the agent prints"),
  Flag.withDefault(false)
)

/** Returns how `run` and `watch` tell what happens. */
export const tellingOf = (flags: {
  readonly json: boolean
  readonly quiet: boolean
  readonly utc: boolean
  readonly verbose: boolean
}) =>
  Effect.map(zoneOf(flags), (zone): Telling => ({
    how: flags.json ? "json" : flags.verbose ? "all" : "little",
    words: !flags.quiet,
    zone
  }))

/** The folder whose config file, comms and watches a command takes. */
export const projectDir = Flag.String("project-dir").pipe(
  Flag.withDescription("The project's folder"),
  Flag.withDefault(".")
)

/** Hands the watch to a souffleur that outlives its caller. */
export const detachFlag = Flag.Boolean("detach").pipe(
  Flag.withDescription("Hand the watch to a souffleur that outlives this command, and an agent that ran it"),
  Flag.withDefault(false)
)

/** Asks for a preview, which changes nothing (spec: command-line#preview). */
export const dryRunFlag = Flag.Boolean("dry-run").pipe(
  Flag.withDescription("Say what would be seen and done; change and start nothing"),
  Flag.withDefault(false)
)

/** The watch that a command is about; absent: the newest of the folder. */
export const watchName = Argument.String("watch").pipe(
  Argument.withDescription("A watch's id, any session id it had, or a run's id; nothing: this folder's newest"),
  Argument.optional
)

/** Returns what a command is about: its name, or without one the newest of this folder. */
export const namedIn = (project: string, name: Option.Option<string>): WatchName =>
  Option.getOrElse(name, () => ({ project }))

/** Fails with `BadUsage` where a watch has no event with that revision yet. */
export const unlessAhead = ({ id, watch }: Pick<NamedWatch, "id" | "watch">, revision: number) =>
  revision > watch.revision
    ? Effect.fail(new BadUsage({ message: `${id} has ${watch.revision} events, and none with revision ${revision}` }))
    : Effect.void

/** Returns the real path of a project folder that can be read. Fails with `BadUsage` otherwise. */
export const realProject = Effect.fn("Options.realProject")(function* (folder: string) {
  const fs = yield* FileSystem.FileSystem
  const { cwd } = yield* Environment
  return yield* fs.realPath(folder === "." ? cwd : folder).pipe(
    Effect.tap((path) => fs.readDirectory(path)),
    Effect.mapError(
      () =>
        new BadUsage({
          message: `the project folder ${JSON.stringify(folder)} is not there, no folder, or cannot be read`
        })
    )
  )
})

/**
 * Reads `8h`, `30m`, a duration as Effect writes it, or a time of the clock. Returns it as epoch ms, which is 0 for an
 * age beyond 1970. Fails with `BadUsage` otherwise.
 */
export const sinceOf = (text: string, now: number, zone: Zone) => {
  const clock = clockBefore(text, now, zone)
  if (clock !== undefined) return Effect.succeed(clock)
  return Option.match(durationOf(text), {
    onNone: () =>
      Effect.fail(
        new BadUsage({
          message: `--since ${JSON.stringify(text.slice(0, 40))} is no time: write 8h, 30m, "90 seconds", 20:48 or "2026-03-01 20:48"`
        })
      ),
    onSome: (duration) => Effect.succeed(Math.max(0, now - Duration.toMillis(duration)))
  })
}
