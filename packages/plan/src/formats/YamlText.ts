import { Result } from "effect"
import { isMap, isScalar, isSeq, LineCounter, parseDocument } from "yaml"
import type { Place } from "../tasks/PlanProblem.ts"

/** A text of YAML or JSON, and the line of each place in it. */
export interface YamlText {
  readonly source: unknown
  /** Returns the line of a place, or of the part around it. */
  readonly lineOf: (place: Place) => number | undefined
}

const unreadable = (why: string) => `it is no YAML that can be read: ${why.slice(0, 200)}`

/**
 * Parses YAML, of which JSON is a part. `above`: the lines of the file before the text. Fails with a sentence. Keys are
 * texts, since a key that is a list of lists takes a time without bounds.
 */
export const parseYaml = (text: string, above = 0): Result.Result<YamlText, string> =>
  Result.flatMap(
    Result.try({
      try: () => {
        const lines = new LineCounter()
        const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, stringKeys: true })
        const line = (offset: number | undefined) =>
          offset === undefined ? undefined : above + lines.linePos(offset).line
        const [error] = document.errors
        if (error !== undefined) return Result.fail(`${unreadable(error.message)} (line ${line(error.pos[0])})`)
        const lineOf = (place: Place) => {
          let node: unknown = document.contents
          let found: number | undefined
          for (const part of place) {
            const pair = isMap(node) ? node.items.find(({ key }) => isScalar(key) && key.value === part) : undefined
            const entry = isSeq(node) && typeof part === "number" ? node.items[part] : pair?.key
            if (!isMap(entry) && !isSeq(entry) && !isScalar(entry)) break
            found = line(entry.range?.[0])
            node = pair === undefined ? entry : pair.value
          }
          return found
        }
        // Aliases may stand for more than any memory holds.
        return Result.succeed({ source: document.toJS({ maxAliasCount: 100 }), lineOf })
      },
      catch: (error) => unreadable(String(error))
    }),
    (parsed) => parsed
  )
