import { defineConfig } from "vitest/config"

/** Apart from the other tests: it packs all packages, and installs them from their tarballs with three managers. */
export default defineConfig({
  test: {
    include: ["test/pack/**/*.test.ts"],
    globalSetup: ["test/pack/packSetup.ts"],
    // A machine that is busy takes ten times as long as a quiet one.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    // Two demonstrations at once would claim the same session.
    fileParallelism: false
  }
})
