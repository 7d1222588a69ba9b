import { agentsOwn, type SessionFile, type SessionMark } from "@souffleur/domain"
import { lookTrusted } from "@souffleur/process"
import { Effect, type FileSystem, Option } from "effect"

/** Identifies a file as long as it exists. */
export const fileIdentity = (info: FileSystem.File.Info) => ({
  device: String(info.dev),
  inode: String(Option.getOrElse(info.ino, () => 0n))
})

/** Returns the current end of a session file, and the file's identity. */
export const markOf = Effect.fn("markOf")(function* ({ path }: SessionFile) {
  const info = yield* lookTrusted(path, agentsOwn)
  return { path, ...fileIdentity(info), offset: Number(info.size) } satisfies SessionMark
})
