import { fork, spawnSync } from "node:child_process"
import { ForksPoolWorker, type PoolOptions } from "vitest/node"

declare module "vitest" {
  interface ProvidedContext {
    /** True if the tests run in a network of their own. */
    readonly onLoopbackAlone: boolean
  }
}

/** A user other than root needs to be root there. */
const mapped = process.getuid?.() === 0 ? [] : ["--map-root-user"]
/** The words before a program that give it a network of its own, with loopback alone. */
const apart = ["--net", ...mapped, "--", "sh", "-c", 'ip link set lo up && exec "$0" "$@"']

/** A worker of vitest in such a network, with all that its tests start. */
class LoopbackWorker extends ForksPoolWorker {
  override start(): Promise<void> {
    // Vitest takes a process that is there for its own.
    this["_fork"] = fork(this.entrypoint, [], {
      env: this.env,
      execPath: "unshare",
      execArgv: [...apart, process.execPath, ...this.execArgv],
      stdio: "pipe",
      serialization: "advanced"
    })
    return super.start()
  }
}

const tried = spawnSync("unshare", [...apart, "true"], { encoding: "utf8" })
const onLoopbackAlone = tried.status === 0
if (!onLoopbackAlone)
  console.error(`not on loopback alone: ${(tried.error?.message ?? tried.stderr).trim().replaceAll("\n", " ")}`)

/** The settings of a suite whose workers have loopback alone. Where the machine refuses it, a line says so. */
export const loopbackAlone = {
  provide: { onLoopbackAlone },
  ...(onLoopbackAlone
    ? {
        pool: {
          name: "loopback",
          createPoolWorker: (options: PoolOptions) => new LoopbackWorker(options)
        }
      }
    : {})
}
