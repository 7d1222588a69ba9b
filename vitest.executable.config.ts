import { defineConfig } from "vitest/config"

/** Apart from the other tests: an executable has 150 MB, and is made in half a minute. */
export default defineConfig({
  test: {
    include: ["test/executable/**/*.test.ts"],
    // A machine that is busy takes ten times as long as a quiet one.
    testTimeout: 600_000,
    hookTimeout: 600_000
  }
})
