import { defineConfig } from "vitest/config"
import { loopbackAlone } from "./test/agents/Loopback.ts"

/**
 * What the real Claude Code does when its model is silent for minutes, side by side, and a night of twelve tasks: some
 * ten minutes, by hand alone.
 */
export default defineConfig({
  test: {
    ...loopbackAlone,
    include: ["test/claude/**/*.slow.ts"],
    globalSetup: ["test/claude/claudeSetup.ts", "test/cli/cliSetup.ts"],
    testTimeout: 900_000,
    maxConcurrency: 10
  }
})
