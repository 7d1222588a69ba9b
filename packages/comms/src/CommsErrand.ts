import { Comms, CommsLink, CommsUnavailable, Errands } from "@souffleur/domain"
import { type Sqlite } from "@souffleur/eventlog"
import { Effect, type FileSystem, Layer, Option, Predicate, Schedule } from "effect"
import * as CommsLinkSqlite from "./CommsLinkSqlite.ts"
import * as CommsSchema from "./CommsSchema.ts"
import * as CommsSqlite from "./CommsSqlite.ts"

/** One call of a port's method, for the file at `path`. */
interface Word {
  readonly port: "comms" | "link" | "schema"
  readonly path: string
  readonly method: string
  readonly args: ReadonlyArray<unknown>
}

/** Result of a call, as the other side of the same program writes it. */
type Outcome = { readonly done?: unknown } | { readonly no: Pick<CommsUnavailable, "reason" | "problem"> }

/** Parses JSON, and turns an encoded Option back into an Option. */
const read = (text: string): unknown =>
  JSON.parse(text, (_, value: unknown) =>
    Predicate.hasProperty(value, "_id") && value._id === "Option" && Predicate.hasProperty(value, "_tag")
      ? value._tag === "Some" && Predicate.hasProperty(value, "value")
        ? Option.some(value.value)
        : Option.none()
      : value
  )

const does = ({ args, method, path, port }: Word) => {
  const of = (service: object): Effect.Effect<unknown, CommsUnavailable> => {
    const member = (service as Readonly<Record<string, unknown>>)[method]
    if (Effect.isEffect(member)) return member as Effect.Effect<unknown, CommsUnavailable>
    // JSON has no `undefined`, and no method takes `null`.
    return (member as (...args: ReadonlyArray<unknown>) => Effect.Effect<unknown, CommsUnavailable>)(
      ...args.map((one) => one ?? undefined)
    )
  }
  switch (port) {
    case "comms":
      return Effect.provide(Effect.flatMap(Comms, of), CommsSqlite.layer(path))
    case "link":
      return Effect.provide(Effect.flatMap(CommsLink, of), CommsLinkSqlite.layer(path))
    case "schema":
      return method === "init" ? CommsSchema.init(path) : CommsSchema.sound(path)
  }
}

/** Runs the call on one line and returns its outcome as one line. It is the errand's own side, and never fails. */
export const answer = (line: string) =>
  Effect.suspend(() => does(read(line) as Word)).pipe(
    Effect.map((done): Outcome => ({ done })),
    Effect.catch(({ problem, reason }) => Effect.succeed<Outcome>({ no: { reason, problem } })),
    Effect.catchDefect((defect) =>
      Effect.succeed<Outcome>({
        no: { reason: "failed", problem: Predicate.isError(defect) ? defect.message : "a defect" }
      })
    ),
    Effect.map((outcome) => JSON.stringify(outcome))
  )

/** Answers errands in this process. It is for tests, and for programs that embed souffleur and trust the file. */
export const layerHere: Layer.Layer<Errands, never, Sqlite | FileSystem.FileSystem> = Layer.effect(
  Errands,
  Effect.map(Effect.context<Sqlite | FileSystem.FileSystem>(), (context) =>
    Errands.of({ ask: (_, line) => Effect.provide(answer(line), context) })
  )
)

/**
 * Makes calls from souffleur's side. A call that takes too long, or ends the errand's process, fails with
 * `CommsUnavailable` (`stuck`).
 */
const asking = Effect.fnUntraced(function* (port: Word["port"], path: string) {
  const errands = yield* Errands
  return (method: string) =>
    <A>(...args: ReadonlyArray<unknown>): Effect.Effect<A, CommsUnavailable> =>
      errands.ask(path, JSON.stringify({ port, path, method, args } satisfies Word)).pipe(
        Effect.mapError(({ message }) => new CommsUnavailable({ path, reason: "stuck", problem: message })),
        Effect.flatMap((text) => {
          const outcome = read(text) as Outcome
          return "no" in outcome
            ? Effect.fail(new CommsUnavailable({ path, ...outcome.no }))
            : Effect.succeed(outcome.done as A)
        }),
        Effect.withSpan(`Comms.${method}`)
      )
})

/**
 * {@link CommsSqlite.layer} in a process that can be killed, so that no file blocks souffleur.
 *
 * @example
 * ```ts
 * import { CommsErrand } from "@souffleur/comms"
 * import { Comms } from "@souffleur/domain"
 * import { HostServices, SqliteClient } from "@souffleur/node"
 * import { Effect, Layer, Option } from "effect"
 *
 * // The state of the Conductor's row, read by this process itself.
 * const state = Comms.use(({ snapshot }) => snapshot).pipe(
 *   Effect.map(({ conductor }) => Option.getOrUndefined(conductor)?.state),
 *   Effect.provide(
 *     CommsErrand.layer("/srv/job/comms.db").pipe(
 *       Layer.provide(CommsErrand.layerHere),
 *       Layer.provide(SqliteClient.layerSqlite),
 *       Layer.provide(HostServices.layer)
 *     )
 *   )
 * )
 * ```
 */
export const layer = (path: string): Layer.Layer<Comms, never, Errands> =>
  Layer.effect(
    Comms,
    Effect.map(asking("comms", path), (ask) =>
      Comms.of({
        path,
        snapshot: Effect.suspend(() => ask("snapshot")()),
        tasks: Effect.suspend(() => ask("tasks")()),
        payload: ask("payload"),
        replies: ask("replies"),
        setState: ask("setState"),
        beat: ask("beat"),
        post: ask("post")
      })
    )
  )

/** {@link CommsLinkSqlite.layer} in that process. */
export const layerLink = (path: string): Layer.Layer<CommsLink, never, Errands> =>
  Layer.effect(
    CommsLink,
    Effect.map(asking("link", path), (ask) =>
      CommsLink.of({
        path,
        beat: ask("beat"),
        setState: ask("setState"),
        setTask: ask("setTask"),
        post: ask("post"),
        read: ask("read"),
        register: ask("register")
      })
    )
  )

/** {@link CommsSchema.init} in that process. */
export const init = (path: string) =>
  Effect.flatMap(asking("schema", path), (ask) => ask("init")<ReadonlyArray<string>>())

/** {@link CommsSchema.sound} in that process. */
export const sound = (path: string) => Effect.flatMap(asking("schema", path), (ask) => ask("sound")<void>())

const untilUnlocked = Schedule.spaced("100 millis").pipe(Schedule.jittered, Schedule.upTo({ duration: "5 seconds" }))

/** Makes a call, and tries again for 5 seconds while another program holds the file. A lock passes. */
export const patiently = <A, E, R>(call: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.retry(call, {
    while: (error) => error instanceof CommsUnavailable && error.reason === "locked",
    schedule: untilUnlocked
  })
