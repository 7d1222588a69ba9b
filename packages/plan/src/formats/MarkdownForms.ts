import { type Box, type Outline, partOf, type Section, sectionsText } from "./Outline.ts"
import { checklist } from "./Checklist.ts"
import { asDescribed, oneByOne, taskForm, type PlanReading, type ReadTask } from "./PlanReading.ts"

/** Where a plan lies, and what a person chose of it. */
export interface Around {
  /** Its path, relative to the project. */
  readonly file: string
  /** The name of its folder. */
  readonly folder: string
  /** Paths of the documents in its folder, relative to the project, by their names there. */
  readonly beside: ReadonlyMap<string, string>
  /** True if each line of a phase is a task. */
  readonly each: boolean
}

/** Reads one form; `undefined`: the text does not have it. */
export type Form = (outline: Outline, around: Around) => PlanReading | undefined

/** A section that is a task, and what its heading says of it. */
interface TaskPart {
  readonly first: Section
  readonly number: string
  readonly title: string
  readonly sections: ReadonlyArray<Section>
  readonly boxes: ReadonlyArray<Box>
}

/** Lists the sections whose headings have a number and a title by a pattern. One in another is part of that. */
const partsBy = (outline: Outline, pattern: RegExp): ReadonlyArray<TaskPart> => {
  let end = 0
  return outline.sections.flatMap((first) => {
    const [, number, title = ""] = (first.index < end ? null : pattern.exec(first.title)) ?? []
    if (number === undefined) return []
    end = first.end
    const sections = partOf(outline, first)
    const words = title.replaceAll("**", "").trim()
    return [
      {
        first,
        number,
        title: words === "" ? first.title : words,
        sections,
        boxes: sections.flatMap((one) => one.boxes)
      }
    ]
  })
}

/** Notes to the agent that would carry out the plan, and lines across the page. */
const unsaid: ReadonlySet<string> = new Set(["blockquote_open", "hr"])

/** Returns what stands before the first task, which counts for all of them. */
const constraintsOf = (outline: Outline, [first]: ReadonlyArray<TaskPart>, isOther: (section: Section) => boolean) => {
  const before = outline.sections
    .slice(0, first?.first.index)
    .filter((section) => !isOther(section))
    .map((section) => ({ ...section, blocks: section.blocks.filter(({ type }) => !unsaid.has(type)) }))
    .filter(({ blocks }) => blocks.length > 0)
  const constraints = sectionsText(outline, before)
  return constraints === "" ? {} : { constraints }
}

/** Says what belongs to no task: sections behind the first task, and headings that a fence or a comment hides. */
const leftOutOf = (
  outline: Outline,
  parts: ReadonlyArray<TaskPart>,
  pattern: RegExp,
  isOther: (one: Section) => boolean
) => {
  const known = new Set(parts.flatMap(({ sections }) => sections))
  const begins = parts[0]?.first.index ?? 0
  return [
    ...outline.sections
      .filter((section) => section.index > begins && !known.has(section) && !isOther(section))
      .map(({ line, title }) => `${title} (line ${line}): it belongs to no task`),
    ...outline.hidden
      .filter(({ title }) => pattern.test(title))
      .map(({ line, title }) => `${title} (line ${line}): it stands in a code fence or a comment`)
  ]
}

const done = (boxes: ReadonlyArray<Box>) =>
  boxes.length > 0 && boxes.every(({ isTicked }) => isTicked) ? ({ done: true } as const) : {}
const everyStep = (boxes: ReadonlyArray<Box>) => (boxes.length === 0 ? asDescribed : ["Each of its steps is done"])

/** Asks the implementer of a task to tick what it does. souffleur asks git, and not the boxes, what is done. */
const ticking = (text: string, boxes: ReadonlyArray<unknown>, { file }: Around) =>
  boxes.length === 0 || file.startsWith("../")
    ? text
    : `${text}\n\nTick its boxes in \`${file}\` in the commit that does the work.`

/** Makes a task of each part. */
const tasksOf = (
  outline: Outline,
  around: Around,
  parts: ReadonlyArray<TaskPart>,
  of: (part: TaskPart, text: string) => Pick<ReadTask, "id"> & Partial<ReadTask>
): ReadonlyArray<ReadTask> =>
  oneByOne(
    parts.map((part) => {
      const { boxes, sections, title } = part
      const text = sectionsText(outline, sections)
      return {
        title,
        description: ticking(text === "" ? title : text, boxes, around),
        acceptance_criteria: everyStep(boxes),
        ...done(boxes),
        ...of(part, text)
      }
    })
  )

