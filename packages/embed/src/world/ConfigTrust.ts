import {
  type ConfigWord,
  leastPin,
  lower,
  mapPrograms,
  mostPermission,
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
import { Effect, Option } from "effect"
import { remark } from "../Remark.ts"
import { Installation } from "./Installation.ts"
import { readHere } from "./ReadHere.ts"
import { ConfigUntrusted, keepTrust, programOf, trustedIn } from "./TrustStore.ts"

const accept = '"souffleur config --trust" accepts the file as it is now'

/** The environment is the person's own word, and outranks the file. */
const overridden = (key: PinnedKey, variables: Readonly<Record<string, string | undefined>>) =>
  key !== "MAX_EXTERNAL_PERMISSION" && (variables[`SOUFFLEUR_${key}`] ?? "").trim() !== ""

/** Compares the config file of a project with a pin (`undefined`: no pin), and returns the settings in force. */
const beside = Effect.fnUntraced(function* (project: string, flags: SettingFlags, pin: Pin | undefined) {
  const { variables } = yield* Installation
  const { said, settings, sources } = yield* readHere(project, flags)
  const says = yield* pinOf(said)
  if (pin === undefined) return { said, says, settings, sources, keys: [], lost: [] }
  const text = (key: keyof ConfigWord["programs"], digest: string | null) =>
    digest === null || digest === says.programs[key]
      ? Effect.succeedSome(digest === null ? null : said.programs[key])
      : programOf(settings.stateDir, digest)
  const programs = yield* Effect.all(mapPrograms(pin.programs, (digest, key) => text(key, digest)))
  const held = mapPrograms(noPrograms, (_, key) => Option.getOrNull(programs[key]))
  const keys = overreachOf(says, pin).filter((key) => !overridden(key, variables))
  const inForce = yield* readHere(project, flags, { ceiling: pin.ceiling, programs: held })
  return {
    said,
    says,
    keys,
    settings: inForce.settings,
    sources: inForce.sources,
    /** The programs whose trusted text is lost. */
    lost: programKeys.filter((key) => Option.isNone(programs[key]) && !overridden(key, variables))
  }
})

/** Returns what a project's file says, and what of it is trusted. Adds the settings in force for a new watch or run. */
export const trustOf = Effect.fn("trustOf")(function* (project: string, flags: SettingFlags = {}) {
  const { stateDir } = (yield* beside(project, flags, undefined)).settings
  const trusted = yield* trustedIn(stateDir, project)
  return { trusted, ...(yield* beside(project, flags, Option.getOrUndefined(trusted))) }
})
/** A config file, what it says, and what a person has trusted of it. */
export type ConfigTrust = Effect.Success<ReturnType<typeof trustOf>>

/** Returns the keys of a file that a person would newly trust. Of a file that nothing trusts yet, it is all. */
export const untrustedIn = ({ says, trusted }: Pick<ConfigTrust, "says" | "trusted">): ReadonlyArray<PinnedKey> =>
  overreachOf(
    says,
    Option.getOrElse(trusted, () => leastPin)
  )

/** Returns the parts of a trusted file that are worth a note: its programs, and the highest permission. */
const allowed = ({ ceiling, programs }: Pin): ReadonlyArray<string> => [
  ...programKeys.filter((key) => programs[key] !== null),
  ...(ceiling === mostPermission ? [`MAX_EXTERNAL_PERMISSION=${ceiling}`] : [])
]

/** The settings and the pin of a watch, and what its config file asks for. */
export interface Opening {
  readonly settings: ResolvedSettings
  readonly sources: SettingSourceNames
  readonly pin: Pin
  /** The keys by which the file asks for more than is in force. */
  readonly keys: ReadonlyArray<PinnedKey>
  /** True if the file would be trusted by this first use. */
  readonly first: boolean
}

/**
 * Returns the settings and the pin that a new watch or run in a project would have, and keeps nothing. Fails with
 * `ConfigUntrusted` where a program is another.
 */
export const wouldOpen = Effect.fn("ConfigTrust.wouldOpen")(function* (project: string, flags: SettingFlags = {}) {
  const { keys, said, says, settings, sources, trusted } = yield* trustOf(project, flags)
  if (Option.isNone(trusted)) return { keys, said, says, settings, sources, pin: says, first: true }
  const changed = keys.filter((key) => key !== "MAX_EXTERNAL_PERMISSION")
  if (changed.length > 0)
    return yield* new ConfigUntrusted({
      message: `${settings.source ?? "the config file, which is gone"}: ${changed.join(", ")} ${changed.length === 1 ? "is" : "are"} not what was trusted in ${project}: look at it, then ${accept}`
    })
  const pin = { ceiling: lower(says.ceiling, trusted.value.ceiling), programs: trusted.value.programs }
  return { keys, said, says, settings, sources, pin, first: false }
})

/**
 * Returns the settings and the pin of a new watch or run in a project. The first file that is found is trusted, with a
 * note where it names a program or the highest permission. Later on a higher ceiling is not used. Fails with
 * `ConfigUntrusted` where a program is another.
 */
export const opening = Effect.fn("ConfigTrust.opening")(function* (project: string, flags: SettingFlags = {}) {
  const { first, keys, pin, said, says, settings } = yield* wouldOpen(project, flags)
  if (first) {
    yield* keepTrust(settings.stateDir, project, says, said.programs)
    const news = allowed(says)
    if (news.length > 0)
      yield* remark(
        "note",
        `${settings.source} is trusted from now on as it is, with ${news.join(", ")}; a change takes "souffleur config --trust"`
      )
  } else if (keys.length > 0) yield* remark("warning", overreachInWords({ keys, said: says }))
  return { settings, pin }
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
      message: `which ${lost.join(", ")} this goes on with is lost, and the file has another: ${accept}`
    })
  return { keys, says, settings, sources, pin, first: false }
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

/** Trusts the present file in this project, by a person's word. */
export const trustNow = Effect.fn("trustNow")(function* (project: string) {
  const { said, says, settings } = yield* beside(project, {}, undefined)
  yield* keepTrust(settings.stateDir, project, says, said.programs)
  return { settings, pin: says }
})
