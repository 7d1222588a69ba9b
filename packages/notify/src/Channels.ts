import { type NotifyChannel, quietUntilNow, type QuietHours, type ServerChannel } from "@souffleur/domain"
import {
  isPressing,
  type Notice,
  type NoticeChannel,
  NoticeLost,
  type NoticeMessage,
  type ProgramRun,
  runProgram,
  type TrustedFiles
} from "@souffleur/process"
import { Duration, Effect, type FileSystem, Option, type Path, Schema } from "effect"
import type { ChildProcessSpawner } from "effect/process"
import { type Delivery, deliveryTimeout, Outcome } from "./Delivery.ts"
import { clickAction, type ClickLine } from "./ClickedNotice.ts"
import { HeardPresses, listenFor, type Listening } from "./Hearing.ts"
import { replyTopic } from "./ReplyTopic.ts"
import { type DesktopCall, desktopCall, findDesktopProgram } from "./DesktopNotice.ts"
import { type LinkedMessage, noticeLine, type Loudness } from "./NoticeText.ts"
import type { SecretPlaces } from "./NoticeSecret.ts"
import { serverRequest } from "./ServerRequest.ts"

/**
 * Returns an effect that runs the line of a notice with an action, and does not wait for it. The choice of the action
 * shows the subject's window. `null`: the subject has no window.
 */
export type WhenClicked = (subject: NoticeMessage["subject"]) => ((line: ClickLine) => Effect.Effect<void>) | null

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
  /** Gives one line to such a process, which ends with an interruption. Absent: no notice has a button. */
  readonly ask?: ChannelOptions["post"]
  /** Waits for a click on a notice of the desktop; absent: none has an action. */
  readonly whenClicked?: WhenClicked
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

const heardOf = Schema.decodeUnknownEffect(Schema.fromJsonString(HeardPresses))

/** Hears what came over the topic of answers, by a process of its own. */
const fromServer = (channel: ServerChannel, { ask, ...places }: Pick<ChannelOptions, "ask"> & SecretPlaces) =>
  Effect.fn("fromServer")(function* (subject: NoticeMessage["subject"], since: string | null) {
    const { token, url } = yield* replyTopic(channel, subject, places)
    const headers = { authorization: `Bearer ${token}` }
    const { messages, problem } = yield* ask!(
      JSON.stringify({ topic: url, headers, since } satisfies Listening),
      Duration.times(listenFor, 2)
    ).pipe(
      Effect.flatMap(heardOf),
      Effect.mapError(() => new NoticeLost({ tries: 0, message: "souffleur's own process for it has ended" }))
    )
    if (problem !== null) return yield* new NoticeLost({ tries: 1, message: problem })
    return messages
  })

/** Runs a program of this machine once. A program that fails is not run again. */
const toProgram = (name: string, program: Pick<ProgramRun, "command" | "args" | "stdin" | "heard">) =>
  runProgram({ ...program, within: "30 seconds", atMost: 65_536 }).pipe(
    Effect.mapError(({ message }) => new NoticeLost({ tries: 1, message: `${name}: ${message}` }))
  )

/**
 * Shows a notice on the desktop. Where its subject has a window, a second one with an action takes its place. That one
 * waits in a process of its own, so that a notice is taken once it is shown.
 */
const toDesktop = Effect.fn("toDesktop")(function* (message: LinkedMessage, options: ChannelOptions) {
  const { platform, quietHours, variables, whenClicked } = options
  const command = yield* findDesktopProgram(platform, variables["PATH"])
  const loudness = yield* loudnessOf(message.notice, quietHours)
  const call = (...more: ReadonlyArray<string>) => desktopCall(message, loudness, platform, more)
  // Its arguments are in the list of processes, for every user and for minutes.
  const wordless = { ...message, notice: { ...message.notice, words: null } }
  const shown = ({ args, program }: DesktopCall) => toProgram(program, { command, args, stdin: "", heard: true })
  const wait = platform === "darwin" ? null : (whenClicked?.(message.subject) ?? null)
  // A notify-send before 0.8 refuses both options.
  const id = wait === null ? Option.none() : yield* Effect.option(shown(call("--print-id")))
  yield* wait === null || Option.isNone(id)
    ? shown(call())
    : wait([
        command,
        ...desktopCall(wordless, loudness, platform, [`--replace-id=${id.value.trim()}`, clickAction]).args
      ])
}, Effect.asVoid)

const toCommand = Effect.fn("toCommand")(function* (
  command: string,
  message: LinkedMessage,
  { quietHours }: ChannelOptions
) {
  const stdin = noticeLine(message, yield* loudnessOf(message.notice, quietHours))
  yield* toProgram("the program", { command, args: [], stdin })
})

/** Returns the channel whose notices have buttons, the first of ntfy. Warns where that one lacks something. */
const answeringOf = Effect.fnUntraced(function* (channels: ReadonlyArray<NotifyChannel>, options: ChannelOptions) {
  const first = options.ask === undefined ? undefined : channels.find(({ _tag }) => _tag === "ntfy")
  if (first === undefined) return undefined
  return yield* replyTopic(first, {}, options).pipe(
    Effect.as(first),
    Effect.catchTag("NoticeLost", ({ message }) => Effect.as(Effect.logWarning(`ntfy: ${message}`), undefined))
  )
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
  const context = yield* Effect.context<
    ChildProcessSpawner.ChildProcessSpawner | FileSystem.FileSystem | Path.Path | TrustedFiles
  >()
  const answering = yield* answeringOf(channels, options)
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
          send: ({ buttons = [], ...message }, once = false) =>
            linked({ ...message, buttons: channel === answering ? buttons : [] }, (one) =>
              toServer(channel, one, once, options)
            ),
          ...(channel === answering
            ? { hear: (...of) => Effect.provide(fromServer(channel, options)(...of), context) }
            : {})
        }
    }
  })
})
