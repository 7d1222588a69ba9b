import type { Todo } from "@souffleur/domain"
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
