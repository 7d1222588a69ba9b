import { type Box, type Outline, type Section, sectionsText } from "./Outline.ts"
import { asDescribed, type PlanReading, type ReadTask } from "./PlanReading.ts"

/** An id of the author's, which has a digit, and what stands behind it. A number alone needs a mark behind it. */
const authorsId =
  /^(?:\*\*)?([A-Z]{1,6}[-.]?\d[\w.-]*|[A-Za-z]\w*-\d+|\d+(?:\.\d+)+|\d+(?=[.:)]))(?:[.:)]|\*\*)*\s+(\S.*)$/su
const condition = /^[-*+] (?:\*\*)?(?:Verify|Acceptance|Criteria|Done when)(?:\*\*)?:(?:\*\*)?[ \t]*(\S.*)$/gimu

/** Returns what a section says beside its lists. */
const proseOf = (outline: Outline, section: Section) =>
  sectionsText(outline, [
    {
      ...section,
      blocks: section.blocks.filter(({ type }) => !/^(?:bullet_list|ordered_list|blockquote)_open$|^hr$/u.test(type))
    }
  ])

/** A mark of a box that takes work out of the list. */
const isOut = ({ mark }: Box) => mark === "-" || mark === ">"

/**
 * Reads a list of boxes: each is a task. Its id is the author's where each has one of its own. What stands below the
 * title counts for all of them, and what stands below another heading for those below that.
 */
export const checklist = (outline: Outline, ticking: (text: string) => string): PlanReading | undefined => {
  const all = outline.sections.flatMap((section) => section.boxes.map((box) => ({ box, section })))
  const boxes = all.filter(({ box }) => !isOut(box))
  if (boxes.length === 0) return undefined
  const ids = boxes.map(({ box }) => authorsId.exec(box.text)?.[1]?.replace(/[.-]+$/u, ""))
  const areNamed = ids.every((id) => id !== undefined) && new Set(ids).size === ids.length
  const prose = new Map(outline.sections.map((section) => [section, proseOf(outline, section)]))
  const tasks = boxes.map(({ box: { below, isTicked, text }, section }, at): ReadTask => {
    const id = areNamed ? ids[at]! : String(at + 1)
    const said = areNamed ? authorsId.exec(text)![2]! : text
    const conditions = [...below.matchAll(condition)].map(([, one]) => one!)
    const under = section.level > 1 ? [`It stands below “${section.title}”.`, prose.get(section)!] : []
    return {
      id: /^\d/u.test(id) ? `task-${id}` : id,
      title: said.split("\n")[0]!.replaceAll("**", ""),
      description: ticking([text, below, ...under].filter((part) => part !== "").join("\n\n")),
      acceptance_criteria: conditions.length === 0 ? asDescribed : conditions,
      ...(isTicked ? { done: true } : {})
    }
  })
  const common = outline.sections
    .filter(({ level }) => level < 2)
    .map((section) => prose.get(section)!)
    .filter((text) => text !== "")
  return {
    form: "a task each box of a list",
    source: { ...(common.length === 0 ? {} : { constraints: common.join("\n\n") }), tasks },
    lines: boxes.map(({ box }) => box.line),
    leftOut: all
      .filter(({ box }) => isOut(box))
      .map(({ box: { line, mark, text } }) => `${text.split("\n")[0]} (line ${line}): its mark is [${mark}]`)
  }
}
