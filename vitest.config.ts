import { defineConfig } from "vitest/config"

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
      }
    ]
  }
})
