import { Cause, Console, Effect } from "effect"
import { Command } from "effect/cli"
import { Project } from "../commands/ProjectCommand.ts"
import { withStep } from "../explain/NextStep.ts"
import { printing } from "../Printing.ts"
import { defective } from "../Uncaught.ts"
import { version } from "../Version.ts"
import type { TopLine } from "./TopLine.ts"

const refused = (text: string): TopLine => ({ text, tone: "red" })

/** Makes a word of a command: it runs as on the command line, and its answer or its error is returned. */
const word =
  <const Name extends string, Input, Context, E extends { readonly _tag?: string; readonly message: string }, R>(
    // Few words are said, so each is loaded by its first.
    load: () => Promise<Command.Command<Name, Input, Context, E, R>>
  ) =>
  (id: string) => {
    const heard: Array<string> = []
    const hear = (line: string) => void heard.push(line.replace(/^souffleur: /u, ""))
    return Effect.gen(function* () {
      const command = yield* Effect.promise(load)
      yield* Command.runWith(command, { version })([id, "--project-dir", yield* Project])
    }).pipe(
      Effect.provideService(Console.Console, printing(false, { log: hear, error: hear })),
      Effect.map((): TopLine => ({ text: heard.join(" "), tone: "green" })),
      // A command that has told its failure ends with a code alone.
      Effect.catch((error) => Effect.succeed(refused(error._tag === "Ended" ? heard.join(" ") : withStep(error)))),
      Effect.catchCause((cause) =>
        Cause.hasDies(cause) ? Effect.succeed(refused(defective(cause))) : Effect.failCause(cause)
      )
    )
  }

/** Each word by its command, with its key, whether a person is asked first, and whether a run takes it. */
export const topWords = {
  stop: {
    key: "x",
    asks: true,
    ofRun: true,
    say: word(async () => (await import("../commands/StopCommand.ts")).stopCommand)
  },
  release: {
    key: "l",
    asks: true,
    ofRun: false,
    say: word(async () => (await import("../commands/ReleaseCommand.ts")).releaseCommand)
  },
  done: {
    key: "d",
    asks: true,
    ofRun: false,
    say: word(async () => (await import("../commands/DoneCommand.ts")).doneCommand)
  },
  retry: {
    key: "r",
    asks: true,
    ofRun: false,
    say: word(async () => (await import("../commands/RetryCommand.ts")).retryCommand)
  },
  hold: {
    key: "h",
    asks: false,
    ofRun: true,
    say: word(async () => (await import("../commands/HoldCommand.ts")).holdCommand)
  },
  go: {
    key: "g",
    asks: false,
    ofRun: true,
    say: word(async () => (await import("../commands/GoCommand.ts")).goCommand)
  }
}

/** A command that a key says of the chosen job. */
export type TopWord = keyof typeof topWords
