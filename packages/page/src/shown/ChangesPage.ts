import { bare, Words } from "@souffleur/domain"
import type { WorkChanges } from "@souffleur/plan"
import { type Html, html } from "../Html.ts"

type ChangedFile = WorkChanges["files"][number]

/** UTF-16 units of a line that is shown. */
const maxLine = 2_000

/** How a line of a difference is marked, by its first character. */
const marks: Readonly<Record<string, string>> = { "+": "plus", "-": "minus", "@": "hunk" }

const line = (text: string): Html => {
  // A line of a file may hold what another program takes for the end of one.
  const shown = bare(text.replace(/\r$/u, "").slice(0, maxLine)).replaceAll("\n", "\u240d").replaceAll("\t", "    ")
  const mark = marks[text[0] ?? ""]
  return mark === undefined ? html`<span>${shown}</span>` : html`<span class="${mark}">${shown}</span>`
}

const counts = ({ added, removed }: Pick<ChangedFile, "added" | "removed">): Html =>
  html`<span class="counts"
    >${added === null ? "–" : html`<span class="plus">+${Words.count(added)}</span>`}
    ${removed !== null && html`<span class="minus">−${Words.count(removed)}</span>`}</span
  >`

const file = (one: ChangedFile): Html => {
  const { added, patch, path, removed, untracked } = one
  const head = html`<code>${path}</code> ${untracked && html`<span class="kind">not in git</span>`} ${counts(one)}`
  const why =
    added === 0 && removed === 0 ? "No line of it differs." : "Its lines are not shown: it is too long, or no text."
  return html`<li>
    <details id="file-${encodeURIComponent(path)}">
      <summary>${head}</summary>
      ${patch === null ? html`<p class="quiet">${why}</p>` : html`<pre class="diff" tabindex="0">${patch.replace(/\n$/u, "").split("\n").map(line)}</pre>`}
    </details>
  </li>`
}

const sumOf = (files: ReadonlyArray<ChangedFile>) => ({
  added: files.reduce((sum, { added }) => sum + (added ?? 0), 0),
  removed: files.reduce((sum, { removed }) => sum + (removed ?? 0), 0)
})

/** What is compared with a commit. */
const compared = {
  "of a watch": ["The work tree", ", the last commit of HEAD from before this watch began"],
  "of a task": ["Its commits", ", from which it began"]
} as const

/** Returns what the work of a watch or of a task has changed. */
export const changesPart = ({ base, files, more }: WorkChanges, of: keyof typeof compared): Html =>
  html`<section id="changes" class="panel" aria-labelledby="changes-title">
    <div class="head">
      <h2 id="changes-title">Changes</h2>
      ${files.length > 0 && html`<p role="status">${Words.many(files.length + more, "file")} ${more === 0 && counts(sumOf(files))}</p>`}
    </div>
    <p class="hint quiet">
      ${compared[of][0]} beside
      ${base === null ? "nothing: there was no commit yet" : html`<code>${base.slice(0, 10)}</code>${compared[of][1]}`}.
    </p>
    ${
      files.length === 0
        ? html`<p>Nothing differs.</p>`
        : html`<ol class="files">
            ${files.map((one) => file(one))}
          </ol>`
    }
    ${more > 0 && html`<p class="quiet">and ${Words.many(more, "more file")}</p>`}
  </section>`

/** Says that nothing can be compared. */
export const noChanges = (why: string): Html =>
  html`<section id="changes" class="panel" aria-labelledby="changes-title">
    <h2 id="changes-title">Changes</h2>
    <p class="quiet">${why}</p>
  </section>`
