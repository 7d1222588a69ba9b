import { type Html, html } from "../Html.ts"

/** A task or a finishing step that waits for an answer. */
interface Question {
  /** The address of the run. */
  readonly address: string
  /** The secret of the forms; `null`: the page takes no word. */
  readonly secret: string | null
  /** The task that waits; `null`: the finishing step does. */
  readonly task: string | null
}

/** Returns the form that answers an escalated task, or a finishing step that failed. */
export const answerForm = ({ address, secret, task }: Question): Html | null =>
  secret === null
    ? null
    : html`<form class="answer" method="post" action="${address}/answer">
        <input type="hidden" name="secret" value="${secret}" />
        ${
          task !== null &&
          html`<input type="hidden" name="task" value="${task}" />
            <label for="text-${task}">What to do</label>
            <textarea id="text-${task}" name="text" rows="3" maxlength="4000"></textarea>`
        }
        <div class="words">
          ${task !== null && html`<button name="answer" value="guidance">Answer</button>`}
          <button name="answer" value="retry">Try again</button>
          <button name="answer" value="skip">Skip it</button>
        </div>
      </form>`
