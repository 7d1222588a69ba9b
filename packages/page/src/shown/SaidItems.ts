import { bare, plain, type Utterance, type SaidRecord, type Speaker, Words } from "@souffleur/domain"
import type { ConversationPart } from "@souffleur/embed"
import { type Html, html, unescaped } from "../Html.ts"
import { agoTag } from "../view/Facts.ts"
import type { Seen } from "../view/Seen.ts"

/** UTF-16 units that are shown of words, of a tool's input and of its result. */
const [maxWords, maxInput, maxResult] = [20_000, 4_000, 8_000] as const
/** UTF-16 units of what a folded part says of itself. */
const maxBrief = 160

/** Matches the line by which the prompt of a launch names its hand-off. */
const handOff = /^Hand-off \S+$/mu

/** A template would show it by its code. */
const lineBreak = unescaped("\n")

/** Returns lines of others as text: without what a terminal obeys, and without the rest of a long text. */
export const textLines = (text: string, limit: number): Html => {
  const shown = text.slice(0, limit).replace(/[\uD800-\uDBFF]$/u, "")
  const more = text.length - shown.length
  const lines = bare(shown).replaceAll("\t", "    ").trimEnd().split("\n")
  const rest = more > 0 ? [html`<span class="cut">… ${Words.count(more)} more characters</span>`] : []
  return html`${[...lines.flatMap((line, n) => (n === 0 ? [line] : [lineBreak, line])), ...rest]}`
}

const brief = (text: string): string => plain(bare(text).replaceAll(/\s+/gu, " ").trim(), maxBrief)

const textOf = (value: unknown): string =>
  typeof value === "string"
    ? value
    : Array.isArray(value) && value.every((one) => typeof one === "string")
      ? value.join(" ")
      : (JSON.stringify(value) ?? "")

/** The fields of an input that tell best what a call does. */
const telling = ["command", "cmd", "file_path", "filePath", "path", "pattern", "query", "url", "description", "prompt"]

type Input = Extract<Utterance, { readonly _tag: "Call" }>["input"]

/** Returns what a call does, on one line. A path below the project is told without it. */
export const callInBrief = (input: Input, project: string): string => {
  const name = telling.find((field) => Object.hasOwn(input, field)) ?? Object.keys(input)[0]
  return name === undefined ? "" : brief(textOf(input[name]).replaceAll(`${project}/`, ""))
}

const inputInWhole = (input: Input): string =>
  Object.entries(input)
    .map(([name, value]) => {
      const text = textOf(value)
      return `${name}:${text.includes("\n") ? "\n" : " "}${text}`
    })
    .join("\n")

const speakers: Readonly<Record<Speaker, readonly [who: string, name: string]>> = {
  User: ["person", "Prompt"],
  Assistant: ["agent", "Agent"],
  "Summary of what came before": ["souffleur", "Summary of what came before"]
}

interface Row {
  readonly id: string
  readonly record: SaidRecord
  readonly project: string
  readonly seen: Seen
}

const timeOf = ({ record, seen }: Row): Html | false => record.at > 0 && agoTag(record.at, seen)

const row = ({ id, record }: Row, who: string, what: Html): Html =>
  html`<li id="${id}" class="said" data-who="${who}">
    ${what}
    ${record.cut && html`<p class="hint quiet">Its record is long: only the beginning of each text is shown.</p>`}
  </li>`

const folded = (one: Row, head: Html, text: Html): Html =>
  html`<details id="d${one.id}">
    <summary>${head}</summary>
    <pre tabindex="0">${text}</pre>
    <p class="hint quiet">${timeOf(one)}</p>
  </details>`

const words = (one: Row, { text, who }: Extract<Utterance, { readonly _tag: "Words" }>): Html => {
  const [speaker, name] = speakers[who]
  const shown = html`<div class="words-of" dir="auto">${textLines(text, maxWords)}</div>`
  if (speaker === "person" && handOff.test(text))
    return html`<li id="${one.id}-begins" class="boundary"><span>souffleur hands over: a generation begins</span></li>
      ${row(one, "souffleur", folded(one, html`<span class="who">souffleur’s prompt</span>`, textLines(text, maxWords)))}`
  if (speaker === "souffleur")
    return row(one, speaker, folded(one, html`<span class="who">${name}</span>`, textLines(text, maxWords)))
  return row(
    one,
    speaker,
    html`<p class="who"><span>${name}</span> ${timeOf(one)}</p>
      ${shown}`
  )
}

const item = (one: Row, said: Utterance, toolOf: (id: string) => string | undefined): Html => {
  switch (said._tag) {
    case "Words":
      return words(one, said)
    case "Call":
      return row(
        one,
        "tool",
        folded(
          one,
          html`<code>${brief(said.name)}</code> <span class="brief">${callInBrief(said.input, one.project)}</span>`,
          textLines(inputInWhole(said.input), maxInput)
        )
      )
    case "Result": {
      const tool = toolOf(said.id)
      const of = tool === undefined ? "" : ` of ${brief(tool)}`
      const head = html`<span class="${said.failed ? "who failed" : "who"}"
          >${said.failed ? "Error" : "Result"}${of}</span
        >
        <span class="brief">${said.text.trim() === "" ? "empty" : brief(said.text.slice(0, 1000))}</span>`
      return row(one, said.failed ? "failed" : "result", folded(one, head, textLines(said.text, maxResult)))
    }
    case "Compacted":
      return html`<li id="${one.id}" class="boundary">
        <span>The conversation was compacted ${timeOf(one)}</span>
      </li>`
    case "LeftOut":
      return row(one, "result", html`<p class="quiet">A record of more than 16 MB is left out.</p>`)
  }
}

/** Returns what is said in a part of a conversation, oldest first. */
export const saidItems = ({ records, session }: ConversationPart, project: string, seen: Seen): ReadonlyArray<Html> => {
  const tools = new Map(
    records.flatMap(({ said }) => said.flatMap((one) => (one._tag === "Call" ? [[one.id, one.name] as const] : [])))
  )
  return records.flatMap((record) =>
    record.said.map((said, n) =>
      item({ id: `s${session}-${record.offset}-${n}`, record, project, seen }, said, (id) => tools.get(id))
    )
  )
}
