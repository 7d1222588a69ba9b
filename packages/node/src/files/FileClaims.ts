import { createHash } from "node:crypto"
import * as fs from "node:fs"
import * as os from "node:os"
import { join } from "node:path"
import {
  AlreadyWatched,
  type Claimable,
  ClaimFailed,
  Claims,
  isOver,
  isSeen,
  Owner,
  Processes
} from "@souffleur/domain"
import { Effect, Layer, Option, Schema } from "effect"
import { makeFolder } from "./Folder.ts"
import { fullDisk, hasCode, meansFull } from "./SystemError.ts"
import { readTrustedText, refusalAt } from "./TrustedFile.ts"
import { createWhole } from "./WholeFile.ts"

const OwnerJson = Schema.fromJsonString(Owner)
const encodeOwner = Schema.encodeSync(OwnerJson)
const decodeOwner = Schema.decodeUnknownOption(OwnerJson)

const unknownOwner: Owner = {
  host: "unknown",
  machine: null,
  pidNamespace: "unknown",
  process: { pid: 0, startTime: 0, bootId: "unknown" }
}

/** Another user who can write to the folder could claim in our name, or remove a claim. */
const ours = { folder: true, own: true, others: "nothing" } as const
/** Bytes of a claim at most. A real claim has about 200. */
const maxBytes = 4096

/** Home folder from the password database. `$HOME` is not used: it differs in a login, a service, cron and su. */
const homeOf = (): string | undefined => {
  try {
    return os.userInfo().homedir
  } catch {
    return undefined
  }
}

/**
 * Folder of the claims of every souffleur of this user: `~/.local/state/souffleur-claims`. Falls back to
 * `/tmp/souffleur-<uid>` where that home belongs to another user or takes no folder.
 */
export const usualFolder = (uid: number, home = homeOf()): string => {
  const elsewhere = `/tmp/souffleur-${uid}`
  if (home === undefined || refusalAt(home, { folder: true, own: true, others: "write as its group" }) !== undefined)
    return elsewhere
  const folder = join(home, ".local", "state", "souffleur-claims")
  try {
    makeFolder(folder)
  } catch (error) {
    if (hasCode(error, "EROFS", "EACCES", "EPERM", "ENOTDIR", "ENOENT")) return elsewhere
  }
  return folder
}

const hashOf = (words: string) => createHash("sha256").update(words).digest("hex").slice(0, 32)

/** Other paths may lead to a file, and another file may come to its path, so both name it. */
const keysOfFile = (path: string): ReadonlyArray<string> => {
  try {
    const { dev, ino } = fs.statSync(path, { bigint: true })
    return [`comms-${hashOf(fs.realpathSync(path))}`, `comms-${dev}-${ino}`]
  } catch {
    return [`comms-${hashOf(path)}`]
  }
}

const keysOf = (one: Claimable): ReadonlyArray<string> => {
  if ("pid" in one) return [`${one.bootId}-${one.pid}-${one.startTime}`]
  if ("comms" in one) return keysOfFile(one.comms)
  return ["session" in one ? `session-${hashOf(one.session)}` : `project-${hashOf(one.project)}`]
}
const inBrief = (one: Claimable) => {
  if ("pid" in one) return `process ${one.pid}`
  if ("comms" in one) return one.comms
  return "session" in one ? `session ${one.session}` : `project ${one.project}`
}
const sweeping = "sweeping" // Held while the claims of dead processes are removed.

/** The layers of this process that hold claims, by the paths of these. The files say no more than the process. */
const holders = new Map<string, symbol>()

interface Claim {
  /** Name of the claim's file. */
  readonly name: string
  readonly number: number
  readonly text: string
}
const isAmong = (claims: ReadonlyArray<Claim>) => (one: Claim) =>
  claims.some(({ name, text }) => one.name === name && one.text === text)

const namesIn = (folder: string): ReadonlyArray<string> => (fs.existsSync(folder) ? fs.readdirSync(folder) : [])

/** Creates a claim. Returns `false` where its name is taken, or its folder is gone. */
const createIn = (folder: string, name: string, text: string): boolean => {
  try {
    return createWhole(join(folder, name), text)
  } catch (error) {
    if (hasCode(error, "ENOENT")) return false
    throw error
  }
}

/** The folder of the claims. Defaults to this user's. */
interface ClaimsPlace {
  readonly folder?: string
}

