import { readdirSync } from "node:fs"
import { join } from "node:path"
import { Claims, Processes as NodeProcesses } from "@souffleur/node"
import { Claims as ClaimsPort } from "@souffleur/domain"
import { Effect } from "effect"
import { isLaunch, readLaunch } from "../../../packages/node/src/launch/LaunchFile.ts"
import { readReceipt, ReceiptDamaged } from "../../../packages/node/src/launch/Receipt.ts"
import { border, holds } from "../Border.ts"
import { homeIn } from "../CommandLine.ts"
import { alike, bent, mangled, run, some, torn, tree } from "../Hostile.ts"
import { settle } from "../Settle.ts"
import type { Seed } from "../../simulation/Seed.ts"

const launch = {
  version: 1,
  id: "opera-0001-g2-launch-1",
  program: "/bin/true",
  args: ["--session-id", "abc"],
  environment: { PATH: "/bin" },
  cwd: "/",
  output: "/tmp/out",
  title: "Conductor (S2)",
  terminal: "shared"
}
const receipt = { _tag: "Taken", process: { pid: 4711, startTime: 99, bootId: "boot" } }
const owner = {
  host: "here",
  machine: "m",
  pidNamespace: "pid:[1]",
  process: { pid: 4711, startTime: 99, bootId: "boot" }
}

const written = (seed: Seed, example: unknown): Uint8Array =>
  torn(
    seed,
    seed.pick<() => string>([
      () => JSON.stringify(alike(seed, example)),
      () => JSON.stringify(bent(seed, example)),
      () => mangled(seed, JSON.stringify(example)),
      () => JSON.stringify(tree(seed)),
      () => run(seed)
    ])()
  )

export const launchFiles = border("launch-files", {
  share: 3,
  draw: (seed) => ({
    launch: written(seed, launch),
    receipt: written(seed, receipt),
    claims: some(seed, 3, () => written(seed, owner))
  }),
  checks: {
    "a launch": ({ launch }, place) => {
      const file = homeIn(place.folder).write("state/launches/opera-0001-g2-launch-1.json", launch)
      const read = readLaunch(file)
      holds(read === undefined || isLaunch(read), "a launch that is none")
    },
    "a receipt": ({ receipt }, place) => {
      const file = homeIn(place.folder).write("state/launches/x.receipt", receipt)
      try {
        readReceipt(file)
      } catch (error) {
        if (!(error instanceof ReceiptDamaged)) throw error
      }
    },
    claims: async ({ claims }, place) => {
      const { write } = homeIn(place.folder)
      const folder = join(place.folder, "claims")
      for (const [index, data] of claims.entries()) write(`claims/boot-4711-99.${index + 1}`, data)
      const asked = Effect.flatMap(ClaimsPort, (port) =>
        Effect.exit(port.claim({ pid: 4711, startTime: 99, bootId: "boot" }))
      )
      if (claims.length === 0) return
      await settle(asked.pipe(Effect.provide(Claims.layer({ folder })), Effect.provide(NodeProcesses.layer)))
      holds(readdirSync(folder).length >= claims.length, "a claim was taken away")
    }
  }
})
