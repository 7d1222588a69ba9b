import { iso, plain } from "@souffleur/domain"
import type { NoticeMessage } from "@souffleur/process"

/** The sound of a notice: always, as the reader set it, or none in the quiet hours. */
export type Loudness = "pressing" | "usual" | "quiet"

/** UTF-16 units of a text and of an agent's words. Its reader may be a telephone. */
const maxTextUnits = 2000
/** UTF-16 units for a server or a desktop: ntfy makes a file of more than 4,096 bytes. */
const [maxTitleUnits, maxBodyUnits, maxWordsUnits] = [100, 1000, 300] as const

/** Returns the name of the project's folder. The path before it is not told to a server. */
const folderOf = (project: string): string => project.split("/").findLast((part) => part !== "") ?? project

/** Returns the first line of a notice: its kind and the folder. It never begins with a sign. */
export const noticeTitle = ({ notice: { kind }, subject: { project } }: NoticeMessage): string =>
  plain(`${kind.replaceAll("_", " ")}: ${folderOf(project)}`, maxTitleUnits)

/**
 * Returns the lines of a notice. They are its text, the agent's words where they are asked for, and the command to
 * type.
 */
export const bodyOf = ({ notice: { next, text, words } }: NoticeMessage, withWords: boolean): string =>
  [
    plain(text, maxBodyUnits),
    ...(withWords && words !== null ? [`“${plain(words, maxWordsUnits)}”`] : []),
    plain(`> ${next}`, maxWordsUnits)
  ].join("\n")

/** Returns a notice as one line of JSON for a program. */
export const noticeLine = ({ at, notice, revision, subject }: NoticeMessage, loudness: Loudness): string =>
  `${JSON.stringify({
    ...subject,
    revision,
    at: iso(at),
    ...notice,
    text: plain(notice.text, maxTextUnits),
    words: notice.words === null ? null : plain(notice.words, maxTextUnits),
    loudness
  })}\n`