/** Claims that dead processes have left. */
interface Abandoned {
  /** The paths of their files. */
  readonly paths: Effect.Effect<ReadonlyArray<string>, ClaimFailed>
  /** Removes them. Fails with `AlreadyWatched` while another process does so. */
  readonly remove: Effect.Effect<void, AlreadyWatched | ClaimFailed>
}

/** Describes an error of the system for a person. */
const inWords = (error: unknown): string => {
  if (meansFull(error)) return fullDisk
  if (hasCode(error, "EROFS")) return "it cannot be written: its disk is read-only"
  return `it cannot be written (${error instanceof Error && "code" in error ? String(error.code) : "unknown"})`
}

/**
 * Keeps claims as plain files with their owner: `<boot id>-<pid>-<start time>.<n>`, `session-<hash>.<n>`,
 * `comms-<hash>.<n>` with `comms-<device>-<inode>.<n>`, or `project-<hash>.<n>`.
 * A claim is in force until its owner removes it or is provably dead. A claimer that finds no claim in force creates
 * the next number, which is exclusive. Then it reads the folder again. It has the claim only if no other claim was
 * added meanwhile. Otherwise it removes its own. So of any two claimers at least one sees the other, however slow it
 * is.
 * Claims of dead processes are removed under a claim of its own, `sweeping`. So a name that was found dead is not
 * reused before it is removed.
 */
