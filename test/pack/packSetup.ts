import * as NodeServices from "@effect/platform-node/NodeServices"
import { Effect, FileSystem } from "effect"
import type { TestProject } from "vitest/node"
import { command } from "../../release/Command.ts"
import { workspace } from "../../release/Package.ts"
import { pnpm } from "./Stranger.ts"

declare module "vitest" {
  interface ProvidedContext {
    /** The folder with the tarballs of all packages. */
    readonly tarballs: string
  }
}

/** Packs all packages once for the suite, as a release does, where `SOUFFLEUR_TARBALLS` names no folder of tarballs. */
export default async ({ provide }: TestProject): Promise<(() => Promise<void>) | void> => {
  const packed = process.env["SOUFFLEUR_TARBALLS"]
  if (packed !== undefined) return provide("tarballs", packed)
  const folder = await Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const made = yield* fs.makeTempDirectory({ prefix: "souffleur-tarballs-" })
    yield* command(workspace, [...pnpm, "release", "--pack", made])
    return made
  }).pipe(Effect.provide(NodeServices.layer), Effect.runPromise)
  provide("tarballs", folder)
  const remove = Effect.flatMap(FileSystem.FileSystem, (fs) => fs.remove(folder, { recursive: true }))
  return () => remove.pipe(Effect.provide(NodeServices.layer), Effect.runPromise)
}
