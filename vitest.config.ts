import { defineConfig } from "vitest/config"

export default defineConfig({
  test: {
    include: ["packages/*/test/**/*.test.ts", "test/**/*.test.ts"],
    exclude: ["**/node_modules/**", "test/claude/**"],
    testTimeout: 30_000,
    // For two cores: much of a test of real processes is waiting for them.
    maxWorkers: 3
  }
})
