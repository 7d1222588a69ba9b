import type { Speaker } from "@souffleur/domain"
import type { Json } from "../lines/JsonRecord.ts"
import { closed, codeBlock, inline, shorten, withoutBlankEnds, visible } from "./Markdown.ts"
import type { FilesModified } from "./FilesModified.ts"

/** Bytes kept of a tool call's input, and of a tool's result. */
const inputLimit = 4_000
const resultLimit = 8_000

/** Counts and facts of the conversation so far. */
export interface Counts {
  records: number
  /** The version of the agent, in its own words. */
  version: string
  inputsCut: number
  resultsCut: number
  attachments: number
}

/** Turns the records of a session file, in their order, into Markdown. */
export interface Conversation {
  /**
   * Renders a record; empty: it is unknown, or no part of the conversation. `encode` turns its own strings into the
   * written form.
   */
  readonly record: (record: Json, encode: (text: string) => string) => string
  readonly counts: Readonly<Counts>
}

/** The parts that a conversation is written with. */
export interface Frame {
  readonly turns: Turns
  readonly files: FilesModified
}

/** Writes the parts of a conversation, whatever agent it is of. */
export interface Turns {
  readonly counts: Counts
  /** Writes words; empty: there are none. */
  readonly said: (who: Speaker, what: string) => string
  /** Writes a call of a tool. `fields`: its input. */
  readonly toolCall: (name: string, fields: Json, id: string) => string
  /** `id`: of its call. */
  readonly toolResult: (what: string, failed: boolean, id: string) => string
  /** Returns the words in place of an image or a file. */
  readonly attached: (what: string) => string
  readonly compaction: () => string
  /** Takes the version from a record, where none is known yet. */
  readonly version: (version: unknown) => void
}

/** Matches a line that looks like the heading of a turn. */
const turnLike = /^ {0,3}#{1,6}[ \t]+(?:User|Assistant|Summary of what came before)\b/gim
/** Escapes such a line: Markdown shows the same text, but not as a heading. */
const quoted = (what: string): string =>
  what.includes("#") ? what.replace(turnLike, (line) => line.replace("#", "\\#")) : what

/**
 * Makes the Markdown of one conversation. `boundary`: the line for a compaction. `mark` ends the heading of each turn.
 * No text can contain either.
 */
export const makeTurns = ({ boundary, mark }: { readonly boundary: string; readonly mark: string }): Turns => {
  const counts: Counts = { records: 0, version: "unknown", inputsCut: 0, resultsCut: 0, attachments: 0 }
  let speaker = ""

  /** Returns a heading if the speaker changes. */
  const turnOf = (who: Speaker): string => {
    const heading = speaker === who ? "" : `## ${who} ${mark}\n\n`
    speaker = who
    return heading
  }
  const cut = (what: string, limit: number, count: "inputsCut" | "resultsCut"): string => {
    if (what.length > limit) counts[count] += 1
    return visible(shorten(what, limit))
  }

  return {
    counts,
    said: (who, what) => {
      const body = quoted(closed(withoutBlankEnds(visible(what))))
      return body === "" ? "" : `${turnOf(who)}${body}\n\n`
    },
    toolCall: (name, input) => {
      let fields = ""
      for (const [key, value] of Object.entries(input)) {
        const shown = typeof value === "string" ? value : JSON.stringify(value)
        fields += `${key}:${shown.includes("\n") ? "\n" : " "}${shown}\n`
      }
      return `${turnOf("Assistant")}**Tool call: ${inline(name, 200)}**\n\n${codeBlock(cut(fields, inputLimit, "inputsCut"))}\n`
    },
    toolResult: (what, failed) => {
      const heading = failed ? "**Tool result (error)**" : "**Tool result**"
      return what === ""
        ? `${heading}: empty\n\n`
        : `${heading}\n\n${codeBlock(cut(what, resultLimit, "resultsCut"))}\n`
    },
    attached: (what) => {
      counts.attachments += 1
      return `[${inline(what, 200)}, not embedded]`
    },
    compaction: () => {
      speaker = ""
      return `${boundary}\n\n`
    },
    version: (version) => {
      if (counts.version === "unknown" && typeof version === "string" && /^[\w.+-]{1,40}$/.test(version))
        counts.version = version
    }
  }
}
