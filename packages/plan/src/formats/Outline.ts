import MarkdownIt from "markdown-it"

/** A block of a Markdown text: a paragraph, a list, a fence. Lines are counted from 0, the last one is behind it. */
interface Block {
  readonly type: string
  readonly from: number
  readonly to: number
}

/** An item of a list that begins with a box. */
export interface Box {
  readonly line: number
  /** What is between its brackets. */
  readonly mark: string
  /** `[x]`, and so is each box below it. */
  readonly isTicked: boolean
  /** Its paragraph, behind the box. */
  readonly text: string
  /** What stands below it in its item. */
  readonly below: string
}

/** A heading of a Markdown text, with what stands between it and the next one of any level. */
export interface Section {
  /** Its place among all, and that of the first one behind those below it. */
  readonly index: number
  readonly end: number
  /** 1 to 6; 0: what stands before the first heading. */
  readonly level: number
  /** As it is written, without its marks. */
  readonly title: string
  readonly line: number
  readonly blocks: ReadonlyArray<Block>
  /** Those of its lists, without those below another box. */
  readonly boxes: ReadonlyArray<Box>
  /** The first paragraph of each item of its lists, and each line of its fences. */
  readonly items: ReadonlyArray<{ readonly text: string; readonly isFenced: boolean }>
}

/** A Markdown text and its sections, in their order. */
export interface Outline {
  readonly lines: ReadonlyArray<string>
  readonly sections: ReadonlyArray<Section>
  /** Lines of fences and comments that would be headings outside. */
  readonly hidden: ReadonlyArray<Pick<Section, "line" | "title">>
}

// What stands within a line is read nowhere, and deep nesting is cut by the parser.
const markdown = new MarkdownIt({ html: true }).disable(["inline", "reference"])

/** The marks that lists of work have. `[1]` is a footnote. */
const box = /^\[([ xX~/>-])\][ \t]+(.*)$/su
const heading = /^ {0,3}#{1,6}[ \t]+(.+)$/u

const dedented = (lines: ReadonlyArray<string>) => {
  const indent = lines.reduce(
    (least, line) => (line.trim() === "" ? least : Math.min(least, line.search(/\S/u))),
    Number.POSITIVE_INFINITY
  )
  return lines
    .map((line) => line.slice(indent))
    .join("\n")
    .trim()
}

type Draft<A> = { -readonly [K in keyof A]: A[K] extends ReadonlyArray<infer B> ? Array<B> : A[K] }

/**
 * Parses a Markdown text by CommonMark, so that nothing in a fence or a comment is a heading or a box. `above`: the
 * lines of its file before it.
 */
export const outlineOf = (text: string, above = 0): Outline => {
  const lines = text.split(/\r\n|\r|\n/u)
  const sectionAt = (level: number, title: string, line: number): Draft<Section> => {
    const index = sections.length
    return { index, end: index + 1, level, title, line: above + line, blocks: [], boxes: [], items: [] }
  }
  const sections: Array<Draft<Section>> = []
  sections.push(sectionAt(0, "", 1))
  const hidden: Array<Pick<Section, "line" | "title">> = []
  /** The items around a token, and the boxes that some of them begin with. */
  const inside: Array<Draft<Box> | undefined> = []
  const tokens = markdown.parse(lines.join("\n"), {})
  for (const [at, { content, level, map, tag, type }] of tokens.entries()) {
    if (type === "list_item_close") inside.pop()
    if (map === null) continue
    const section = sections.at(-1)!
    const [from, to] = map
    const next = tokens[at + 1]
    const isComment = type === "html_block" && content.startsWith("<!--")
    if (type === "fence" || isComment)
      for (let line = from; line < to; line++) {
        const [, title] = heading.exec(lines[line]!) ?? []
        if (title !== undefined) hidden.push({ line: above + line + 1, title })
      }
    if (type === "fence")
      for (const line of content.split("\n")) section.items.push({ text: line.trim(), isFenced: true })
    if (type === "heading_open" && level === 0) {
      sections.push(sectionAt(Number(tag.slice(1)), next?.content.trim() ?? "", from + 1))
      continue
    }
    if (level === 0 && !isComment) section.blocks.push({ type, from, to })
    if (type !== "list_item_open") continue
    const said = next?.type === "paragraph_open" ? (tokens[at + 2]?.content ?? "") : ""
    section.items.push({ text: said, isFenced: false })
    const [, mark = "", words] = box.exec(said) ?? []
    const outer = inside.findLast((one) => one !== undefined)
    if (words === undefined) {
      inside.push(undefined)
      continue
    }
    const isTicked = mark === "x" || mark === "X"
    const below = dedented(lines.slice(next!.map![1], to))
    const found = { line: above + from + 1, mark, isTicked, text: words.trim(), below }
    inside.push(found)
    if (outer === undefined) section.boxes.push(found)
    else if (!isTicked) for (const one of inside) if (one !== undefined) one.isTicked = false
  }
  // Read backwards, each section knows where the next one of a level begins.
  const ends = Array.from({ length: 7 }, () => sections.length)
  for (const section of sections.toReversed()) {
    section.end = Math.min(...ends.slice(0, section.level + 1))
    ends[section.level] = section.index
  }
  return { lines, sections, hidden }
}

/** Returns a section with those below it. */
export const partOf = ({ sections }: Outline, { end, index }: Section): ReadonlyArray<Section> =>
  sections.slice(index, end)

/** Returns what blocks say, with the empty lines between them. A comment between two is dropped. */
const written = (lines: ReadonlyArray<string>, blocks: ReadonlyArray<Block>) => {
  let [said, end] = ["", 0]
  for (const { from, to } of blocks) {
    const text = lines.slice(from, to).join("\n").trimEnd()
    const between = lines.slice(end, from)
    const gap = between.every((line) => line.trim() === "") ? "\n".repeat(between.length + 1) : "\n\n"
    said += `${said === "" ? "" : gap}${text}`
    end = from + text.split("\n").length
  }
  return said
}

/** Returns what sections say, as it is written, without comments and without the first heading. */
export const sectionsText = ({ lines }: Outline, sections: ReadonlyArray<Section>): string =>
  sections
    .flatMap(({ blocks, level, title }, index) => [
      ...(index === 0 ? [] : [`${"#".repeat(level)} ${title}`]),
      ...(blocks.length === 0 ? [] : [written(lines, blocks)])
    ])
    .join("\n\n")
