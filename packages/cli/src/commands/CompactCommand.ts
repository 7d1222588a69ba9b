import { Agent, Claims, parseSessionId } from "@souffleur/domain"
import { compactByHand } from "@souffleur/recovery"
import { Console, Effect, Layer, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import {
  layerAgent,
  layerAgentFiles,
  layerClaims,
  layerHost,
  layerLaunches,
  layerStore,
  opening,
  settingsOf,
  unfinished
} from "@souffleur/embed/internal"
import { BadUsage, Ended } from "../Failure.ts"
import { json, realProject } from "./Options.ts"

/** Fails with `BadUsage` where a live souffleur watches the session, because it may be about to resume it. */
const unwatched = Effect.fnUntraced(function* (sessionId: string) {
  const claims = yield* Claims
  const known = yield* unfinished({ sessionId })
  const owner = Option.flatMap(known, ({ watch }) => Option.fromUndefinedOr(watch.owner))
  if (Option.isNone(known) || Option.isNone(owner) || (yield* claims.isDead(owner.value))) return
  const { id } = known.value
  return yield* new BadUsage({
    message: `watch ${id} looks after session ${sessionId}: end it first with "souffleur release ${id}"`
  })
})

/** Returns the folder where the session began, if it still exists, for its settings and hooks. */
const folderOf = Effect.fnUntraced(function* (sessionId: string, named: Option.Option<string>) {
  const here = yield* realProject(Option.getOrElse(named, () => "."))
  if (Option.isSome(named)) return here
  const began = yield* Effect.flatMap(Agent, ({ projectOf }) => projectOf(sessionId)).pipe(
    Effect.provide(Layer.provide(layerAgentFiles(yield* settingsOf(here)), layerHost))
  )
  return yield* Option.match(began, {
    onNone: () => Effect.succeed(here),
    onSome: (folder) => Effect.orElseSucceed(realProject(folder), () => here)
  })
})

/** Compacts a session whose process has ended. A held or watched session is refused (spec: command-line#plumbing). */
export const compactCommand = Command.make(
  "compact",
  {
    sessionId: Argument.String("session-id").pipe(Argument.withDescription("A session whose process has ended")),
    projectDir: Flag.String("project-dir").pipe(
      Flag.withDescription("The folder to run in (default: where the session began)"),
      Flag.optional
    ),
    json
  },
  Effect.fnUntraced(function* (flags) {
    const sessionId = yield* Effect.fromResult(parseSessionId(flags.sessionId))
    const project = yield* folderOf(sessionId, flags.projectDir)
    const { settings } = yield* opening(project)
    yield* Effect.provide(unwatched(sessionId), [layerStore(settings), layerClaims.pipe(Layer.provide(layerHost))])
    const attempts = yield* compactByHand(sessionId, project).pipe(
      Effect.provide(Layer.provideMerge(Layer.merge(layerAgent(settings), layerLaunches(settings)), layerHost)),
      Effect.catchTags({
        SessionHeld: ({ message }) => Effect.fail(new BadUsage({ message })),
        CompactFailed: ({ message }) =>
          Effect.andThen(
            flags.json
              ? Console.log(JSON.stringify({ session_id: sessionId, compacted: false, error: message }))
              : Console.error(`souffleur: session ${sessionId} is not compacted: ${message}`),
            Effect.fail(new Ended({ code: 1 }))
          )
      })
    )
    if (flags.json) return yield* Console.log(JSON.stringify({ session_id: sessionId, compacted: true, attempts }))
    yield* Console.log(`session ${sessionId} is compacted${attempts > 1 ? `, at attempt ${attempts}` : ""}`)
  })
)
