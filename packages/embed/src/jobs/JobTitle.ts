import { titleFrom, type Watch } from "@souffleur/domain"
import { keptLaunch } from "@souffleur/node"
import { Context, Effect } from "effect"

/** UTF-16 units of a command that its title is made from. */
const maxRead = 300

/** Makes the title of a job that was given none: its program and the first words of its prompt, or its arguments. */
export const firstTitle = (
  { prompt, words: [program = "", ...args] = [] }: NonNullable<ReturnType<typeof keptLaunch>>,
  kind: Watch["kind"]
): string | null => {
  const words = prompt ?? (kind === "command" ? args.join(" ") : "")
  const title = titleFrom(`${program.slice(program.lastIndexOf("/") + 1)} ${words.slice(0, maxRead)}`)
  return title === "" ? null : title
}

/**
 * Returns the title of a living watch that was given none; `null`: it is not known. The words of a prompt are in no
 * log, and are read on their own host. By default none are.
 */
export const FirstTitles = Context.Reference<(watch: Watch) => Effect.Effect<string | null>>(
  "@souffleur/embed/FirstTitles",
  { defaultValue: () => () => Effect.succeed(null) }
)

/** Reads them from the first launch files of a state folder. */
export const firstTitlesIn =
  (stateDir: string) =>
  ({ firstLaunch, kind }: Watch): Effect.Effect<string | null> =>
    Effect.sync(() => {
      const kept = firstLaunch && keptLaunch(stateDir, firstLaunch.launchId, firstLaunch.digest)
      return kept === undefined ? null : firstTitle(kept, kind)
    })

/** Fills in the title of a watch that was given none. One that has ended has no more than it was given. */
export const titled = Effect.fnUntraced(function* <A extends { readonly title: string | null }>(one: A, watch: Watch) {
  if (one.title !== null || watch.phase === "Exited") return one
  return { ...one, title: yield* (yield* FirstTitles)(watch) }
})
