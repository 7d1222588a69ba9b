import { agentsOwn } from "@souffleur/domain"
import {
  type HooksChanged,
  HookSettingsUnusable,
  type HooksStatus,
  lookTrusted,
  type OnSettings,
  readTrusted,
  replaceWith
} from "@souffleur/process"
import { Effect, FileSystem, Option, Path, Result } from "effect"
import { hookProgram } from "./HookCommand.ts"
import { type HookForm, hooksFound, switchedOff, withHooks, withoutHooks } from "./HookSettings.ts"

/** Bytes of settings at most. Real ones have a few thousand. */
const sizeLimit = 1_000_000

/** Path of the backup beside the file, made before the first change. */
const backupOf = (path: string) => `${path}.souffleur-backup`

interface SettingsFile {
  /** Path of the file itself, where its name is a link. */
  readonly target: string
  readonly text: string
  readonly info: FileSystem.File.Info
}

/**
 * Refuses a folder that others can write to. With another settings file they would choose the programs that the agent
 * runs.
 */
const unlessOthersFolder = Effect.fnUntraced(function* (file: string) {
  const fs = yield* FileSystem.FileSystem
  const paths = yield* Path.Path
  yield* lookTrusted(yield* fs.realPath(paths.dirname(file)), { ...agentsOwn, folder: true })
})

/** Reads the settings. `None`: there is no such file. A link leads to a file that is judged like any other. */
const read = Effect.fnUntraced(function* (path: string) {
  const fs = yield* FileSystem.FileSystem
  const unusable = (problem: string) => new HookSettingsUnusable({ path, problem })
  const found = yield* fs.realPath(path).pipe(
    Effect.asSome,
    Effect.catchIf(
      ({ reason }) => reason._tag === "NotFound",
      () => Effect.succeedNone
    )
  )
  if (Option.isNone(found)) {
    if (Option.isSome(yield* Effect.option(fs.readLink(path))))
      return yield* unusable("is a link to a file that is not there")
    return Option.none<SettingsFile>()
  }
  yield* unlessOthersFolder(found.value)
  const trust = { ...agentsOwn, atMost: sizeLimit }
  const info = yield* lookTrusted(found.value, trust)
  const bytes = yield* readTrusted(found.value, trust)
  const text = yield* Effect.try({
    try: () => new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes),
    catch: () => unusable("is not UTF-8")
  })
  return Option.some<SettingsFile>({ target: found.value, text, info })
})

/**
 * Replaces the file whole or not at all, with the mode and the owner that it had. Fails unless `before` is still there
 * (`undefined`: no file).
 */
const write = Effect.fnUntraced(function* (path: string, text: string, before: SettingsFile | undefined) {
  const fs = yield* FileSystem.FileSystem
  const target = before?.target ?? path
  yield* replaceWith(
    target,
    Effect.fnUntraced(function* ({ file, path: draft }) {
      yield* file.writeAll(new TextEncoder().encode(text))
      if (before !== undefined) {
        yield* fs.chmod(draft, before.info.mode & 0o777)
        const own = yield* fs.stat(draft)
        const [uid, gid] = [Option.getOrElse(before.info.uid, () => 0), Option.getOrElse(before.info.gid, () => 0)]
        if (!Option.contains(own.uid, uid) || !Option.contains(own.gid, gid)) yield* fs.chown(draft, uid, gid)
      }
      const now = Option.getOrUndefined(yield* read(path))
      if (now?.text !== before?.text)
        return yield* new HookSettingsUnusable({ path, problem: "was changed meanwhile: try again" })
    })
  )
})

const sound = <A>(path: string, result: Result.Result<A, string>): Effect.Effect<A, HookSettingsUnusable> =>
  Effect.fromResult(Result.mapError(result, (problem) => new HookSettingsUnusable({ path, problem })))

/** Returns the settings without our hooks: the backup, byte for byte, if nothing else has changed since. */
const bare = Effect.fnUntraced(function* (form: HookForm, path: string, text: string) {
  const backup = Option.map(yield* read(backupOf(path)), (file) => file.text)
  const { commands } = yield* sound(path, hooksFound(form, text))
  const installed = Option.flatMap(backup, (before) => Result.getSuccess(withHooks(form, before, commands[0] ?? "")))
  const untouched = Option.contains(installed, text)
  return {
    backup,
    untouched,
    text: untouched && Option.isSome(backup) ? backup.value : yield* sound(path, withoutHooks(text))
  }
})

