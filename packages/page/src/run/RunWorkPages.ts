import { plain } from "@souffleur/domain"
import type { ConversationAsked } from "@souffleur/embed"
import { type NamedRun, taskOf } from "@souffleur/plan"
import { Effect, Option } from "effect"
import { HttpRouter } from "effect/http"
import { type Html, html } from "../Html.ts"
import { framed, idInPath, inPath, type PageWorld, withFailures } from "../PageWorld.ts"
import { changesPart, noChanges } from "../shown/ChangesPage.ts"
import { followSaid, showSaid } from "../shown/ConversationPages.ts"
import { workLinks } from "../view/Links.ts"
import { needsYou, stateNow } from "../view/StateBadge.ts"
import { jobHead } from "../view/WatchPage.ts"
import { workIn } from "./RunPage.ts"
import { agentInWords } from "./TaskItems.ts"

/** Returns the head of a part of a run, with the way back to it. */
const partHead = ({ id, run }: NamedRun, title: string, { links }: PageWorld): Html =>
  jobHead({ id: title, where: run.project, under: { id, address: links.run(id) } }, links)

const notHere = (id: string, what: "agent" | "task") =>
  Effect.fail({ _tag: "PartNotFound", message: `The run ${id} has no such ${what}.` } as const)

const standingOfRun = ({ souffleur }: PageWorld, id: string) =>
  Effect.flatMap(souffleur.findPlan(id), souffleur.planStatus)

const spokenIn = Effect.fnUntraced(function* (world: PageWorld) {
  const { histories, links, souffleur } = world
  const found = yield* souffleur.findPlan(yield* idInPath)
  const { id, run } = found
  const token = yield* inPath("token")
  const { finishing, tasks } = workIn(yield* histories(id))
  const agent = [...tasks.flatMap(({ agents }) => agents), ...finishing].find((one) => one.token === token)
  if (agent === undefined) return yield* notHere(id, "agent")
  const task = agent.taskId
  const called = agentInWords(agent)
  const title = task === null ? called : `${called} of ${task}`
  return {
    title: `${id}: ${title}`,
    head: partHead(found, title, world),
    address: workLinks(links, id).conversation(token),
    project: run.project,
    state: standingOfRun(world, id),
    part: ({ place }: ConversationAsked) => souffleur.planConversation(id, token, place),
    isOpen: () => agent.to === null,
    news: ({ after }: { readonly after: number }) => souffleur.planConversationNews(id, token, after)
  }
})

const changesOfTask = Effect.fnUntraced(function* (world: PageWorld) {
  const { souffleur } = world
  const found = yield* souffleur.findPlan(yield* idInPath)
  const task = yield* inPath("task")
  if (taskOf(found.run, task) === undefined) return yield* notHere(found.id, "task")
  const part = yield* souffleur.planChanges(found.id, task).pipe(
    Effect.map(
      Option.match({
        onNone: () => noChanges("Its commits are not known, or none was made yet."),
        onSome: (changes) => changesPart(changes, "of a task")
      })
    ),
    Effect.catchTag("GitUnusable", ({ problem }) => Effect.succeed(noChanges(plain(problem, 500))))
  )
  const state = yield* standingOfRun(world, found.id)
  const main = html`${partHead(found, `Changes of ${task}`, world)} ${stateNow(state)} ${part}`
  return framed(
    { title: `${found.id}: changes of ${task} · souffleur`, needs: Number(needsYou(state)), live: null, main },
    world
  )
})

/** Returns the routes of what the agents of a run say, and of what its tasks changed. */
export const runWorkPages = (world: PageWorld) => {
  const failing = withFailures(world)
  const spoken = spokenIn(world)
  return [
    HttpRouter.route("GET", "/runs/:id/agents/:token", failing(Effect.flatMap(spoken, (one) => showSaid(world, one)))),
    HttpRouter.route(
      "GET",
      "/runs/:id/agents/:token/live",
      failing(Effect.flatMap(spoken, (one) => followSaid(world, one)))
    ),
    HttpRouter.route("GET", "/runs/:id/tasks/:task/changes", failing(changesOfTask(world)))
  ] as const
}
