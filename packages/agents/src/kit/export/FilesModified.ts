import { code, inline } from "./Markdown.ts"

/** Distinct files that are followed, and the latest files that are listed. */
const maxFollowed = 5_000
const maxListed = 200
const pathLimit = 512

/** Collects the files of edit tools, in bounded memory, the latest last. */
export interface FilesModified {
  /** Takes an edited file, in the written form. */
  readonly edited: (file: string) => void
  /**
   * Renders the section `Files Modified`, of at most 200 files, the latest first. It says so where not the whole
   * session file was read.
   */
  readonly section: (whole: boolean) => string
}

/** Makes an empty collection. Beyond 5,000 distinct files it only knows that there were more. */
export const makeFilesModified = (): FilesModified => {
  const edits = new Map<string, number>()
  let beyond = 0
  return {
    edited: (file) => {
      const path = inline(file, pathLimit)
      const before = edits.get(path)
      if (before === undefined && edits.size >= maxFollowed) {
        beyond += 1
        return
      }
      // The entry moves to the end: a map keeps the order of insertion, and the latest are listed.
      edits.delete(path)
      edits.set(path, (before ?? 0) + 1)
    },
    section: (whole) => {
      const latest = [...edits].toReversed()
      const lines = latest
        .slice(0, maxListed)
        .map(([path, count]) => `- ${code(path)}: ${count === 1 ? "1 edit" : `${count} edits`}`)
      if (lines.length === 0)
        lines.push(whole ? "None by an edit tool." : "None by an edit tool in the newer part, which alone was read.")
      const more = latest.length - Math.min(latest.length, maxListed)
      if (beyond > 0) lines.push(`- and more than ${more} more`)
      else if (more > 0) lines.push(`- and ${more} more`)
      if (!whole && latest.length > 0) lines.push("- and those of the older part, which was left unread")
      return `## Files Modified\n\n${lines.join("\n")}\n`
    }
  }
}
