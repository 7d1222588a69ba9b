import { claudeCode } from "@souffleur/agents"
import { configKeys, Settings } from "@souffleur/domain"
import { loadSettings } from "@souffleur/process"
import { Duration } from "effect"
import { join } from "node:path"
import { border, holds, type Place } from "../Border.ts"
import { homeIn } from "../CommandLine.ts"
import { bytes, mangled, number, plainWord, run, some, torn, word } from "../Hostile.ts"
import { valueOf } from "../Settle.ts"
import type { Seed } from "../../simulation/Seed.ts"

const value = (seed: Seed): string =>
  seed.pick<() => string>([
    () => word(seed),
    () => String(number(seed)),
    () => run(seed),
    () =>
      seed.pick([
        "1e999 seconds",
        "-5 seconds",
        "Infinity",
        "NaN millis",
        `${"9".repeat(30)} weeks`,
        "2 seconds",
        "0 seconds",
        "15 days"
      ]),
    () =>
      seed.pick([
        "25:00-99:99",
        "00:00-00:00",
        "23:00-07:00",
        "bypassPermissions",
        "acceptEdits",
        '["claude","--settings","x"]'
      ])
  ])()

const line = (seed: Seed): string =>
  seed.pick<() => string>([
    () => `${seed.pick(configKeys)}=${value(seed)}`,
    () => `  ${seed.pick(configKeys)} \t= ${value(seed)}`,
    () => `${word(seed)}=${value(seed)}`,
    () => `#${run(seed)}`,
    () => run(seed)
  ])()

const load = (place: Place, environment: Readonly<Record<string, string>> = {}) => {
  const { project } = homeIn(place.folder)
  return valueOf(
    loadSettings({
      agent: claudeCode,
      projectDir: project,
      environment: { HOME: place.folder, ...environment },
      flags: {}
    })
  )
}

/** Checks the facts that every part behind the settings relies on. */
const sound = (settings: Awaited<ReturnType<typeof load>>): void => {
  if (settings === undefined) return
  for (const [name, one] of Object.entries(settings)) {
    if (typeof one === "number") holds(Number.isSafeInteger(one) && one > 0, `${name} is no count`, String(one))
    if (Duration.isDuration(one))
      holds(
        Duration.isFinite(one) && Duration.toMillis(one) >= 0 && Duration.toWeeks(one) <= 2,
        `${name} is no wait`,
        Duration.format(one)
      )
  }
  holds(["acceptEdits", "bypassPermissions"].includes(settings.maxExternalPermission), "a ceiling that is none")
  holds(settings.stateDir.startsWith("/") && settings.agentDir.startsWith("/"), "a folder that is not absolute")
  // The printed settings read back as JSON.
  JSON.parse(JSON.stringify(Settings.json(settings)))
}

export const config = border("config-files", {
  share: 4,
  draw: (seed) => {
    const text = some(seed, 15, () => line(seed)).join(seed.pick(["\n", "\n", "\r\n", "\r"]))
    return seed.pick<() => Uint8Array>([
      () => torn(seed, text),
      () => torn(seed, mangled(seed, text)),
      () => bytes(seed)
    ])()
  },
  checks: {
    "is read": async (data, place) => {
      homeIn(place.folder).write("opera/.orchestra_configs/souffleur", data)
      const settings = await load(place)
      holds(settings !== undefined, "a config file alone makes the settings unusable")
      sound(settings)
    }
  }
})

export const environment = border("environment", {
  share: 4,
  draw: (seed) =>
    Object.fromEntries(
      some(seed, 4, () => [
        seed.pick([
          ...configKeys.map((key) => `SOUFFLEUR_${key}`),
          "SOUFFLEUR_STATE_DIR",
          "SOUFFLEUR_CLAUDE_DIR",
          "XDG_STATE_HOME",
          "HOME",
          "CLAUDE_CONFIG_DIR"
        ]),
        seed.chance(0.5) ? plainWord(seed) : value(seed).replaceAll("\0", "")
      ])
    ),
  checks: {
    "is read": async (variables, place) =>
      sound(await load(place, { ...variables, SOUFFLEUR_STATE_DIR: join(place.folder, "state") }))
  }
})
