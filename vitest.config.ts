import { defineConfig } from "vitest/config"

export default defineConfig({
  test: {
    include: ["packages/*/test/**/*.test.ts", "test/**/*.test.ts"],
    exclude: ["**/node_modules/**", "test/claude/**"],
    testTimeout: 30_000,
    // Two cores: real processes and the simulation share them.
    maxWorkers: 2
  }
})
