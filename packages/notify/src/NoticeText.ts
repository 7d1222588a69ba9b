import { iso, plain, stateLine } from "@souffleur/domain"
import type { NoticeMessage } from "@souffleur/process"

/** The sound of a notice: always, as the reader set it, or none in the quiet hours. */
export type Loudness = "pressing" | "usual" | "quiet"

/** UTF-16 units of a text and of an agent's words. Its reader may be a telephone. */
const maxTextUnits = 2000
/** UTF-16 units for a server or a desktop: ntfy makes a file of more than 4,096 bytes. */
const [maxTitleUnits, maxJobUnits, maxBodyUnits, maxWordsUnits] = [100, 50, 1000, 300] as const

/** Returns the name of the project's folder. The path before it is not told to a server. */
const folderOf = (project: string): string => project.split("/").findLast((part) => part !== "") ?? project

/** Returns the first line of a notice: its kind, the job's title, and the folder. It never begins with a sign. */
export const noticeTitle = ({ job, notice: { kind }, subject: { project } }: NoticeMessage): string => {
  const [title, folder] = [job?.title ?? null, folderOf(project)]
  return plain(
    `${kind.replaceAll("_", " ")}: ${title === null ? folder : `${plain(title, maxJobUnits)} (${folder})`}`,
    maxTitleUnits
  )
}

/** A notice with its address on the page; `null`: it has none. */
export interface LinkedMessage extends NoticeMessage {
  readonly link: string | null
}

/**
 * Returns a sentence with the last name of each path in it. Which folders a user has is no word for a server. An
 * address is no path.
 */
export const pathless = (text: string): string =>
  text.replaceAll(/(["'`])~?\/[^"'`]*\//gu, "$1").replaceAll(/(?<![^\s"'`([])(?!\w+:\/\/)(?:[^\s"'`([/]*\/)+/gu, "")

/**
 * Returns the lines of a notice: the state with its text, the command to type, and the link. The agent's words are
 * among them where they are asked for.
 */
export const bodyOf = ({ link, notice: { next, state, text, words } }: LinkedMessage, withWords: boolean): string =>
  [
    stateLine(state, plain(text, maxBodyUnits)),
    ...(withWords && words !== null ? [`“${plain(words, maxWordsUnits)}”`] : []),
    plain(`> ${next}`, maxWordsUnits),
    ...(link === null ? [] : [link])
  ].join("\n")

/** Returns a notice as one line of JSON for a program. */
export const noticeLine = ({ at, job, link, notice, revision, subject }: LinkedMessage, loudness: Loudness): string =>
  `${JSON.stringify({
    ...subject,
    ...(job === undefined ? {} : { title: job.title, labels: job.labels }),
    revision,
    at: iso(at),
    ...notice,
    text: plain(notice.text, maxTextUnits),
    words: notice.words === null ? null : plain(notice.words, maxTextUnits),
    link,
    loudness
  })}\n`
