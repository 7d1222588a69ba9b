import { NoticeLost, resolveProgram } from "@souffleur/process"
import { Effect } from "effect"
import { bodyOf, type LinkedMessage, type Loudness, noticeTitle } from "./NoticeText.ts"

/** A program and its arguments, which no shell and no script reads. */
export interface DesktopCall {
  readonly program: "notify-send" | "osascript"
  readonly args: ReadonlyArray<string>
}

const urgencies = { pressing: "critical", usual: "normal", quiet: "low" } as const

/** Escapes markup, and doubles backslashes, which `notify-send` reads as escapes. */
const body = (text: string): string =>
  text.replaceAll("\\", "\\\\").replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")

/** The script takes its words as arguments, so that no word becomes a part of it. */
const script = ["on run argv", "display notification (item 2 of argv) with title (item 1 of argv)", "end run"]

/** Names the program that shows a notice on the desktop of a platform. */
export const desktopProgram = (platform: string): DesktopCall["program"] =>
  platform === "darwin" ? "osascript" : "notify-send"

/** Finds the program that shows notices. Fails with `NoticeLost`, which says what to install. */
export const findDesktopProgram = Effect.fn("findDesktopProgram")(function* (
  platform: string,
  searchPath: string | undefined
) {
  return yield* Effect.mapError(
    resolveProgram(desktopProgram(platform), searchPath ?? ""),
    ({ problem }) =>
      new NoticeLost({ tries: 0, message: `${problem}: install libnotify (libnotify-bin on Debian and Ubuntu)` })
  )
})

/** Makes the call that shows a notice on the desktop. `options` are more options of `notify-send`. */
export const desktopCall = (
  message: LinkedMessage,
  loudness: Loudness,
  platform: string,
  options: ReadonlyArray<string> = []
): DesktopCall => {
  const program = desktopProgram(platform)
  const [title, text] = [noticeTitle(message), bodyOf(message, true)]
  return program === "osascript"
    ? { program, args: [...script.flatMap((line) => ["-e", line]), "--", title, text] }
    : {
        program,
        args: ["--app-name=souffleur", `--urgency=${urgencies[loudness]}`, ...options, "--", title, body(text)]
      }
}
