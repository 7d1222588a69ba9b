import { plain } from "@souffleur/domain"
import { Effect } from "effect"
import { HttpRouter } from "effect/http"
import { html } from "../Html.ts"
import { framed, idInPath, type PageWorld, withFailures } from "../PageWorld.ts"
import { needsYou, stateNow } from "../view/StateBadge.ts"
import { changesPart, noChanges } from "./ChangesPage.ts"
import { watchHead } from "./WatchTabs.ts"

/** Returns the route of what the work of a watch has changed. */
export const changesPages = (world: PageWorld) => {
  const page = Effect.gen(function* () {
    const { links, souffleur } = world
    const found = yield* souffleur.find(yield* idInPath)
    const part = yield* souffleur.changes(found.id).pipe(
      Effect.map((changes) => changesPart(changes, "of a watch")),
      Effect.catchTag("GitUnusable", ({ problem }) =>
        Effect.succeed(
          noChanges(
            problem.includes("not a git repository") ? "Its folder is in no git repository." : plain(problem, 500)
          )
        )
      )
    )
    const { job: status } = yield* souffleur.status(found)
    const main = html`${watchHead(found, "changes", links)} ${stateNow(status)} ${part}`
    return framed(
      { title: `${found.id}: changes · souffleur`, needs: Number(needsYou(status)), live: null, main },
      world
    )
  })
  return [HttpRouter.route("GET", "/watches/:id/changes", withFailures(world)(page))] as const
}
