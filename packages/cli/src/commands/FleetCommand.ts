import { Claims, freshUuid, type ResolvedSettings, Settings } from "@souffleur/domain"
import {
  layerAgentFiles,
  layerClaims,
  layerDatabaseFollowing,
  layerHost,
  layerSouffleur
} from "@souffleur/embed/internal"
import {
  Hub,
  type Membership,
  memberships,
  ship,
  ShippedLog,
  type ShipNews,
  silenceOf,
  takeWords,
  type WordNews
} from "@souffleur/fleet"
import { HostHashing, TrustedFiles } from "@souffleur/node"
import { Console, Effect, Layer, Option, Path, Queue, Schedule } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { askedToken, hubUrl, joinedFleet } from "../fleet/JoinedFleet.ts"
import { layerWordErrand } from "../fleet/WordErrand.ts"
import { ready } from "../service/Watchdog.ts"
import { personOnly } from "../person/PersonOnly.ts"
import { WorksUnread } from "../world/CommandEnvironment.ts"
import { loginCommand, logoutCommand } from "./FleetLoginCommand.ts"
import { takeCommand, wordCommands } from "./FleetWordCommand.ts"
import { json, projectDir } from "./Options.ts"
import { Project, withLayers } from "./ProjectCommand.ts"

const flags = { projectDir, json }

/** This host, as the hub is told of it. */
const introduction = ({ readOnly }: Pick<Membership, "readOnly">) =>
  Effect.map(Claims, ({ self: { host, machine } }) => ({ host, machine, takesWords: !readOnly }))

/** The log of this host, as it is there. */
const layerOwnLog = ({ stateDir }: ResolvedSettings) =>
  Layer.unwrap(
    Effect.map(Effect.andThen(TrustedFiles.stateFolder(stateDir), Path.Path), (path) =>
      Layer.provide(ShippedLog.layerSql, layerDatabaseFollowing(path.join(stateDir, "souffleur.db")))
    )
  )

/** The log of this host, once it is there. `tell` tells once that it is not there yet. */
const layerOwnLogToCome = (settings: ResolvedSettings, tell: Effect.Effect<void>) =>
  Layer.effectContext(
    Effect.gen(function* () {
      const toldOnce = yield* Effect.cached(tell)
      return yield* Layer.build(Layer.fresh(layerOwnLog(settings))).pipe(
        Effect.tapErrorTag("LogUnusable", ({ reason }) => (reason === "missing" ? toldOnce : Effect.void)),
        Effect.retry({
          while: (error) => error._tag === "LogUnusable" && error.reason === "missing",
          schedule: Schedule.spaced("1 second")
        })
      )
    })
  )

const joinCommand = Command.make(
  "join",
  {
    url: Argument.String("url").pipe(Argument.withDescription("The hub: an https URL, or http on this machine")),
    readOnly: Flag.Boolean("read-only").pipe(
      Flag.withDescription("Take no words of the operators of the fleet"),
      Flag.withDefault(false)
    ),
    ...flags
  },
  Effect.fnUntraced(function* (given) {
    yield* personOnly("souffleur fleet join")
    const url = yield* hubUrl(given.url)
    const { stateDir } = yield* Settings
    const token = yield* askedToken("The token of this host, as souffleur hub enrol printed it")
    const before = yield* Effect.orElseSucceed(memberships.read(stateDir), () => Option.none<Membership>())
    const log = Option.isSome(before) && before.value.url === url ? before.value.log : yield* freshUuid
    const membership: Membership = { version: 1, url, log, token, readOnly: given.readOnly }
    const who = yield* introduction(membership)
    const { mark, name } = yield* Hub.use((hub) =>
      Effect.catchTag(hub.begin(log, who), "OtherMark", () => Effect.void).pipe(Effect.andThen(hub.look(log)))
    ).pipe(Effect.provide(Hub.layerHttp(membership)))
    yield* memberships.keep(stateDir, membership)
    if (given.json) return yield* Console.log(JSON.stringify({ hub: url, name, log, position: mark.position }))
    yield* Console.log(
      `This host${name === null ? "" : ` is ${name}, and`} belongs to the fleet of ${url}, as log ${log}. "souffleur service install fleet" keeps "souffleur fleet ship" running.`
    )
  })
).pipe(
  withLayers((settings) =>
    layerClaims.pipe(Layer.provideMerge(layerAgentFiles(settings)), Layer.provideMerge(layerSouffleur(settings)))
  ),
  Command.withDescription("Add this host to the fleet of a hub; its token comes on standard input")
)

const leaveCommand = Command.make(
  "leave",
  flags,
  Effect.fnUntraced(function* (given) {
    const { stateDir } = yield* Settings
    yield* memberships.forget(stateDir)
    yield* Console.log(
      given.json ? JSON.stringify({ left: true }) : "This host belongs to no fleet now. The hub keeps what it has."
    )
  })
).pipe(
  withLayers(() => Layer.empty),
  Command.withDescription("Leave the fleet: nothing more is shipped from this host")
)

