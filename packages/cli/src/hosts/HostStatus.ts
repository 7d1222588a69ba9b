import { Bounds, epochOf, StateWord, urgentFirst } from "@souffleur/domain"
import { resolveProgram, runProgram } from "@souffleur/process"
import { Effect, Option, Schema } from "effect"
import { BadUsage } from "../Failure.ts"
import { Environment } from "../world/CommandEnvironment.ts"

/** A name that ssh takes: of a host, of a user at a host, or of its own config. It begins with no dash. */
const hostName = /^\w[\w.:%@-]{0,252}$/u

/** The most hosts of one look. */
const maxHosts = 100

/** How many hosts are asked at a time. Each has a process of ssh. */
const concurrency = 8

/**
 * A watch as another host tells it (spec: command-line#status). `--json` prints its other fields too. A host of
 * another version may have more.
 */
const HostWatch = Schema.StructWithRest(
  Schema.Struct({
    watch: Bounds.words(128),
    project: Schema.String.check(Schema.isMaxLength(Bounds.pathLength)),
    state: StateWord,
    standing: Schema.String.check(Schema.isMaxLength(10_000)),
    need: Schema.NullOr(Schema.Struct({ why: Bounds.words(10_000), next: Bounds.words(10_000) })),
    /** A host of an older version tells neither. */
    agent: Schema.optionalKey(Schema.NullOr(Bounds.words(1000))),
    title: Schema.optionalKey(Schema.NullOr(Schema.String.check(Schema.isMaxLength(1000)))),
    generation: Schema.Number,
    last_event_at: Bounds.words(64)
  }),
  [Schema.Record(Schema.String, Schema.Json)]
)
type HostWatch = typeof HostWatch.Type

const HostAnswer = Schema.fromJsonString(Schema.Array(HostWatch).check(Schema.isMaxLength(10_000)))
const answerOf = Schema.decodeUnknownOption(HostAnswer)

/** The answer of a host. `problem`: why it has none; `null`: it has answered. */
export interface HostStatus {
  readonly host: string
  readonly problem: string | null
  readonly watches: ReadonlyArray<HostWatch>
}

/** Reads the hosts of `--host`, each once. Fails with `BadUsage` at a name that ssh could take for a flag. */
export const hostsOf = (text: string): Effect.Effect<ReadonlyArray<string>, BadUsage> => {
  const hosts = [...new Set(text.split(",").map((host) => host.trim()))]
  const bad = hosts.find((host) => !hostName.test(host))
  if (bad !== undefined)
    return new BadUsage({
      message: `--host ${JSON.stringify(bad.slice(0, 80))} is no name of a host: write build1, or me@build1,build2`
    })
  if (hosts.length > maxHosts)
    return new BadUsage({ message: `--host names ${hosts.length} hosts: at most ${maxHosts} are asked at once` })
  return Effect.succeed(hosts)
}

/** Words of ssh: it asks nothing, forwards nothing, and gives up a host that does not answer. */
const flags = ["-T", "-a", "-x", "-o", "BatchMode=yes", "-o", "ConnectTimeout=10", "-o", "ClearAllForwardings=yes"]

/**
 * Asks hosts for their watches, each by the user's own ssh, in the order of their names (spec: command-line#status). A
 * host that fails is an answer too.
 */
export const askHosts = Effect.fn("askHosts")(function* (hosts: ReadonlyArray<string>) {
  const { variables } = yield* Environment
  const ssh = yield* resolveProgram("ssh", variables["PATH"] ?? "").pipe(
    Effect.mapError(() => new BadUsage({ message: "--host needs the program ssh, and there is none in PATH" }))
  )
  const ask = (host: string) =>
    runProgram({
      command: ssh,
      args: [...flags, "--", host, "souffleur", "status", "--json"],
      stdin: "",
      within: "30 seconds",
      atMost: 16_000_000,
      heard: true
    }).pipe(
      Effect.map((text): HostStatus =>
        Option.match(answerOf(text), {
          onNone: () => ({ host, problem: "its answer is no status that this version reads", watches: [] }),
          onSome: (watches) => ({ host, problem: null, watches })
        })
      ),
      Effect.catchTag("ProgramFailed", ({ message }) =>
        Effect.succeed<HostStatus>({ host, problem: `no answer: ${message}`, watches: [] })
      )
    )
  return yield* Effect.forEach(hosts, ask, { concurrency })
})

/** A line of the table: a watch with its host, or a host without one. */
export interface HostRow extends Pick<HostStatus, "host" | "problem"> {
  readonly watch: HostWatch | undefined
  /** The host has been silent for a while, and all of the line was so before. */
  readonly lastKnown: boolean
}

/** Returns the rows of answers. Hosts without an answer come first, then watches by the need of a person. */
export const hostRows = (all: ReadonlyArray<HostStatus>): ReadonlyArray<HostRow> => {
  const silent = all.filter(({ problem }) => problem !== null)
  const found = all.flatMap(({ host, problem, watches }) =>
    watches.map((watch) => ({ host, problem, watch, lastKnown: false }))
  )
  const idle = all.filter(({ problem, watches }) => problem === null && watches.length === 0)
  return [
    ...silent.map(({ host, problem }) => ({ host, problem, watch: undefined, lastKnown: false })),
    ...urgentFirst(found, ({ watch }) => ({ state: watch.state, at: epochOf(watch.last_event_at) ?? 0 })),
    ...idle.map(({ host }) => ({ host, problem: null, watch: undefined, lastKnown: false }))
  ]
}

/** Returns the generation of a watch of another host, from 1. */
export const shownGeneration = ({ generation }: HostWatch): number => Math.max(1, Bounds.count(generation) ?? 1)
