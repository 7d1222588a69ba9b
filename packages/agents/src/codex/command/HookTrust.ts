import { digestOf } from "@souffleur/domain"
import { Effect, FileSystem, Path } from "effect"
import { jsonOf, objectsIn, recordOf, textOf } from "../../kit/lines/JsonRecord.ts"

/** The file of the user's hooks, in the folder of Codex. */
export const hooksFile = "hooks.json"

/** A hook, with Codex's words for its place, and the text that an approval is for. */
interface Hook {
  readonly event: string
  readonly place: string
  readonly approved: string
}

/** Returns Codex's own name of an event, such as `session_start`. */
const named = (event: string): string => event.replaceAll(/(?<!^)[A-Z]/gu, "_$&").toLowerCase()

/** Finds each hook in the text of the file. */
const hooksIn = (text: string): ReadonlyArray<Hook> => {
  return Object.entries(jsonOf(recordOf(text)?.["hooks"])).flatMap(([event, groups]) =>
    objectsIn(groups).flatMap(({ hooks: its, matcher }, group) =>
      objectsIn(its).map(({ async = false, command, timeout = 600, type }, index) => ({
        event,
        place: `${named(event)}:${group}:${index}`,
        // The fields are in the order of their names.
        approved: JSON.stringify({ event_name: named(event), hooks: [{ async, command, timeout, type }], matcher })
      }))
    )
  )
}

/** Reads the approvals in the text of Codex's settings: the hash of each hook by the words for its place. */
const approvalsIn = (text: string): ReadonlyMap<string, string> => {
  const found = new Map<string, string>()
  let key = ""
  for (const line of text.split("\n")) {
    if (line.startsWith("["))
      key = textOf(recordOf(`{"key":${/^\[hooks\.state\.(".*")\]\s*$/u.exec(line)?.[1]}}`)?.["key"])
    const hash = /^trusted_hash\s*=\s*"sha256:([\da-f]{64})"/u.exec(line)?.[1]
    if (hash !== undefined) found.set(key, hash)
  }
  return found
}

/**
 * Returns the events of `hooks.json` with a hook that no person has approved as it is now. An interactive Codex asks
 * about such a hook, and no launch runs it.
 */
export const unapprovedHooks = Effect.fn("unapprovedHooks")(function* (agentDir: string) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const read = (name: string) => Effect.orElseSucceed(fs.readFileString(path.join(agentDir, name)), () => "")
  const approvals = approvalsIn(yield* read("config.toml"))
  const folders = [path.resolve(agentDir), yield* Effect.orElseSucceed(fs.realPath(agentDir), () => agentDir)]
  const asked = yield* Effect.filter(hooksIn(yield* read(hooksFile)), ({ approved, place }) =>
    Effect.map(
      digestOf(approved),
      (hash) => !folders.some((folder) => approvals.get(`${path.join(folder, hooksFile)}:${place}`) === hash)
    )
  )
  return [...new Set(asked.map(({ event }) => event))]
})
