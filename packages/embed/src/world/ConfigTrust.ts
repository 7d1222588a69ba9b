import {
  type ConfigWord,
  leastPin,
  lower,
  mapPrograms,
  nameOfKey,
  unlimited,
  noPrograms,
  overreachInWords,
  overreachOf,
  type Pin,
  type PinnedKey,
  pinOf,
  programKeys,
  type ResolvedSettings,
  type SettingFlags,
  type SettingSourceNames
} from "@souffleur/domain"
import { configPlaces } from "@souffleur/process"
import { Effect, FileSystem, Option, Path } from "effect"
import { refuseMissing } from "../jobs/ProjectMissing.ts"
import { remark } from "../Remark.ts"
import { Installation } from "./Installation.ts"
import { readHere } from "./ReadHere.ts"
import { ConfigUntrusted, forgetTrust, keepTrust, programOf, trustedOf } from "./TrustStore.ts"

/** The environment and the values of the program are a person's own word, and outrank the file. */
const overridden = (key: PinnedKey, { values = {}, variables }: Installation["Service"]) => {
  return (
    nameOfKey(key) in values ||
    (key !== "MAX_EXTERNAL_PERMISSION" && (variables[`SOUFFLEUR_${key}`] ?? "").trim() !== "")
  )
}

/** Returns the real path of a project, by which its config file is trusted from every folder that has it. */
const realOf = (project: string) =>
  FileSystem.FileSystem.use((fs) => Effect.orElseSucceed(fs.realPath(project), () => project))

/** Compares the config file of a project with a pin (`undefined`: no pin), and returns the settings in force. */
const beside = Effect.fnUntraced(function* (project: string, flags: SettingFlags, pin: Pin | undefined) {
  const installation = yield* Installation
  const { said, settings, sources } = yield* readHere(project, flags)
  const says = yield* pinOf(said)
  if (pin === undefined) return { said, says, settings, sources, keys: [], lost: [] }
  const text = (key: keyof ConfigWord["programs"], digest: string | null) =>
    digest === null || digest === says.programs[key]
      ? Effect.succeedSome(digest === null ? null : said.programs[key])
      : programOf(settings.stateDir, digest)
  const programs = yield* Effect.all(mapPrograms(pin.programs, (digest, key) => text(key, digest)))
  const held = mapPrograms(noPrograms, (_, key) => Option.getOrNull(programs[key]))
  const keys = overreachOf(says, pin).filter((key) => !overridden(key, installation))
  const inForce = yield* readHere(project, flags, { ...pin, programs: held })
  return {
    said,
    says,
    keys,
    settings: inForce.settings,
    sources: inForce.sources,
    /** The programs whose trusted text is lost. */
    lost: programKeys.filter((key) => Option.isNone(programs[key]) && !overridden(key, installation))
  }
})

/**
 * Reads what a person has trusted of the config file that a project has now. A nearer file that was trusted and is gone
 * counts in its place, so that its removal frees nothing.
 */
const recordOf = Effect.fnUntraced(function* (stateDir: string, project: string, source: string | null) {
  for (const place of configPlaces(yield* Path.Path, project)) {
    const trusted = yield* trustedOf(stateDir, place)
    // What is opened has the ceilings of use that the file sets then: numbers need no word.
    if (Option.isSome(trusted) || place === source) return Option.map(trusted, (pin) => ({ ...pin, limits: unlimited }))
  }
  return Option.none<Pin>()
})

/** Returns what a project's file says, what of it is trusted, and the settings in force for a new watch or run. */
export const trustOf = Effect.fn("trustOf")(function* (folder: string, flags: SettingFlags = {}) {
  const project = yield* realOf(folder)
  const { said, settings } = yield* readHere(project, flags)
  // What is opened has the times that the file has then: they need no word either.
  const trusted = Option.map(yield* recordOf(settings.stateDir, project, settings.source), (pin) => ({
    ...pin,
    pace: said.pace
  }))
  return {
    trusted,
    ...(yield* beside(
      project,
      flags,
      Option.getOrElse(trusted, () => ({ ...leastPin, pace: said.pace }))
    ))
  }
})
/** A config file, what it says, and what a person has trusted of it. */
export type ConfigTrust = Effect.Success<ReturnType<typeof trustOf>>

/** Returns the keys of a file that a person would newly trust, also those that the environment outranks. */
export const untrustedIn = ({ says, trusted }: Pick<ConfigTrust, "says" | "trusted">): ReadonlyArray<PinnedKey> =>
  overreachOf(
    says,
    Option.getOrElse(trusted, () => ({ ...leastPin, pace: says.pace }))
  )

/** The settings and the pin of a watch, and what its config file asks for. */
export interface Opening {
  readonly settings: ResolvedSettings
  readonly sources: SettingSourceNames
  readonly pin: Pin
  /** The keys by which the file asks for more than is in force. */
  readonly keys: ReadonlyArray<PinnedKey>
}

/**
 * The gate of every new watch and run, and of every other program of a config file: returns the settings and the pin
 * that it would have. Fails with `ConfigUntrusted` where the file asks for more than a person has trusted of it, and
 * with `ProjectMissing` where the folder is not there.
 */
export const opening = Effect.fn("ConfigTrust.opening")(function* (project: string, flags: SettingFlags = {}) {
  yield* refuseMissing(project)
  const { keys, says, settings, sources, trusted } = yield* trustOf(project, flags)
  if (keys.length > 0)
    return yield* new ConfigUntrusted({
      message: `${settings.source ?? "the config file, which is gone"}: ${keys.join(", ")} ${keys.length === 1 ? "is" : "are"} not ${Option.isNone(trusted) ? "trusted yet" : "what was trusted"}`
    })
  const { ceiling, programs } = Option.getOrElse(trusted, () => leastPin)
  const pin = { ceiling: lower(says.ceiling, ceiling), limits: says.limits, pace: says.pace, programs }
  return { keys, settings, sources, pin } satisfies Opening
})

/**
 * Returns what a watch or a run is resumed with: its own ceiling and programs, whatever the file says now. Fails with
 * `ConfigUntrusted` if the text of a program is lost.
 */
export const wouldGoOn = Effect.fn("ConfigTrust.wouldGoOn")(function* (
  project: string,
  pin: Pin,
  flags: SettingFlags = {}
) {
  const { keys, lost, says, settings, sources } = yield* beside(project, flags, pin)
  if (lost.length > 0)
    return yield* new ConfigUntrusted({
      message: `which ${lost.join(", ")} this goes on with is lost, and the file has another`
    })
  return { keys, says, settings, sources, pin }
})

/** Returns the settings of {@link wouldGoOn}, and remarks where the file asks for more. */
export const goingOn = Effect.fn("ConfigTrust.goingOn")(function* (
  project: string,
  pin: Pin,
  flags: SettingFlags = {}
) {
  const { keys, says, settings } = yield* wouldGoOn(project, pin, flags)
  if (keys.length > 0) yield* remark("warning", overreachInWords({ keys, said: says }))
  return settings
})

/** Trusts the present file of a project, by a person's word, and that a nearer one is gone. */
export const trustNow = Effect.fn("trustNow")(function* (folder: string) {
  const project = yield* realOf(folder)
  const { said, says, settings } = yield* beside(project, {}, undefined)
  const places = configPlaces(yield* Path.Path, project)
  const place = places.find((one) => one === settings.source) ?? places[0]!
  yield* Effect.forEach(places.slice(0, places.indexOf(place)), (gone) => forgetTrust(settings.stateDir, gone))
  yield* keepTrust(settings.stateDir, place, says, said.programs)
  return { settings, pin: says }
})
