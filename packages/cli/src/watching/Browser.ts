import { replaceDurably, runProgram } from "@souffleur/process"
import { Console, Effect, Path } from "effect"
import { Environment } from "../world/CommandEnvironment.ts"

/**
 * Opens a link with a secret in the browser of this desktop. Every user can read the arguments of a process. So the
 * browser gets a file of this user alone (0600) that leads there. A desktop that opens nothing is told.
 */
export const openInBrowser = Effect.fn("openInBrowser")(function* (url: string, stateDir: string) {
  const { platform } = yield* Environment
  const file = (yield* Path.Path).join(stateDir, "page.html")
  const opened = Effect.andThen(
    replaceDurably(
      file,
      `<!doctype html><meta http-equiv="refresh" content="0; url=${url}"><title>souffleur</title>\n`
    ),
    runProgram({
      command: platform === "darwin" ? "open" : "xdg-open",
      args: [file],
      stdin: "",
      within: "30 seconds",
      atMost: 65_536
    })
  )
  yield* Effect.catch(opened, ({ message }) => Console.error(`No browser was opened (${message}): use the link.`))
})
