import { realpathSync } from "node:fs"
import { dirname } from "node:path"
import { defineConfig } from "vitest/config"
import { BaseSequencer, ForksPoolWorker, type TestSpecification, type WorkerRequest } from "vitest/node"

/** Where `node_modules` links our packages to: not the mutants' copy of the tree. */
const linked = dirname(realpathSync("node_modules"))
const here = process.cwd()

/**
 * Outlives a run, so that a mutant does not load Effect and our modules again, which takes most of a second. A mutant is
 * turned on after they are loaded, and `stryker.config.json` says how many share a process.
 */
class KeptWorker extends ForksPoolWorker {
  override readonly name = "kept"
  #started: Promise<void> | undefined
  #heard: Array<Parameters<ForksPoolWorker["on"]>> = []
  override start() {
    return (this.#started ??= super.start())
  }
  override on(...[event, callback]: Parameters<ForksPoolWorker["on"]>) {
    this.#heard.push([event, callback])
    super.on(event, callback)
  }
  override send(message: WorkerRequest) {
    if (message.type !== "stop") return super.send(message)
    for (const [event, answer] of this.#heard)
      if (event === "message") answer({ type: "stopped", __vitest_worker_response__: true })
  }
  override async stop() {
    for (const [event, callback] of this.#heard.splice(0)) super.off(event, callback)
  }
  end() {
    return super.stop()
  }
}

/** The first test that fails ends the trial of a mutant: most often it is the one that ended the trial before. */
class KillersFirst extends BaseSequencer {
  override async sort(files: Array<TestSpecification>): Promise<Array<TestSpecification>> {
    const costOf = (file: TestSpecification) => {
      const last = this.ctx.cache.getTestSpecificationResult(file)
      return last === undefined || last.failed ? 0 : last.duration
    }
    return files.toSorted((one, other) => costOf(one) - costOf(other))
  }
}

/** The tests that judge mutants: they start no program, which would outlive a mutant that never ends it. */
export default defineConfig(() => {
  let kept: KeptWorker | undefined
  return {
    plugins: [
      {
        name: "mutants",
        enforce: "pre",
        async resolveId(source, importer) {
          if (!source.startsWith("@souffleur/")) return null
          const found = await this.resolve(source, importer, { skipSelf: true })
          return found?.id.startsWith(here) ? found : found?.id.replace(linked, here)
        },
        configureVitest({ project, vitest }) {
          vitest.onClose(() => kept?.end())
          project.config.pool = "kept" as never
          project.config.poolRunner = {
            name: "kept",
            createPoolWorker: (options) => (kept ??= new KeptWorker(options))
          }
        }
      }
    ],
    test: {
      isolate: false,
      testTimeout: 10_000,
      sequence: { sequencer: KillersFirst },
      tags: [{ name: "cases", skip: true }],
      include: [
        "packages/{domain,monitor,plan,recovery,supervisor,watcher}/test/**/*.test.ts",
        "packages/embed/test/{LiveSessions,StatusLine,TakeWord}.test.ts",
        "packages/node/test/{AgentAbove,Endable,LaunchEnds,Machine,ProcessTree,Ps}.test.ts",
        "test/{eventlog,scenarios}/**/*.test.ts"
      ],
      exclude: [
        "**/node_modules/**",
        "packages/plan/test/{Conduct,Exclude,Git,GitPrograms,Hindered,History,Linear,Plan}.test.ts",
        "packages/recovery/test/{ExternalExport,ProgramProvider}.test.ts",
        "packages/supervisor/test/{Commits,Notifier}.test.ts",
        "test/eventlog/LogWriters.test.ts",
        "test/scenarios/CrashScenario.test.ts"
      ]
    }
  }
})