const renameCommand = Command.make(
  "rename",
  flags,
  Effect.fnUntraced(function* (given) {
    const { stateDir } = yield* Settings
    const log = yield* freshUuid
    const membership = { ...(yield* joinedFleet), log }
    yield* memberships.keep(stateDir, membership)
    yield* Console.log(
      given.json
        ? JSON.stringify({ hub: membership.url, log })
        : `The log of this host is ${log} now, and is shipped from its beginning.`
    )
  })
).pipe(
  withLayers(() => Layer.empty),
  Command.withDescription("Give the log of this host a new name at the hub, such as after its state folder was copied")
)

/** The most events that `status` counts. */
const maxCounted = 1000

const statusCommand = Command.make(
  "status",
  flags,
  Effect.fnUntraced(function* (given) {
    const membership = yield* joinedFleet
    const { log, url } = membership
    const seen = yield* Hub.use((hub) => hub.look(log)).pipe(
      Effect.provide(Hub.layerHttp(membership)),
      Effect.match({
        onFailure: ({ message }) => ({ problem: message, copied: undefined }),
        onSuccess: (copied) => ({ problem: copied.forked ? "another log has this name there" : null, copied })
      })
    )
    const position = seen.copied?.mark.position ?? null
    const behind = position === null ? null : (yield* (yield* ShippedLog).after(position, maxCounted)).length
    const last_shipped_ms = seen.copied?.lastSeenAgo ?? null
    const silence = seen.copied === undefined ? undefined : silenceOf(seen.copied)
    const name = seen.copied?.name ?? null
    if (given.json)
      return yield* Console.log(
        JSON.stringify({
          hub: url,
          name,
          log,
          problem: seen.problem,
          position,
          behind,
          last_shipped_ms,
          silent: silence !== undefined
        })
      )
    const many = behind === maxCounted ? `at least ${maxCounted}` : String(behind)
    yield* Console.log(
      `${name === null ? "" : `${name}: `}${url}, log ${log}: ${seen.problem ?? `copied up to position ${position}, ${many} events wait`}`
    )
    // Another process of this host ships, and the hub knows better than this one whether it does.
    if (silence !== undefined && seen.problem === null)
      yield* Console.log(
        `The hub has not heard of this host: ${silence}. "souffleur fleet ship" does not run, or does not reach it.`
      )
  })
).pipe(withLayers(layerOwnLog), Command.withDescription("Show how far the hub has this host's log"))

const newsLine = (news: ShipNews): string => {
  switch (news._tag) {
    case "Begun":
      return `ships from position ${news.mark.position} on`
    case "Away":
      return `the hub gives no answer (${news.problem}): tried again until it does, and no watch waits for it`
    case "Full":
      return `${news.problem}: what is left stays in the log here, and is shipped then`
    case "Back":
      return `the hub answers again: copied up to position ${news.mark.position}`
  }
}

const wordLine = (news: WordNews): string => {
  const { person, watch, word } = news.word
  const said = `${person} says ${word} to ${watch}`
  if (news._tag === "Lost") return `${said}, and this host could not decide: ${news.problem}`
  const { note, reason } = news.answer
  return `${said}: ${reason !== null ? `refused, as ${reason}` : note === null ? "taken" : `taken, and ${note}`}`
}

const shipCommand = Command.make(
  "ship",
  flags,
  Effect.fnUntraced(function* (given) {
    const membership = yield* joinedFleet
    const who = yield* introduction(membership)
    const settings = yield* Settings
    const file = (yield* Path.Path).join(settings.stateDir, "souffleur.db")
    const noLog = Console.error(
      given.json
        ? JSON.stringify({ _tag: "NoLog", path: file })
        : `there is no event log yet: waits for ${file}, which the first watch of this host makes`
    )
    yield* yield* WorksUnread
    yield* ready
    const { log } = membership
    const waiting = yield* Queue.sliding<void>(1)
    const shipping = ship({
      log,
      who,
      wordsWait: Effect.asVoid(Queue.offer(waiting, undefined)),
      tell: (news) => Console.error(given.json ? JSON.stringify(news) : newsLine(news))
    }).pipe(Effect.provide([HostHashing.layer, layerOwnLogToCome(settings, noLog)]))
    const taking = takeWords({
      log,
      waiting: Queue.take(waiting),
      tell: (news) => Console.error(given.json ? JSON.stringify(news) : wordLine(news))
    }).pipe(Effect.provide(layerWordErrand(yield* Project)))
    yield* (membership.readOnly ? shipping : Effect.raceFirst(shipping, taking)).pipe(
      Effect.provide(Hub.layerHttp(membership))
    )
  })
).pipe(
  withLayers(() => Layer.provide(layerClaims, layerHost)),
  Command.withDescription("Ship the log of this host to its hub, in the foreground, until it is ended")
)

/** Joins, leaves and tells the fleet of this host, and says words to other hosts (spec: command-line#fleet). */
export const fleetCommand = Command.make("fleet").pipe(
  Command.withSubcommands([
    joinCommand,
    leaveCommand,
    statusCommand,
    renameCommand,
    shipCommand,
    takeCommand,
    loginCommand,
    logoutCommand,
    ...wordCommands
  ])
)
