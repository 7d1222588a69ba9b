import { Processes, type ResolvedSettings } from "@souffleur/domain"
import { NoticeProcess } from "@souffleur/node"
import { makeNoticeChannels } from "@souffleur/notify"
import { pageLinkOf } from "@souffleur/process"
import { Effect } from "effect"
import { Installation } from "../world/Installation.ts"

/** The variables that the process which sends notices gets: proxies and certificates, and no key. */
const network = ["HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "NODE_USE_ENV_PROXY", "NODE_EXTRA_CA_CERTS"] as const

/** Makes the channels of notices, from `NOTIFY` or from the program itself. */
export const noticeChannels = Effect.fn("noticeChannels")(function* (settings: ResolvedSettings) {
  const { noticeLine, notices, platform, variables, whenClicked } = yield* Installation
  if (notices !== undefined) return yield* notices(settings)
  const { notify, notifyAnswers, pageUrl, quietHours, stateDir } = settings
  const line = yield* noticeLine
  const processes = yield* Processes
  const environment = Object.fromEntries(network.map((name) => [name, variables[name]]))
  return yield* makeNoticeChannels(notify, {
    linkOf: (subject) => Effect.provideService(pageLinkOf({ pageUrl, stateDir }, subject), Processes, processes),
    quietHours,
    stateDir,
    variables,
    platform,
    post: (order, timeout) => NoticeProcess.post({ line, environment }, order, timeout),
    ...(notifyAnswers === "no"
      ? {}
      : { ask: (order, timeout) => NoticeProcess.ask({ line, environment }, order, timeout) }),
    ...(whenClicked === undefined ? {} : { whenClicked })
  })
})
