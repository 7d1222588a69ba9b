import type { NotifyChannel } from "@souffleur/domain"
import { resolveProgram } from "@souffleur/process"
import { Effect } from "effect"
import { desktopProgram } from "./DesktopNotice.ts"
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
      return yield* resolveProgram(desktopProgram(platform), places.variables["PATH"] ?? "").pipe(
        Effect.as(null),
        Effect.catchTag("AgentNotFound", ({ problem }) => Effect.succeed(problem))
      )
    default:
      return yield* serverRequest(channel, sample, "usual", places).pipe(
        Effect.as(null),
        Effect.catchTag("NoticeLost", ({ message }) => Effect.succeed(message))
      )
  }
})