const make = Effect.fnUntraced(function* (options: ClaimsPlace) {
  const processes = yield* Processes
  const { name, pidNamespace, uid } = processes.host
  const self: Owner = {
    host: name,
    get machine() {
      return processes.host.machine
    },
    pidNamespace,
    process: processes.self
  }
  const folder = options.folder ?? usualFolder(uid)
  const attempt = <A>(act: () => A) =>
    Effect.try({ try: act, catch: (error) => new ClaimFailed({ message: `${folder}: ${inWords(error)}` }) })

  /**
   * Makes the folder again where it is gone: a temporary folder is emptied, a home is unmounted. Fails with
   * `ClaimFailed` where the folder cannot be made or trusted.
   */
  const usable = Effect.gen(function* () {
    yield* attempt(() => makeFolder(folder))
    const refusal = refusalAt(folder, ours)
    if (refusal !== undefined) return yield* new ClaimFailed({ message: `${folder}: ${refusal.problem}` })
  })

  const claimsNamed = (wanted: (key: string) => boolean): ReadonlyArray<Claim> =>
    namesIn(folder).flatMap((file) => {
      const [, key, number] = /^([\w-]+)\.(\d+)$/u.exec(file) ?? []
      if (key === undefined || !wanted(key)) return []
      const read = readTrustedText(join(folder, file), { own: true, others: "nothing", atMost: maxBytes })
      if ("text" in read) return [{ name: file, number: Number(number), text: read.text }]
      // A file that is not ours, or that cannot be read, still occupies its number.
      return read.missing ? [] : [{ name: file, number: Number(number), text: "" }]
    })

  const isDead = Effect.fn("Claims.isDead")(function* (owner: Owner) {
    if (owner.pidNamespace !== self.pidNamespace) return false
    // Host names are given twice, and a copied machine keeps its identity at first. Where either differs, nothing
    // is proved.
    if (owner.process.bootId !== self.process.bootId)
      return self.machine !== null && owner.machine === self.machine && owner.host === self.host
    const condition = yield* processes.condition(owner.process)
    return isOver(condition)
  })
  const isLeft = (one: Claim) =>
    Option.match(decodeOwner(one.text), { onNone: () => Effect.succeed(false), onSome: isDead })

  /** Explains why another owner's claim, which is in force, is not ours to take. */
  const heldBy = (claim: Claim, what: string) => {
    const owner = decodeOwner(claim.text)
    const remove = `where you know that it is gone, remove ${join(folder, claim.name)}`
    if (Option.isNone(owner))
      return new AlreadyWatched({
        owner: unknownOwner,
        problem: `the claim ${join(folder, claim.name)} cannot be read: ${remove}`
      })
    const far = `it runs where its processes cannot be seen from here, and may be alive: ${remove}`
    const who = `souffleur with pid ${owner.value.process.pid} on ${owner.value.host} has claimed ${what}`
    if (isSeen(owner.value, self)) return new AlreadyWatched({ owner: owner.value, problem: `${who}, and is alive` })
    return new AlreadyWatched({ owner: owner.value, unseen: true, problem: `${who}: ${far}` })
  }

  const ownText = () => encodeOwner(self)
  const me = Symbol("claims")
  const pathOf = (name: string) => join(folder, name)
  /** A file of ours that cannot be read any more is no reason to leave a Conductor. */
  const isOwn = ({ name, text }: Claim) => {
    const holder = holders.get(pathOf(name))
    return holder === me ? text === "" || text === ownText() : holder === undefined && text === ownText()
  }
  /** Returns whether a claim is of another layer of this process. */
  const isBeside = ({ name, text }: Claim) => text === ownText() && (holders.get(pathOf(name)) ?? me) !== me

  const claimKey = Effect.fnUntraced(function* (key: string, what: string) {
    const readClaims = attempt(() => claimsNamed((one) => one === key))
    const text = ownText()
    while (true) {
      yield* usable
      const known = yield* readClaims
      if (known.some(isOwn)) return false
      if (known.some(isBeside))
        return yield* new AlreadyWatched({ owner: self, problem: `another layer of this process claimed ${what}` })
      const [held] = yield* Effect.filter(known, (one) => Effect.map(isLeft(one), (left) => !left))
      if (held !== undefined) return yield* heldBy(held, what)
      const mine: Claim = {
        name: `${key}.${Math.max(0, ...known.map(({ number }) => number)) + 1}`,
        number: 0,
        text
      }
      // An empty folder may go at any moment, as by an uninstall: then it is made again.
      if (!(yield* attempt(() => createIn(folder, mine.name, text)))) continue
      if ((yield* readClaims).every(isAmong([...known, mine]))) {
        holders.set(pathOf(mine.name), me)
        return true
      }
      yield* attempt(() => fs.rmSync(join(folder, mine.name), { force: true }))
    }
  })
  const releaseKey = (key: string) =>
    Effect.ignore(
      attempt(() => {
        for (const one of claimsNamed((other) => other === key))
          if (isOwn(one)) {
            fs.rmSync(pathOf(one.name), { force: true })
            holders.delete(pathOf(one.name))
          }
      })
    )

  const left = Effect.flatMap(
    attempt(() => claimsNamed(() => true)),
    (all) => Effect.filter(all, isLeft)
  )
  const sweep = Effect.gen(function* () {
    if ((yield* left).length === 0) return
    yield* claimKey(sweeping, "the sweep")
    const remove = Effect.flatMap(left, (dead) =>
      attempt(() => dead.forEach((one) => fs.rmSync(join(folder, one.name), { force: true })))
    )
    yield* Effect.ensuring(remove, releaseKey(sweeping))
  })

  // A process that claims nothing writes nothing. A failed sweep is ignored here: the claim fails with the reason.
  const swept = yield* Effect.cached(Effect.ignore(Effect.andThen(usable, sweep)))
  const claims = Claims.of({
    self,
    isDead,
    claim: Effect.fn("Claims.claim")(function* (claimable: Claimable) {
      yield* swept
      const taken: Array<string> = []
      for (const key of keysOf(claimable)) {
        const isNew = yield* Effect.tapError(claimKey(key, inBrief(claimable)), () => Effect.forEach(taken, releaseKey))
        if (isNew) taken.push(key)
      }
      return taken.length > 0
    }),
    release: Effect.fn("Claims.release")((claimable: Claimable) =>
      Effect.forEach(keysOf(claimable), releaseKey, { discard: true })
    ),
    forget: Effect.fn("Claims.forget")((owner: Owner) => {
      const text = encodeOwner(owner)
      const its = () => claimsNamed(() => true).filter((one) => one.text === text)
      return Effect.ignore(attempt(() => its().forEach(({ name }) => fs.rmSync(join(folder, name), { force: true }))))
    })
  })
  const paths = Effect.map(left, (all) => all.map((one) => join(folder, one.name)))
  return { claims, abandoned: { paths, remove: sweep } satisfies Abandoned }
})

/** Keeps claims in the folder of this user. */
export const layer = (options: ClaimsPlace = {}) =>
  Layer.effect(
    Claims,
    Effect.map(make(options), ({ claims }) => claims)
  )

/** Finds the claims that dead souffleurs have left in the folder of this user. */
export const abandoned = Effect.fn("Claims.abandoned")((options: ClaimsPlace = {}) =>
  Effect.map(make(options), (made): Abandoned => made.abandoned)
)
