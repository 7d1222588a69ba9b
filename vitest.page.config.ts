import { defineConfig } from "vitest/config"

/** Apart from the other tests: they need a Chromium, and skip with a word where there is none. */
export default defineConfig({
  test: {
    include: ["test/page/**/*.test.ts"],
    globalSetup: ["test/cli/cliSetup.ts"],
    // A machine that is busy takes ten times as long as a quiet one.
    testTimeout: 300_000,
    // Two cores, and a browser has many processes.
    maxWorkers: 2
  }
})
