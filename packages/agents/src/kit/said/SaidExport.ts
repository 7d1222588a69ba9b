import type { Conversation, Frame, Turns } from "../export/Conversation.ts"
import { sessionIdIn } from "../agent/FindSession.ts"
import type { FilesModified } from "../export/FilesModified.ts"
import { makeExport } from "../export/TranscriptExport.ts"
import type { IsOther } from "../export/TranscriptReading.ts"
import type { Saying, Sayings } from "./Said.ts"

/** Returns a result with the words in place of its files. */
const withFiles = ({ files = [], text }: Extract<Saying, { readonly _tag: "Result" }>, turns: Turns): string =>
  [...(text === "" ? [] : [text]), ...files.map(turns.attached)].join("\n")

const summary = "Summary of what came before"

const markdownOf = (said: Saying, turns: Turns): string => {
  switch (said._tag) {
    case "Prompt":
      return turns.said("User", said.text)
    case "Answer":
      return turns.said("Assistant", said.text)
    case "Shown":
      return turns.said(said.who, said.text)
    case "Attached":
      return turns.said(said.who, turns.attached(said.file))
    case "Call":
      return turns.toolCall(said.name, said.input, said.id)
    case "Result":
      return turns.toolResult(withFiles(said, turns), said.failed, said.id)
    case "Compacted":
      return turns.compaction() + turns.said(summary, said.summary ?? "")
    case "Summary":
      return turns.said(summary, said.text)
    default:
      return ""
  }
}

const edited = (said: Saying, files: FilesModified, encode: (text: string) => string): void => {
  if (said._tag === "Call") for (const file of said.edits) files.edited(encode(file))
}

/** The meaning of an agent's records. */
interface SaidRecords {
  readonly sayings: Sayings
  /** True if a call is written again while its tool runs, under an id that no other call has. */
  readonly repeatsCalls?: boolean
}

/** Makes the conversation of an agent by what its records say. */
export const makeSaidConversation =
  ({ repeatsCalls = false, sayings }: SaidRecords) =>
  ({ files, turns }: Frame): Conversation => {
    const called = new Set<string>()
    const isAgain = (said: Saying): boolean => {
      if (!repeatsCalls || said._tag !== "Call") return false
      const again = called.has(said.id)
      called.add(said.id)
      return again
    }
    return {
      counts: turns.counts,
      record: (record, encode) => {
        let written = ""
        for (const said of sayings(record)) {
          if (said._tag === "Session") turns.version(said.version)
          if (isAgain(said)) continue
          edited(said, files, encode)
          written += markdownOf(said, turns)
        }
        if (written !== "") turns.counts.records += 1
        return encode(written)
      }
    }
  }

/** Makes the export of an agent by what its records say. `title` is its name for a person. */
export const makeSaidExport = (
  dialect: SaidRecords & {
    readonly title: string
    readonly sessionPath: RegExp
    readonly isOther?: IsOther
  }
) =>
  makeExport({
    agent: dialect.title,
    sessionIdOf: (path) => sessionIdIn(dialect.sessionPath, path),
    isOther: dialect.isOther ?? (() => false),
    conversation: makeSaidConversation(dialect)
  })
