import type { NotifyChannel } from "@souffleur/domain"
import type { NoticeLost } from "@souffleur/process"
import { Effect } from "effect"
import { findDesktopProgram } from "./DesktopNotice.ts"
import type { SecretPlaces } from "./NoticeSecret.ts"
import type { LinkedMessage } from "./NoticeText.ts"
import { serverRequest } from "./ServerRequest.ts"

const sample: LinkedMessage = {
  subject: { project: "/" },
  revision: 0,
  at: 0,
  link: null,
  notice: { kind: "test", state: "working", text: "", words: null, next: "" }
}

const lackOf = <A, R>(ready: Effect.Effect<A, NoticeLost, R>) =>
  Effect.match(ready, { onSuccess: () => null, onFailure: ({ message }) => message })

/**
 * Returns what a channel lacks, a program or a secret; `null`: nothing. It sends nothing.
 *
 * @example
 * ```ts
 * import { HostServices } from "@souffleur/node"
 * import { channelProblem } from "@souffleur/notify"
 * import { Effect } from "effect"
 *
 * const lacks = channelProblem(
 *   { _tag: "slack", words: false },
 *   { platform: process.platform, variables: process.env, stateDir: "/var/lib/app/souffleur" }
 * ).pipe(Effect.provide(HostServices.layer))
 * ```
 */
export const channelProblem = Effect.fn("channelProblem")(function* (
  channel: NotifyChannel,
  { platform, ...places }: SecretPlaces & { readonly platform: string }
) {
  switch (channel._tag) {
    case "command":
      return null
    case "desktop":
      return yield* lackOf(findDesktopProgram(platform, places.variables["PATH"]))
    default:
      return yield* lackOf(serverRequest(channel, sample, "usual", places))
  }
})
