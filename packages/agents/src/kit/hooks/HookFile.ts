import { AgentSettingsUnusable, type HooksChanged, type HooksStatus, type OnSettings } from "@souffleur/process"
import { Effect, FileSystem, Option, Result } from "effect"
import { makeSettingsFolder, readSettingsFile, writeSettingsFile } from "../settings/SettingsFile.ts"
import { hookProgram } from "./HookCommand.ts"
import { type HookForm, hooksFound, switchedOff, withHooks, withoutHooks } from "./HookSettings.ts"

/** Path of the backup beside the file, made before the first change. */
const backupOf = (path: string) => `${path}.souffleur-backup`

const sound = <A>(path: string, result: Result.Result<A, string>): Effect.Effect<A, AgentSettingsUnusable> =>
  Effect.fromResult(Result.mapError(result, (problem) => new AgentSettingsUnusable({ path, problem })))

/** Returns the settings without our hooks: the backup, byte for byte, if nothing else has changed since. */
const bare = Effect.fnUntraced(function* (form: HookForm, path: string, text: string) {
  const backup = Option.map(yield* readSettingsFile(backupOf(path)), (file) => file.text)
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
  const file = Option.getOrUndefined(yield* readSettingsFile(path))
  const found = yield* sound(path, hooksFound(form, file?.text ?? "{}"))
  const backup = (yield* fs.exists(backupOf(path))) ? backupOf(path) : null
  if (found.complete && found.commands[0] === command) return { path, changed: false, backup, how: "nothing to do" }
  const before = file === undefined ? "{}\n" : (yield* bare(form, path, file.text)).text
  const text = yield* sound(path, withHooks(form, before, command))
  if (file === undefined) {
    yield* makeSettingsFolder(path)
  }
  // A backup without any hook of ours was left behind.
  if (found.events.length > 0) {
    yield* writeSettingsFile(path, text, file)
    return { path, changed: true, backup, how: "installed" }
  }
  yield* fs.remove(backupOf(path), { force: true })
  if (file !== undefined) {
    yield* fs.writeFileString(backupOf(path), file.text, { flag: "wx", mode: 0o600 })
    yield* fs.chmod(backupOf(path), file.info.mode & 0o777)
  }
  yield* writeSettingsFile(path, text, file)
  return { path, changed: true, backup: file === undefined ? null : backupOf(path), how: "installed" }
})

/**
 * Removes the hooks that `installHooks` added, and nothing else. The rest stays as it was, to the byte if nothing else
 * has changed since.
 */
export const uninstallHooks = Effect.fn("uninstallHooks")(function* (form: HookForm, path: string): Changing {
  const fs = yield* FileSystem.FileSystem
  const file = Option.getOrUndefined(yield* readSettingsFile(path))
  const found = file === undefined ? undefined : yield* sound(path, hooksFound(form, file.text))
  if (file === undefined || found === undefined || found.events.length === 0) {
    yield* fs.remove(backupOf(path), { force: true })
    return { path, changed: false, backup: null, how: "nothing to do" }
  }
  const { backup, text, untouched } = yield* bare(form, path, file.text)
  const empty = text.trim() === "{}"
  const made = Option.isNone(backup) && empty && Option.isNone(yield* Effect.option(fs.readLink(path)))
  yield* made ? fs.remove(path) : writeSettingsFile(path, text, file)
  yield* fs.remove(backupOf(path), { force: true })
  return { path, changed: true, backup: null, how: made ? "removed" : untouched ? "restored" : "edited" }
})

/**
 * Reads which hooks a settings file has, and which of their programs are not there. A missing file has none. Fails with
 * `AgentSettingsUnusable` where the text is not understood, and with `FileRefused` where the file is not trusted.
 */
export const hooksStatus = Effect.fn("hooksStatus")(function* (form: HookForm, path: string) {
  const fs = yield* FileSystem.FileSystem
  const file = yield* readSettingsFile(path)
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
