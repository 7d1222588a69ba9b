import { defineConfig } from "vitest/config"
import { loopbackAlone } from "./test/agents/Loopback.ts"

/** Apart from the other tests: it installs the real Claude Code, which is no dependency of ours. */
export default defineConfig({
  test: {
    ...loopbackAlone,
    include: ["test/claude/**/*.test.ts", "test/agents/Loopback.test.ts"],
    globalSetup: ["test/claude/claudeSetup.ts", "test/cli/cliSetup.ts"],
    // A machine that is busy takes ten times as long as a quiet one: a wait that ends says what it waited for.
    testTimeout: 600_000,
    // They wait for the agent most of the time.
    maxWorkers: 3
  }
})