type Changing = Effect.fn.Return<
  HooksChanged,
  Effect.Error<OnSettings<HooksChanged>>,
  Effect.Services<OnSettings<HooksChanged>>
>

/** Adds the command for each of our events beside the hooks of others. It replaces an earlier command of ours. */
export const installHooks = Effect.fn("installHooks")(function* (
  form: HookForm,
  path: string,
  command: string
): Changing {
  const fs = yield* FileSystem.FileSystem
  const paths = yield* Path.Path
  const file = Option.getOrUndefined(yield* read(path))
  const found = yield* sound(path, hooksFound(form, file?.text ?? "{}"))
  const backup = (yield* fs.exists(backupOf(path))) ? backupOf(path) : null
  if (found.complete && found.commands[0] === command) return { path, changed: false, backup, how: "nothing to do" }
  const before = file === undefined ? "{}\n" : (yield* bare(form, path, file.text)).text
  const text = yield* sound(path, withHooks(form, before, command))
  if (file === undefined) {
    yield* fs.makeDirectory(paths.dirname(path), { recursive: true, mode: 0o700 })
    yield* unlessOthersFolder(path)
  }
  // A backup without any hook of ours was left behind.
  if (found.events.length > 0) {
    yield* write(path, text, file)
    return { path, changed: true, backup, how: "installed" }
  }
  yield* fs.remove(backupOf(path), { force: true })
  if (file !== undefined) {
    yield* fs.writeFileString(backupOf(path), file.text, { flag: "wx", mode: 0o600 })
    yield* fs.chmod(backupOf(path), file.info.mode & 0o777)
  }
  yield* write(path, text, file)
  return { path, changed: true, backup: file === undefined ? null : backupOf(path), how: "installed" }
})

/**
 * Removes the hooks that `installHooks` added, and nothing else. The rest stays as it was, to the byte if nothing else
 * has changed since.
 */
export const uninstallHooks = Effect.fn("uninstallHooks")(function* (form: HookForm, path: string): Changing {
  const fs = yield* FileSystem.FileSystem
  const file = Option.getOrUndefined(yield* read(path))
  const found = file === undefined ? undefined : yield* sound(path, hooksFound(form, file.text))
  if (file === undefined || found === undefined || found.events.length === 0) {
    yield* fs.remove(backupOf(path), { force: true })
    return { path, changed: false, backup: null, how: "nothing to do" }
  }
  const { backup, text, untouched } = yield* bare(form, path, file.text)
  const empty = text.trim() === "{}"
  const made = Option.isNone(backup) && empty && Option.isNone(yield* Effect.option(fs.readLink(path)))
  yield* made ? fs.remove(path) : write(path, text, file)
  yield* fs.remove(backupOf(path), { force: true })
  return { path, changed: true, backup: null, how: made ? "removed" : untouched ? "restored" : "edited" }
})

/**
 * Reads which hooks a settings file has, and which of their programs are not there. A missing file has none. Fails with
 * `HookSettingsUnusable` where the text is not understood, and with `FileRefused` where the file is not trusted.
 */
export const hooksStatus = Effect.fn("hooksStatus")(function* (form: HookForm, path: string) {
  const fs = yield* FileSystem.FileSystem
  const file = yield* read(path)
  const text = Option.match(file, { onNone: () => "{}", onSome: (one) => one.text })
  const { commands, events } = yield* sound(path, hooksFound(form, text))
  const programs = commands.flatMap((command) => Option.toArray(hookProgram(command)))
  const missing = yield* Effect.filter([...new Set(programs.flatMap(({ self }) => self))], (one) =>
    fs.exists(one).pipe(
      Effect.map((there) => !there),
      Effect.orElseSucceed(() => true)
    )
  )
  return {
    path,
    events,
    absent: form.events.filter((event) => !events.includes(event)),
    programs,
    missing,
    off: switchedOff(form, text)
  } satisfies HooksStatus
})
