import { defineConfig } from "vitest/config"

/** A service under systemd's own user manager: as root, where there is one; its watchdog takes three minutes. */
export default defineConfig({
  test: {
    include: ["test/service/**/*.test.ts"],
    globalSetup: ["test/cli/cliSetup.ts"]
  }
})
