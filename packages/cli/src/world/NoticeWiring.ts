import { type ResolvedSettings } from "@souffleur/domain"
import { NoticeProcess } from "@souffleur/node"
import { makeNoticeChannels } from "@souffleur/notify"
import { NoticeChannels, pageLinkOf } from "@souffleur/process"
import { Effect, Layer } from "effect"
import { errandWords } from "../SmallEntry.ts"
import { Environment } from "./CommandEnvironment.ts"

/** The variables that the process which sends notices gets: proxies and certificates, and no key. */
const network = ["HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "NODE_USE_ENV_PROXY", "NODE_EXTRA_CA_CERTS"] as const

/** Makes the channels of notices of the settings. */
export const noticeChannels = Effect.fn("noticeChannels")(function* ({
  notify,
  pageUrl,
  quietHours,
  stateDir
}: ResolvedSettings) {
  const { platform, variables } = yield* Environment
  const line = [...(yield* errandWords("notify")), "__notify"] as const
  const environment = Object.fromEntries(network.map((name) => [name, variables[name]]))
  return yield* makeNoticeChannels(notify, {
    linkOf: (subject) => pageLinkOf({ pageUrl, stateDir }, subject),
    quietHours,
    stateDir,
    variables,
    platform,
    post: (order, timeout) => NoticeProcess.post({ line, environment }, order, timeout)
  })
})

/** The channels of notices, for a watch or a run. */
export const layerNoticeChannels = (settings: ResolvedSettings) =>
  Layer.effect(NoticeChannels, noticeChannels(settings))
