import {
  type Alarm,
  type HubPart,
  HubProjection,
  HubQuota,
  HubStore,
  layerForgetting,
  layerHubCluster,
  layerHubWith,
  layerListening,
  layerProjector,
  layerSentinel
} from "@souffleur/hub"
import { durationOf, pageUrl, Processes } from "@souffleur/domain"
import { noticeChannels, opening } from "@souffleur/embed/internal"
import { Processes as HostProcesses } from "@souffleur/node"
import * as LoopbackServer from "@souffleur/node/loopback"
import * as TlsServer from "@souffleur/node/tls"
import { maxRequestBytes } from "@souffleur/fleet"
import { NoticeChannels } from "@souffleur/process"
import { Console, Duration, Effect, FiberMap, Layer, Option, Redacted } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { HttpServer } from "effect/http"
import { BadUsage } from "../Failure.ts"
import { tellAlarms } from "../fleet/FleetNotice.ts"
import { printLogs } from "../fleet/HubLogs.ts"
import { layerHubPage } from "../fleet/HubPage.ts"
import { printView } from "../fleet/FleetTable.ts"
import { checkedName, database, withStore } from "./HubTier.ts"
import { WorksUnread } from "../world/CommandEnvironment.ts"
import { personCommand } from "./HubPersonCommand.ts"
import { json, projectDir } from "./Options.ts"
import { Project, withSettings } from "./ProjectCommand.ts"

/** The usual port of a hub. */
const usualPort = 7434

/** The name of a host. */
const hostName = Argument.String("name").pipe(Argument.withDescription("The name of the host at this hub"))

/** Makes the function that tells alarms to the channels of `NOTIFY`. Fails with `BadUsage` where it names none. */
const teller = Effect.gen(function* () {
  const { settings } = yield* opening(yield* Project)
  if (settings.notify.length === 0)
    return yield* new BadUsage({ message: "--alarms needs a channel: set SOUFFLEUR_NOTIFY, such as ntfy:TOPIC" })
  const channels = yield* Effect.provide(noticeChannels(settings), HostProcesses.layer)
  const again = yield* FiberMap.make<string>()
  return (alarms: ReadonlyArray<Alarm>) => Effect.provideService(tellAlarms(alarms, again), NoticeChannels, channels)
})

/** Reads for how long the events of an ended job are kept. A view has what ended within a day. */
const keptFor = (text: string) =>
  durationOf(text).pipe(
    Option.filter((span) => Duration.isFinite(span) && Duration.isGreaterThanOrEqualTo(span, Duration.days(2))),
    Option.match({
      onNone: () => Effect.fail(new BadUsage({ message: `--keep ${text} is no time of two days or more: write 90d` })),
      onSome: Effect.succeed
    })
  )

/** Makes this hub known to the others of its database, by its machine and its port. */
const layerRunner = (parts: ReadonlyArray<HubPart>) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const { address } = yield* HttpServer.HttpServer
      const { host } = yield* Effect.provide(Processes, HostProcesses.layer)
      // Two machines may have one name.
      const machine = host.machine === null ? host.name : `${host.name}/${host.machine}`
      return layerHubCluster({ host: machine, port: "port" in address ? address.port : 0, parts })
    })
  )

/** Returns the files of a certificate of its own, or `null`. Fails with `BadUsage` where one of them is missing. */
const certificateFiles = (cert: Option.Option<string>, key: Option.Option<string>, url: string | null) => {
  if (Option.isNone(cert) && Option.isNone(key)) return Effect.succeed(null)
  if (Option.isNone(cert) || Option.isNone(key))
    return Effect.fail(new BadUsage({ message: "--cert FILE and --key FILE belong together" }))
  return url === null
    ? Effect.fail(new BadUsage({ message: "--cert needs --url: the https address for which the certificate is" }))
    : Effect.succeed({ cert: cert.value, key: key.value })
}