const documents = ({ beside }: Around, ...names: ReadonlyArray<RegExp>) => {
  const found = [...beside].filter(([name]) => names.some((one) => one.test(name))).map(([, path]) => path)
  return found.length === 0 ? {} : { reference_docs: found }
}
const linesOf = (parts: ReadonlyArray<TaskPart>) => parts.map(({ first }) => first.line)

const isValidation = ({ title }: Section) => /^validation commands:?$/iu.test(title)
/** Words that mean the same to a shell and to none. */
const plainWords = /^[\w@%+=:,./-]+(?: [\w@%+=:,./-]+)*$/u

/** Returns the commands below such headings: those that are programs with arguments, and each as a criterion. */
const commandsIn = (sections: ReadonlyArray<Section>) => {
  const said = sections
    .filter(isValidation)
    .flatMap(({ items }) => items)
    .map(({ isFenced, text }) => (isFenced ? text.replace(/^\$ /u, "") : text.replace(/^`([^`]+)`$/u, "$1").trim()))
    .filter((text) => text !== "" && !text.startsWith("#"))
  return {
    verify: said.filter((words) => plainWords.test(words)).map((words) => words.split(" ")),
    criteria: said.map((words) => (words.includes("`") ? words : `\`${words}\` ends with 0`))
  }
}

const task =
  /^[^\p{L}\p{N}]*(?:Task|Iteration)\s+#?(\d+[a-z]?(?:\.\d+)*|[A-Z])(?![\p{L}\p{N}])(?:\s*\([^)]*\))?\s*[:.)–—-]?\s*(.*)$/iu

/** A task below each heading `Task N: …`: plans of superpowers and of ralphex. */
const taskSections: Form = (outline, around) => {
  const parts = partsBy(outline, task)
  if (parts.length === 0) return undefined
  const own = new Set(parts.flatMap(({ sections }) => sections))
  const common = commandsIn(outline.sections.filter((section) => !own.has(section)))
  const tasks = tasksOf(outline, around, parts, ({ boxes, number, sections }) => {
    const { criteria, verify } = commandsIn(sections)
    return {
      id: `task-${number}`,
      acceptance_criteria: [...everyStep(boxes), ...common.criteria, ...criteria],
      ...(verify.length === 0 ? {} : { verify })
    }
  })
  return {
    form: taskForm,
    source: {
      ...constraintsOf(outline, parts, isValidation),
      ...(common.verify.length === 0 ? {} : { verify: common.verify }),
      tasks
    },
    lines: linesOf(parts),
    leftOut: leftOutOf(outline, parts, task, isValidation)
  }
}

/** What is written behind a bold label, such as `**Goal**: …` or `**Goal:** …`, to the end of its paragraph. */
const goals = ["Goal", "Independent Test", "Checkpoint"].map(
  (label) =>
    new RegExp(`^\\*\\*${label}(?::\\*\\*|\\*\\*:)[ \\t]*\\n?(\\S.*(?:\\n(?!\\n|\\*\\*|#|[-*+] \\[).+)*)`, "mu")
)

const phase = /^[^\p{L}\p{N}]*Phase\s+(\d+(?:\.\d+)*|[A-Z])(?![\p{L}\p{N}])\s*[:.–—-]?\s*(.*)$/iu
const phaseLine = /^(?:\*\*)?(T\d+[a-z]?)\b(?:\*\*)?[:.)]?((?:\s*\[[^\]]*\])*)\s*(.*)$/su
const dependsOn = /\(depends on ([^()]{0,500})\)/iu

/** Makes a task of each line of phases. */
const eachLine = (parts: ReadonlyArray<TaskPart>, goalsOf: (part: TaskPart) => ReadonlyArray<string>, around: Around) =>
  parts.flatMap((part) =>
    part.boxes.map((box) => {
      const [, id, marks = "", words = ""] = phaseLine.exec(box.text) ?? []
      const others = [...(dependsOn.exec(words)?.[1] ?? "").matchAll(/T\d+[a-z]?/gu)].map(([other]) => other)
      const own = goalsOf(part).map((one) => `\nIts phase: ${one}`)
      const said = [words, box.below].filter((text) => text !== "").join("\n\n")
      const task: ReadTask | undefined =
        id === undefined
          ? undefined
          : {
              id,
              title: words.split("\n")[0]!,
              description: ticking(`${said}\n\nIt belongs to the phase “${part.title}”.${own.join("")}`, [box], around),
              acceptance_criteria: asDescribed,
              ...(others.length === 0 ? {} : { depends_on: others }),
              // Without its mark it has the run to itself, in its place.
              ...(/\[P\]/iu.test(marks) ? {} : { touches: ["**"] }),
              ...done([box])
            }
      return { task, box }
    })
  )

