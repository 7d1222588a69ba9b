import { agentsOwn } from "@souffleur/domain"
import { readTrusted, type TrustedFiles } from "@souffleur/process"
import { Effect, FileSystem, Schema } from "effect"

const Settings = Schema.fromJsonString(
  Schema.Struct({ trustedFolders: Schema.optionalKey(Schema.Array(Schema.Unknown)) })
)
/** Bytes at most. A real one has some hundreds. */
const sizeLimit = 1 << 20

/**
 * Returns whether Copilot may trust a folder, where it would run the hooks and the servers of tools that it finds in
 * the project. It may if its own settings name a folder, or cannot be read.
 */
export const trustsFolders = Effect.fn("trustsFolders")(
  function* (agentDir: string): Effect.fn.Return<boolean, unknown, FileSystem.FileSystem | TrustedFiles> {
    const file = `${agentDir}/config.json`
    if (!(yield* (yield* FileSystem.FileSystem).exists(file))) return false
    const text = new TextDecoder().decode(yield* readTrusted(file, { ...agentsOwn, atMost: sizeLimit }))
    // Copilot writes comments before its settings.
    const found = yield* Schema.decodeUnknownEffect(Settings)(text.replaceAll(/^[ \t]*\/\/.*$/gmu, ""))
    return (found.trustedFolders ?? []).length > 0
  },
  Effect.orElseSucceed(() => true)
)