const serveCommand = Command.make(
  "serve",
  {
    database,
    port: Flag.Int("port").pipe(
      Flag.withDescription("The port on 127.0.0.1, or 0 for a free one"),
      Flag.withDefault(usualPort)
    ),
    alarms: Flag.Boolean("alarms").pipe(
      Flag.withDescription("Tell the channels of NOTIFY which host falls silent, and which job needs a person"),
      Flag.withDefault(false)
    ),
    url: Flag.String("url").pipe(
      Flag.withDescription("The https address by which hosts and people reach it, such as that of a reverse proxy"),
      Flag.optional
    ),
    cert: Flag.String("cert").pipe(
      Flag.withDescription("Its certificate in PEM: it then serves https on every address of this machine"),
      Flag.optional
    ),
    key: Flag.String("key").pipe(
      Flag.withDescription("The private key of its certificate in PEM, which this user alone may read"),
      Flag.optional
    ),
    quota: Flag.Int("quota").pipe(
      Flag.withDescription("The bytes of events that each host may ship in a day (default: 1000000000)"),
      Flag.optional
    ),
    keep: Flag.String("keep").pipe(
      Flag.withDescription("Remove the events of jobs that ended longer ago, such as 90d; else all are kept"),
      Flag.optional
    ),
    projectDir,
    json
  },
  Effect.fnUntraced(function* ({ alarms, cert, database, json, keep, key, port, quota, url }) {
    if (port < 0 || port > 65_535)
      return yield* new BadUsage({ message: `--port ${port} is no port: name one up to 65535, or 0 for any` })
    if (Option.isSome(quota) && quota.value < maxRequestBytes)
      return yield* new BadUsage({
        message: `--quota ${quota.value} is too little: one request may have ${maxRequestBytes} bytes`
      })
    const reached = Option.isNone(url)
      ? null
      : yield* Effect.mapError(
          Effect.fromResult(pageUrl(url.value)),
          (problem) => new BadUsage({ message: `--url ${url.value} ${problem}` })
        )
    const files = yield* certificateFiles(cert, key, reached)
    const forgetting = Option.isNone(keep) ? Layer.empty : layerForgetting(yield* keptFor(keep.value))
    const sentinel = alarms ? Layer.merge(layerSentinel(yield* teller), layerListening) : Layer.empty
    const parts: ReadonlyArray<HubPart> = [
      ...(alarms ? (["sentinel"] as const) : []),
      ...(Option.isSome(keep) ? (["retention"] as const) : [])
    ]
    yield* yield* WorksUnread
    const told = Effect.gen(function* () {
      const server = yield* HttpServer.HttpServer
      const url = files === null ? HttpServer.formatAddress(server.address) : reached!
      yield* Console.log(json ? JSON.stringify({ url }) : url)
      yield* Console.error("The hub answers its hosts. Ctrl-C ends it, and no watch anywhere.")
      yield* Console.error(`Its page is ${reached ?? url}/ and asks for a token of the hub.`)
    })
    const serving = Layer.mergeAll(
      layerHubWith(layerHubPage(reached)),
      layerProjector,
      parts.length === 0 ? Layer.empty : Layer.provide(Layer.merge(sentinel, forgetting), layerRunner(parts)),
      Layer.effectDiscard(told)
    ).pipe(Layer.provide(files === null ? LoopbackServer.layer({ port }) : TlsServer.layer({ port, files })))
    const serves = withStore(database, Layer.launch(serving))
    yield* (Option.isNone(quota) ? serves : Effect.provideService(serves, HubQuota, quota.value)).pipe(
      Effect.catchTag("ServeError", () =>
        Effect.fail(new BadUsage({ message: `port ${port} is taken: end what has it, or name another with --port` }))
      ),
      Effect.catchTag("CertificateRefused", ({ message }) => Effect.fail(new BadUsage({ message })))
    )
  }, Effect.scoped)
).pipe(
  withSettings,
  Command.withDescription("Serve a hub: on loopback for a reverse proxy, or with a certificate of its own")
)

const enrolCommand = Command.make(
  "enrol",
  { name: hostName, database, json },
  Effect.fnUntraced(function* (given) {
    const name = yield* checkedName(given.name)
    const token = yield* withStore(
      given.database,
      HubStore.use((store) => store.enrol(name))
    )
    if (given.json) return yield* Console.log(JSON.stringify({ host: name, token: Redacted.value(token) }))
    yield* Console.log(Redacted.value(token))
    yield* Console.error(`The token of ${name}, once: it is stored as a digest. There: souffleur fleet join URL`)
  })
).pipe(Command.withDescription("Enrol a host, and print its token once"))

const revokeCommand = Command.make(
  "revoke",
  { name: hostName, database, json },
  Effect.fnUntraced(function* (given) {
    const name = yield* checkedName(given.name)
    const revoked = yield* withStore(
      given.database,
      HubStore.use((store) => store.revoke(name))
    )
    if (!revoked) return yield* new BadUsage({ message: `no host ${name} is enrolled` })
    yield* Console.log(
      given.json ? JSON.stringify({ host: name, revoked }) : `${name} ships nothing more, and its logs stay here.`
    )
  })
).pipe(Command.withDescription("Revoke the token of a host; its logs stay at the hub"))

const hostsCommand = Command.make(
  "hosts",
  { database, json },
  Effect.fnUntraced(function* (given) {
    const logs = yield* withStore(
      given.database,
      HubStore.use((store) => store.logs)
    )
    yield* printLogs(logs, { asJson: given.json })
  })
).pipe(Command.withDescription("List the logs that the hub has, and when each host last spoke"))

const statusCommand = Command.make(
  "status",
  { database, json },
  Effect.fnUntraced(function* (given) {
    const view = yield* withStore(
      given.database,
      HubProjection.use(({ view }) => view)
    )
    yield* printView(view, { asJson: given.json, speaks: false })
  })
).pipe(Command.withDescription("List the watches and runs of every host, those that need a person first"))

/** Serves the hub of a fleet, enrols its hosts, and knows its people (spec: command-line#fleet). */
export const hubCommand = Command.make("hub").pipe(
  Command.withSubcommands([serveCommand, enrolCommand, revokeCommand, hostsCommand, statusCommand, personCommand])
)