/** A task a phase, or a line of one: of spec-kit. */
const phases: Form = (outline, around) => {
  const parts = partsBy(outline, phase)
  if (!parts.some(({ boxes }) => boxes.some(({ text }) => phaseLine.test(text)))) return undefined
  const texts = new Map(parts.map((part) => [part, sectionsText(outline, part.sections)]))
  const goalsOf = (part: TaskPart) => goals.flatMap((goal) => goal.exec(texts.get(part)!)?.[1]?.trim() ?? [])
  const each = around.each ? eachLine(parts, goalsOf, around) : []
  const of = (tasks: ReadonlyArray<ReadTask>, lines: ReadonlyArray<number>) => ({
    form: `a task ${around.each ? "a line" : "a phase"}, as spec-kit writes them`,
    takes: "each" as const,
    source: {
      workflow_id: around.folder,
      ...constraintsOf(outline, parts, () => false),
      ...documents(around, /^(?:spec|plan|research|data-model|quickstart)\.md$/u, /^contracts$/u),
      tasks
    },
    lines,
    leftOut: [
      ...leftOutOf(outline, parts, phase, () => false),
      ...each.flatMap(({ box, task }) =>
        task === undefined ? [`${box.text.split("\n")[0]} (line ${box.line}): it has no id such as T001`] : []
      )
    ]
  })
  if (around.each) {
    const found = each.flatMap(({ box, task }) => (task === undefined ? [] : [{ task, line: box.line }]))
    return of(
      found.map((one) => one.task),
      found.map(({ line }) => line)
    )
  }
  const tasks = tasksOf(outline, around, parts, (part) => ({
    id: `phase-${part.number}`,
    acceptance_criteria: [...everyStep(part.boxes), ...goalsOf(part)]
  }))
  return of(tasks, linesOf(parts))
}

const group = /^(\d+)\.\s+(.+)$/u
const isArchive = ({ boxes, title }: TaskPart) =>
  /^archiv(?:e|ing)$|\barchive (?:the |this )?(?:openspec )?change\b/iu.test(title) ||
  (boxes.length > 0 && boxes.every(({ text }) => /\bopenspec archive\b/iu.test(text)))

/** A task below each heading `N. …` that has boxes, where some have numbers below that: a change of OpenSpec. */
const groups: Form = (outline, around) => {
  const parts = partsBy(outline, group).filter(({ boxes }) => boxes.length > 0)
  if (!parts.some(({ boxes, number }) => boxes.some(({ text }) => text.startsWith(`${number}.`)))) return undefined
  const ours = parts.filter((part) => !isArchive(part))
  const archives = parts.filter(isArchive)
  const isOther = (section: Section) => archives.some(({ sections }) => sections.includes(section))
  return {
    form: "a task below each heading “N.”, as OpenSpec writes them",
    source: {
      workflow_id: around.folder,
      ...constraintsOf(outline, ours, isOther),
      ...documents(around, /^(?:proposal|design)\.md$/u, /^specs$/u),
      tasks: tasksOf(outline, around, ours, ({ number }) => ({ id: `task-${number}` }))
    },
    lines: linesOf(ours),
    leftOut: [
      ...leftOutOf(outline, ours, group, isOther),
      ...archives.map(({ first, title }) => `${title} (line ${first.line}): a change is archived by a person`)
    ]
  }
}

/** Reads a Markdown text in each form that it has. A list of boxes alone is a plan; in the other forms it is steps. */
export const readingsOf = (outline: Outline, around: Around): ReadonlyArray<PlanReading> => {
  const found = [taskSections, phases, groups].flatMap((form) => form(outline, around) ?? [])
  const last = found.length > 0 ? undefined : checklist(outline, (text) => ticking(text, ["a box"], around))
  return last === undefined ? found : [last]
}
