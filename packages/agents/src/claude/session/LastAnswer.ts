import { Effect } from "effect"
import { recordOf } from "../../kit/lines/JsonRecord.ts"
import { fromTheEnd } from "../../kit/lines/Tail.ts"
import { answerOf, isMain, textsOf } from "./Records.ts"

/** Bytes of the end of a session file that are looked through, and of a line. A result of a tool may be long. */
const limits = { bytes: 4 << 20, line: 1 << 20 }

/**
 * Returns the newest text of the model in a session file. It is empty where there is none, or the file cannot be read.
 */
export const lastAnswer = Effect.fn("lastAnswer")(
  function* (path: string) {
    let found = ""
    yield* fromTheEnd(path, limits, (line) => {
      const record = recordOf(line)
      const said = record !== undefined && isMain(record) ? answerOf(record) : undefined
      found = textsOf(said).join("\n")
      return found === "" ? "more" : "enough"
    })
    return found
  },
  Effect.orElseSucceed(() => "")
)
