import { defineConfig } from "vitest/config"
import { BaseSequencer, type TestSpecification } from "vitest/node"

/** The tests of modules that start most programs, or collect the garbage of their worker. */
const starting = ["Conduct", "GitPrograms", "Hindered", "History", "Memory", "SouffleurConduct"]
/** The other tests of modules that take longest. */
const long = ["CrashScenario", "FleetJobPages", "Linear", "SouffleurParts", "simulation"]

const rankOf = ({ moduleId, project }: TestSpecification): number => {
  const isOneOf = (names: ReadonlyArray<string>) => names.some((name) => moduleId.endsWith(`/${name}.test.ts`))
  if (moduleId.endsWith("/test/types.test.ts")) return 0
  if (project.name !== "modules") return 1
  if (isOneOf(starting)) return 2
  return isOneOf(long) ? 3 : 4
}

/**
 * Begins with the compiler, which runs beside the tests. Each project has workers of its own, so no other project comes
 * between its tests. The start of a program takes 4 ms from a small process, and 41 from a worker of 400 MB. So the
 * tests that start most come first. Those that take longest follow: at the end a long test would leave a core idle.
 */
class StartingFirst extends BaseSequencer {
  override async sort(files: Array<TestSpecification>): Promise<Array<TestSpecification>> {
    return (await super.sort(files)).toSorted((one, other) => rankOf(one) - rankOf(other))
  }
}

// Files that tests make are as those of most people, whoever runs them: what is open to others is made so by the test
// that means it.
process.umask(0o022)

const test = {
  // What ends a test that hangs: no test measures time by it, and a machine that is busy takes ten times as long as a
  // quiet one.
  testTimeout: 600_000,
  // A later run transforms what has changed since, and the suites of this file share it.
  fsModuleCache: true
}

export default defineConfig({
  test: {
    // One more than two cores: tests of real processes wait for these, and the first test waits for the compiler.
    maxWorkers: 3,
    sequence: { sequencer: StartingFirst },
    tags: [{ name: "cases", description: "takes long, or starts many programs: `pnpm test:cases`" }],
    projects: [
      // They keep nothing outside their tests, so that a worker loads each module once.
      {
        test: {
          ...test,
          name: "modules",
          include: [
            "packages/*/test/**/*.test.ts",
            "test/{evidence,fuzz,prove,scenarios,simulation}/**/*.test.ts",
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
      // They need a Postgres, and skip with a word where there is none: `pnpm test:fleet`.
      {
        test: {
          ...test,
          hookTimeout: 600_000,
          name: "fleet",
          include: ["test/fleet/**/*.test.ts"],
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
