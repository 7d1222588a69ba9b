import { Claims, type ResolvedSettings } from "@souffleur/domain"
import { lookTrusted } from "@souffleur/process"
import { Effect, FileSystem, Option, Result } from "effect"
import { layerHost } from "../world/StoreLayers.ts"
import { layerClaims } from "../world/World.ts"
import { diskCheck, existingFolder } from "./DiskCheck.ts"
import { type Finding, note, passed, wrong } from "./Finding.ts"
import { draftsCheck, keptCheck, outputsCheck } from "./LeftoversCheck.ts"
import { logCheck } from "./LogCheck.ts"
import { filesIn } from "./StateFolderFiles.ts"

const forOthers = 0o077
/** The number of open files that are named. A wrong mode has most often reached all files. */
const maxNamed = 5

/** Checks that the state folder and its files belong to this user alone, and can be written. */
const folder = Effect.fnUntraced(function* ({ stateDir }: ResolvedSettings) {
  const fs = yield* FileSystem.FileSystem
  const look = Effect.fnUntraced(function* (file: string) {
    const info = yield* Effect.option(fs.stat(file))
    if (Option.isNone(info) || (info.value.mode & forOthers) === 0) return []
    const mode = info.value.type === "Directory" ? "0700" : "0600"
    return [wrong("state folder", `${file} is open to others: conversations are in it`, `chmod ${mode} '${file}'`)]
  })
  /** Returns a finding where a folder takes no file of this user. */
  const unwritable = Effect.fnUntraced(function* (place: string, what: string) {
    const remedy = "give it back to this user, or set SOUFFLEUR_STATE_DIR"
    return yield* fs.access(place, { readable: true, writable: true }).pipe(
      Effect.as([]),
      Effect.orElseSucceed(() => [wrong("state folder", what, remedy)])
    )
  })
  const ours = yield* Effect.result(lookTrusted(stateDir, { folder: true, own: true }))
  if (Result.isFailure(ours)) {
    if (!ours.failure.missing)
      return [wrong("state folder", ours.failure.message, "every command that needs it is refused until then")]
    const parent = yield* existingFolder(stateDir)
    const found = yield* unwritable(parent, `${stateDir} cannot be made: ${parent} cannot be written`)
    return found.length > 0 ? found : [note("state folder", `${stateDir} is not there: the first watch makes it`)]
  }
  const open: Array<Finding> = [...(yield* look(stateDir))]
  for (const file of yield* filesIn({ stateDir })) if (open.length < maxNamed) open.push(...(yield* look(file)))
  if (open.length > 0) return open
  const found = yield* unwritable(stateDir, `${stateDir} cannot be written`)
  return found.length > 0 ? found : [passed("state folder", `${stateDir} is ours alone`)]
})

/** Checks whether a claim could be taken now. */
const claimable = Effect.gen(function* () {
  const claims = yield* Claims
  const probe = { session: "doctor" }
  return yield* claims.claim(probe).pipe(
    Effect.andThen(claims.release(probe)),
    // Another doctor holds the probe at this moment.
    Effect.catchTag("AlreadyWatched", () => Effect.void),
    Effect.as(passed("claims", "no other souffleur of this user can watch the same Conductor")),
    Effect.catchTag("ClaimFailed", ({ message }) =>
      Effect.succeed(wrong("claims", message, "nothing new is watched until then"))
    )
  )
}).pipe(Effect.provide(layerClaims))

/** Checks souffleur's own files. Returns the findings and all watches, those that have ended too. */
export const stateFolderCheck = Effect.fn("Doctor.stateFolderCheck")(function* (settings: ResolvedSettings) {
  const { findings, watches } = yield* logCheck(settings)
  // Only a readable log says which launches are still needed.
  const readable = findings.some(({ check, level }) => check === "event log" && level !== "wrong")
  const kept = readable ? yield* keptCheck(settings, watches) : []
  const state = [
    ...(yield* folder(settings)),
    ...(yield* diskCheck(settings)),
    yield* claimable,
    yield* draftsCheck(settings),
    ...(yield* outputsCheck(settings))
  ]
  return { findings: [...state, ...kept, ...findings], watches }
}, Effect.provide(layerHost))
