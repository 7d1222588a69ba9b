import { agentsOwn, isWithin, type Reported } from "@souffleur/domain"
import { lookTrusted } from "@souffleur/process"
import { Effect, Option } from "effect"
import { inHead } from "../lines/Head.ts"
import { timeOf } from "../lines/JsonRecord.ts"
import { writtenAtOf } from "../lines/Tail.ts"
import type { Sayings } from "../said/Said.ts"
import { filesOf, type SessionFolder, sessionIdIn } from "./FindSession.ts"

/**
 * Returns the session that an ended launch began: the only session of its folder and time with its prompt. `None`: it
 * began none, or several fit.
 */
export const begunSession = Effect.fn("begunSession")(function* (
  place: SessionFolder & { readonly sayings: Sayings },
  { asked, folder, since }: Pick<Reported, "asked" | "folder" | "since">
) {
  const isOfLaunch = Effect.fnUntraced(function* (file: string) {
    const info = yield* Effect.option(lookTrusted(file, agentsOwn))
    if (!Option.exists(info, (one) => writtenAtOf(one) >= since)) return false
    let isItsPlace = false
    const prompt = yield* inHead(file, (record) => {
      for (const said of place.sayings(record)) {
        if (said._tag === "Session")
          isItsPlace = timeOf(record, 0) >= since && typeof said.folder === "string" && isWithin(folder, said.folder)
        if (said._tag === "Prompt") return said.text
      }
      return undefined
    })
    return isItsPlace && Option.exists(prompt, asked)
  })
  const files = (yield* filesOf(place)).filter((file) => sessionIdIn(place.sessionPath, file) !== "")
  const [only, ...others] = yield* Effect.filter(files, isOfLaunch)
  return only === undefined || others.length > 0
    ? Option.none<string>()
    : Option.some(sessionIdIn(place.sessionPath, only))
})
