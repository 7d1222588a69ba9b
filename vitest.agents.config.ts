import { defineConfig } from "vitest/config"

/** Apart from the other tests: it installs other real agents, which are no dependencies of ours. */
export default defineConfig({
  test: {
    include: ["test/agents/**/*.test.ts"],
    globalSetup: ["test/agents/agentsSetup.ts", "test/cli/cliSetup.ts"],
    testTimeout: 150_000,
    // They wait for the agent most of the time.
    maxWorkers: 3
  }
})
