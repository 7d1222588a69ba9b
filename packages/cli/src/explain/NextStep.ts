import type {
  BadTarget,
  CommandRefused,
  ConfigUntrusted,
  OpenedOtherwise,
  PlanNotFound,
  WatchNotFound
} from "@souffleur/embed"
import { AlreadyWatched, Permission } from "@souffleur/domain"
import type { LogUnusable } from "@souffleur/eventlog"
import { shellWord } from "@souffleur/plan"

type Told =
  | AlreadyWatched
  | BadTarget
  | CommandRefused
  | ConfigUntrusted
  | LogUnusable
  | OpenedOtherwise
  | PlanNotFound
  | WatchNotFound

const release = (watch: string) => `"souffleur release ${watch}" ends it`

/** What to type after a refusal, by its tag. A library says the fact alone, since an app has no command line. */
const steps: {
  readonly [Tag in Told["_tag"]]: (error: Extract<Told, { readonly _tag: Tag }>) => string | undefined
} = {
  AlreadyWatched: ({ unseen, watch }) =>
    watch === undefined
      ? undefined
      : unseen === true
        ? `if it surely is gone, "souffleur resume ${watch} --moved" goes on here, and ${release(watch)}`
        : `"souffleur attach ${watch}" shows it, and ${release(watch)}`,
  BadTarget: ({ watch }) => (watch === undefined ? undefined : release(watch)),
  CommandRefused: ({ unwatched, watch }) =>
    unwatched === undefined
      ? watch === undefined
        ? undefined
        : release(watch)
      : `watch it with "souffleur watch --pid ${unwatched.pid} --session-id ${unwatched.sessionId === undefined ? "ID" : shellWord(unwatched.sessionId)}", end it with "kill ${unwatched.pid}", or start beside it with --force`,
  ConfigUntrusted: () => 'look at the file, then "souffleur config --trust" accepts it as it is now',
  LogUnusable: ({ reason }) =>
    reason === "damaged" || reason === "foreign"
      ? '"souffleur doctor --quarantine" moves it aside and says how to go on'
      : undefined,
  OpenedOtherwise: ({ watch }) =>
    watch === undefined
      ? "give this one another --id"
      : `"souffleur resume ${watch}" goes on with it, and ${release(watch)}`,
  PlanNotFound: () => '"souffleur conduct status --all" lists all',
  WatchNotFound: () => '"souffleur status --all" lists the watches, and "souffleur conduct status --all" the runs'
}

/** The end of a refusal that a higher ceiling would lift. Words of others are not at the end of one. */
const permission = `(${Permission.literals.join("|")})`
const ofPermission = new RegExp(
  `MAX_EXTERNAL_PERMISSION=${permission}(?: allows|, then conduct with permission ${permission})?$`,
  "u"
)

/** Returns the sentence of an error, with what to type next. */
export const withStep = (error: { readonly _tag?: string; readonly message: string }): string => {
  const { _tag = "", message } = error
  const [, needed] = ofPermission.exec(message) ?? []
  const step =
    needed === undefined
      ? (steps as Readonly<Record<string, (error: object) => string | undefined>>)[_tag]?.(error)
      : `"souffleur setup --permission ${needed}" sets that`
  return step === undefined ? message : `${message}: ${step}`
}

/** Adds what to do to a refusal of a run whose conductor cannot be seen from here. Another refusal stays as it is. */
export const unseenSaid = (refused: AlreadyWatched, todo: string): AlreadyWatched =>
  refused.unseen === true
    ? new AlreadyWatched({
        ...refused,
        problem: `${refused.problem}, and may be alive where its processes cannot be seen from here: ${todo}`
      })
    : refused
