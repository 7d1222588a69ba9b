import { type NotifyChannel, quietUntilNow, type QuietHours, type ServerChannel } from "@souffleur/domain"
import {
  isPressing,
  type Notice,
  type NoticeChannel,
  NoticeLost,
  type NoticeMessage,
  runProgram,
  type TrustedFiles
} from "@souffleur/process"
import { type Duration, Effect, type Path, Schema } from "effect"
import type { ChildProcessSpawner } from "effect/process"
import { type Delivery, deliveryTimeout, Outcome } from "./Delivery.ts"
import { desktopCall } from "./DesktopNotice.ts"
import { type LinkedMessage, noticeLine, type Loudness } from "./NoticeText.ts"
import type { SecretPlaces } from "./NoticeSecret.ts"
import { serverRequest } from "./ServerRequest.ts"

/** The surroundings of the channels of a project. */
export interface ChannelOptions extends SecretPlaces {
  /** Returns the address of a subject on the page; `null`: it has none. Absent: none has one. */
  readonly linkOf?: (subject: NoticeMessage["subject"]) => Effect.Effect<string | null, never, Path.Path | TrustedFiles>
  readonly quietHours: QuietHours | null
  /** The platform by Node's name. */
  readonly platform: string
  /**
   * Gives one line to a process of its own and returns its answer. That process outlives an interruption, and is ended
   * after the timeout. Fails where it says nothing.
   */
  readonly post: (order: string, timeout: Duration.Duration) => Effect.Effect<string, { readonly message: string }>
}

const loudnessOf = Effect.fnUntraced(function* (notice: Notice, hours: QuietHours | null) {
  if (isPressing(notice)) return "pressing" satisfies Loudness
  return (yield* quietUntilNow(hours)) === null ? ("usual" satisfies Loudness) : ("quiet" satisfies Loudness)
})

const outcomeOf = Schema.decodeUnknownEffect(Schema.fromJsonString(Outcome))

/** Sends a notice to a server, by a process of its own. souffleur itself never speaks to the network. */
const toServer = Effect.fn("toServer")(function* (
  channel: ServerChannel,
  message: LinkedMessage,
  once: boolean,
  options: ChannelOptions
) {
  const loudness = yield* loudnessOf(message.notice, options.quietHours)
  const request = yield* serverRequest(channel, message, loudness, options)
  const order = JSON.stringify({ ...request, once } satisfies Delivery)
  const { problem, tries } = yield* options.post(order, deliveryTimeout).pipe(
    Effect.flatMap(outcomeOf),
    Effect.mapError(() => new NoticeLost({ tries: 0, message: "souffleur's own process for it has ended" }))
  )
  if (problem !== null) return yield* new NoticeLost({ tries, message: problem })
})

/** Runs a program of this machine once. A program that fails is not run again. */
const toProgram = (program: Parameters<typeof runProgram>[0]) =>
  Effect.asVoid(runProgram(program)).pipe(
    Effect.mapError(({ message }) => new NoticeLost({ tries: 1, message: `the program: ${message}` }))
  )
const bounds = { within: "30 seconds", atMost: 65_536 } as const

const toDesktop = Effect.fn("toDesktop")(function* (message: LinkedMessage, { platform, quietHours }: ChannelOptions) {
  const { args, program } = desktopCall(message, yield* loudnessOf(message.notice, quietHours), platform)
  yield* toProgram({ command: program, args, stdin: "", ...bounds })
})

const toCommand = Effect.fn("toCommand")(function* (
  command: string,
  message: LinkedMessage,
  { quietHours }: ChannelOptions
) {
  const stdin = noticeLine(message, yield* loudnessOf(message.notice, quietHours))
  yield* toProgram({ command, args: [], stdin, ...bounds })
})

/**
 * Makes the channels of `NOTIFY`. Channels of one kind are numbered.
 *
 * @example
 * ```ts
 * import { HostServices } from "@souffleur/node"
 * import { makeNoticeChannels } from "@souffleur/notify"
 * import { NoticeChannels } from "@souffleur/process"
 * import { Effect, Layer } from "effect"
 *
 * // Each notice goes to the desktop, and as one line of JSON to a program. Neither needs the network.
 * const channels = Layer.effect(
 *   NoticeChannels,
 *   makeNoticeChannels([{ _tag: "desktop" }, { _tag: "command", command: "/opt/app/tell" }], {
 *     quietHours: null,
 *     platform: process.platform,
 *     stateDir: "/var/lib/app/souffleur",
 *     variables: process.env,
 *     post: () => Effect.fail({ message: "there is no server" })
 *   })
 * ).pipe(Layer.provide(HostServices.layer))
 * ```
 */
export const makeNoticeChannels = Effect.fn("makeNoticeChannels")(function* (
  channels: ReadonlyArray<NotifyChannel>,
  options: ChannelOptions
) {
  const context = yield* Effect.context<ChildProcessSpawner.ChildProcessSpawner | Path.Path | TrustedFiles>()
  return channels.map((channel, index): NoticeChannel => {
    const earlier = channels.slice(0, index).filter(({ _tag }) => _tag === channel._tag).length
    const name = earlier === 0 ? channel._tag : `${channel._tag} ${earlier + 1}`
    const own = { name, words: true }
    const linked = <A, R>(message: NoticeMessage, send: (message: LinkedMessage) => Effect.Effect<A, NoticeLost, R>) =>
      Effect.flatMap(options.linkOf?.(message.subject) ?? Effect.succeed(null), (link) =>
        send({ ...message, link })
      ).pipe(Effect.asVoid, Effect.provide(context))
    switch (channel._tag) {
      case "desktop":
        return { ...own, send: (message) => linked(message, (one) => toDesktop(one, options)) }
      case "command":
        return { ...own, send: (message) => linked(message, (one) => toCommand(channel.command, one, options)) }
      default:
        return {
          name,
          words: channel.words,
          send: (message, once = false) => linked(message, (one) => toServer(channel, one, once, options))
        }
    }
  })
})
