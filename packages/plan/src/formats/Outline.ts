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
  /** `[x]`. Another mark in it means work that is not done. */
  readonly ticked: boolean
  /** Its paragraph, behind the box. */
  readonly text: string
  /** What stands below it in its item. */
  readonly below: string
}

/** A heading of a Markdown text, with what stands between it and the next one of any level. */
export interface Section {
  /** 1 to 6; 0: what stands before the first heading. */
  readonly level: number
  /** As it is written, without its marks. */
  readonly title: string
  readonly line: number
  readonly blocks: ReadonlyArray<Block>
  /** Those of its lists, without those below another box. */
  readonly boxes: ReadonlyArray<Box>
}

/** A Markdown text and its sections, in their order. */
export interface Outline {
  readonly lines: ReadonlyArray<string>
  readonly sections: ReadonlyArray<Section>
}

// What stands within a line is read nowhere. Deep nesting is cut by the parser, so its time grows as the text does.
const markdown = new MarkdownIt({ html: true }).disable(["inline", "reference"])

const box = /^\[([^\]])\][ \t]+(.*)$/su
const dedented = (lines: ReadonlyArray<string>) => {
  const text = lines.filter((line) => line.trim() !== "").map((line) => line.search(/\S/u))
  return lines
    .map((line) => line.slice(Math.min(...text)))
    .join("\n")
    .trim()
}

/**
 * Parses a Markdown text by CommonMark, so that nothing in a fence or a comment is a heading or a box. `above`: the
 * lines of its file before it.
 */
export const outlineOf = (text: string, above = 0): Outline => {
  const lines = text.split(/\r?\n/u)
  const sections: Array<Section & { blocks: Array<Block>; boxes: Array<Box> }> = [
    { level: 0, title: "", line: above + 1, blocks: [], boxes: [] }
  ]
  const tokens = markdown.parse(lines.join("\n"), {})
  for (const [at, { content, level, map, tag, type }] of tokens.entries()) {
    const section = sections.at(-1)!
    if (map === null) continue
    const [from, to] = map
    const next = tokens[at + 1]
    if (type === "heading_open" && level === 0)
      sections.push({
        level: Number(tag.slice(1)),
        title: next?.content.trim() ?? "",
        line: above + from + 1,
        blocks: [],
        boxes: []
      })
    else if (level === 0 && !(type === "html_block" && content.startsWith("<!--"))) {
      // The text of a heading is a token of level 1.
      section.blocks.push({ type, from, to })
    } else if (type === "list_item_open" && level === 1 && next?.type === "paragraph_open") {
      const [, mark, said] = box.exec(tokens[at + 2]?.content ?? "") ?? []
      if (said === undefined) continue
      section.boxes.push({
        line: above + from + 1,
        ticked: mark === "x" || mark === "X",
        text: said.trim(),
        below: dedented(lines.slice(next.map![1], to))
      })
    }
  }
  return { lines, sections }
}

/** Returns a section with those below it. */
export const partOf = ({ sections }: Outline, from: Section): ReadonlyArray<Section> => {
  const at = sections.indexOf(from)
  const end = sections.findIndex(({ level }, index) => index > at && level <= from.level)
  return sections.slice(at, end === -1 ? undefined : end)
}

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
