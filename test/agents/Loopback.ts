import { fork } from "node:child_process"
import { ForksPoolWorker, type PoolOptions } from "vitest/node"
import { apart, onLoopbackAlone } from "./Apart.ts"

declare module "vitest" {
  interface ProvidedContext {
    /** True if the tests run in a network of their own. */
    readonly onLoopbackAlone: boolean
  }
}

/** A worker of vitest in a network of its own, with all that its tests start. */
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
