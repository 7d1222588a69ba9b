import { runProgram } from "@souffleur/process"

/** Runs git in a folder, as an author of its commits. */
export const gitIn =
  (folder: string) =>
  (...args: ReadonlyArray<string>) =>
    runProgram({
      command: "git",
      args: ["-C", folder, "-c", "user.name=A", "-c", "user.email=a@localhost", ...args],
      stdin: "",
      within: "30 seconds",
      atMost: 1_000_000
    })
