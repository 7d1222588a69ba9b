import { createHash } from "node:crypto"
import * as fs from "node:fs"
import { join } from "node:path"
import { AlreadyWatched, type Claimable, Claims, isOver, Owner, Processes } from "@souffleur/domain"
import { Config, Effect, Layer, Option, Schema } from "effect"
import { makeFolder } from "./Folder.ts"
import { createWhole, readWhole } from "./WholeFile.ts"

/** The folder of the claims is not ours alone, or cannot be made: whoever can write there could claim in our name. */
export class ClaimsUnusable extends Schema.TaggedError<ClaimsUnusable>()("ClaimsUnusable", {
  folder: Schema.String,
  why: Schema.String
}) {}

const OwnerJson = Schema.fromJsonString(Owner)
const encodeOwner = Schema.encodeSync(OwnerJson)
const decodeOwner = Schema.decodeUnknownOption(OwnerJson)

const nobody: Owner = { host: "unknown", pidNamespace: "unknown", process: { pid: 0, startTime: 0, bootId: "unknown" } }

const sameProcess = Schema.toEquivalence(Owner)

/**
 * `$XDG_RUNTIME_DIR/souffleur`, else a folder for this user in `/tmp`: never `$TMPDIR`, where two souffleurs may each have
 * their own.
 */
const usualFolder = (uid: number) =>
  Config.option(Config.String("XDG_RUNTIME_DIR")).pipe(
    Effect.map(Option.filter((folder) => folder.startsWith("/"))),
    Effect.map(
      Option.match({
        onNone: () => `/tmp/souffleur-${uid}`,
        onSome: (folder) => join(folder, "souffleur")
      })
    ),
    Effect.orDie
  )

/** A file's name for any words. */
const hashOf = (words: string) => createHash("sha256").update(words).digest("hex").slice(0, 32)

const openFolder = Effect.fnUntraced(function* (folder: string, uid: number) {
  const unusable = (why: string) => new ClaimsUnusable({ folder, why })
  const found = yield* Effect.try({
    try: () => {
      makeFolder(folder)
      return fs.lstatSync(folder)
    },
    catch: () => unusable("it cannot be made")
  })
  // Not followed: in a shared temporary folder anybody may have put a link there first.
  if (!found.isDirectory()) return yield* unusable("it is no folder")
  if (found.uid !== uid) return yield* unusable("it belongs to another user")
  if ((found.mode & 0o077) !== 0) return yield* unusable("others may look into it: its mode is to be 0700")
})

/** The claim in force for a Conductor: number 0 when there was never one. */
interface Standing {
  readonly number: number
  readonly owner: Option.Option<Owner>
  readonly released: boolean
}

/**
 * Claims as plain files: `<boot id>-<pid>-<start time>.<n>`, `session-<hash>.<n>` or `project-<hash>.<n>`, holds an owner, and the greatest
 * `n` is in force until `<…>.<n>.released` stands beside it. Taking over is making `n + 1`, which is exclusive. No claim is ever deleted:
 * so a slow process that has read `n` cannot make an `n + 1` that was there before. The system empties the folder.
 */
export const layer = (options: { readonly folder?: string } = {}) =>
  Layer.effect(
    Claims,
    Effect.gen(function* () {
      const processes = yield* Processes
      const { name, pidNamespace, uid } = processes.host
      const self: Owner = { host: name, pidNamespace, process: processes.self }
      const folder = options.folder ?? (yield* usualFolder(uid))
      yield* openFolder(folder, uid)

      const keyOf = (one: Claimable) => {
        if ("pid" in one) return `${one.bootId}-${one.pid}-${one.startTime}`
        return "session" in one ? `session-${hashOf(one.session)}` : `project-${hashOf(one.project)}`
      }

      const standing = (key: string): Standing => {
        const claims = fs.readdirSync(folder).filter((file) => file.startsWith(`${key}.`))
        const number = Math.max(0, ...claims.map((file) => Number(file.slice(key.length + 1))).filter(Number.isInteger))
        return {
          number,
          owner: number === 0 ? Option.none() : decodeOwner(readWhole(join(folder, `${key}.${number}`))),
          released: claims.includes(`${key}.${number}.released`)
        }
      }

      const isDead = Effect.fn("Claims.isDead")(function* (owner: Owner) {
        if (owner.pidNamespace !== self.pidNamespace) return false
        // A host may be renamed while it is up; its boot id is not shared with any other.
        if (owner.process.bootId !== self.process.bootId) return owner.host === self.host
        const condition = yield* processes.condition(owner.process)
        return isOver(condition)
      })

      const claim = Effect.fn("Claims.claim")(function* (claimable: Claimable) {
        const key = keyOf(claimable)
        while (true) {
          const before = yield* Effect.sync(() => standing(key))
          if (before.number > 0 && !before.released) {
            if (Option.isNone(before.owner)) {
              return yield* new AlreadyWatched({ owner: nobody, why: `the claim ${key}.${before.number} in ${folder} cannot be read` })
            }
            const owner = before.owner.value
            if (sameProcess(owner, self)) return
            if (!(yield* isDead(owner))) {
              const near = owner.process.bootId === self.process.bootId && owner.pidNamespace === self.pidNamespace
              return yield* new AlreadyWatched({
                owner,
                why: near ? "that souffleur is alive" : "that souffleur runs where its processes cannot be seen from here, and may be alive"
              })
            }
          }
          const won = yield* Effect.sync(() => createWhole(join(folder, `${key}.${before.number + 1}`), encodeOwner(self)))
          if (won) return
        }
      })

      const release = Effect.fn("Claims.release")((claimable: Claimable) =>
        Effect.sync(() => {
          const key = keyOf(claimable)
          const { number, owner } = standing(key)
          if (Option.isSome(owner) && sameProcess(owner.value, self)) createWhole(join(folder, `${key}.${number}.released`), "")
        })
      )

      return Claims.of({ self, isDead, claim, release })
    })
  )
