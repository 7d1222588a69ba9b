import { defineConfig } from "vitest/config"
import { BaseSequencer, type TestSpecification } from "vitest/node"

/** Begins with the tests of real processes. The longest of them would leave a core idle at the end. */
class LongestFirst extends BaseSequencer {
  override async sort(files: Array<TestSpecification>): Promise<Array<TestSpecification>> {
    const sorted = await super.sort(files)
    const isLong = ({ project }: TestSpecification) => project.name !== "modules"
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))]
  }
}

// Files that tests make are as those of most people, whoever runs them: what is open to others is made so by the test
// that means it.
process.umask(0o022)

// What ends a test that hangs: no test measures time by it, and a machine that is busy takes ten times as long as a
// quiet one.
const test = { testTimeout: 300_000 }

export default defineConfig({
  test: {
    // Two cores: real processes and the simulation share them.
    maxWorkers: 2,
    sequence: { sequencer: LongestFirst },
    projects: [
      // They keep nothing outside their tests, so that a worker loads each module once.
      {
        test: {
          ...test,
          name: "modules",
          include: [
            "packages/*/test/**/*.test.ts",
            "test/{evidence,fuzz,scenarios,simulation}/**/*.test.ts",
            "test/*.test.ts"
          ],
          exclude: ["**/node_modules/**"],
          isolate: false
        }
      },
      {
        test: {
          ...test,
          name: "processes",
          include: ["test/{cli,eventlog}/**/*.test.ts"],
          globalSetup: ["test/cli/cliSetup.ts"],
          isolate: false
        }
      },
      // Long campaigns, and a host or strangers that do their worst: `pnpm test:nights`.
      {
        test: {
          ...test,
          name: "nights",
          include: ["test/nights/**/*.test.ts"],
          globalSetup: ["test/cli/cliSetup.ts"],
          isolate: false
        }
      }
    ]
  }
})
