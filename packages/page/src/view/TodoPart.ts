import { type Todo, Words } from "@souffleur/domain"
import type { WatchStatus } from "@souffleur/embed"
import { type Html, html } from "../Html.ts"
import { type Badge, badge } from "./StateBadge.ts"

const words: Readonly<Record<Todo["state"], Badge>> = {
  done: ["good", "✓", "done"],
  doing: ["accent", "●", "doing"],
  open: ["quiet", "○", "open"],
  dropped: ["quiet", "–", "dropped"]
}

/** Returns the list that an agent keeps of its own work, as the part of a page that moves. */
export const todoPart = (todos: ReadonlyArray<Todo> | null): Html =>
  todos === null || todos.length === 0
    ? html`<section id="todos" hidden></section>`
    : html`<section id="todos" class="panel" aria-labelledby="todos-title">
        <div class="head">
          <h2 id="todos-title">The agent’s own list</h2>
          <p class="quiet">${todos.filter(({ state }) => state === "done").length} of ${todos.length} done</p>
        </div>
        <ol class="todos">
          ${todos.map(({ state, text }) => html`<li data-state="todo-${state}">${badge(words[state])} <bdi>${text}</bdi></li>`)}
        </ol>
      </section>`

/** Returns the tasks of the agents that work for this one, as the part of a page that moves. */
export const musiciansPart = (tasks: WatchStatus["tasks"]): Html =>
  tasks.length === 0
    ? html`<section id="musicians" hidden></section>`
    : html`<section id="musicians" class="panel" aria-labelledby="musicians-title">
        <div class="head">
          <h2 id="musicians-title">Musicians</h2>
          <p class="quiet">${Words.many(tasks.length, "task")} in its comms</p>
        </div>
        <ul class="marks">
          ${tasks.map(
            ({ heartbeatAge, id, sessionId, state, windowPid }) =>
              html`<li>
                <strong>${id}</strong>
                <p>
                  ${badge(["quiet", "●", state])}
                  <span class="quiet"
                    >${[
                      heartbeatAge === null ? "no heartbeat" : `heartbeat ${Words.duration(heartbeatAge)} ago`,
                      ...(windowPid === null ? [] : [`window pid ${windowPid}`]),
                      ...(sessionId === null ? [] : [`session ${sessionId}`])
                    ].join(", ")}</span
                  >
                </p>
              </li>`
          )}
        </ul>
      </section>`
