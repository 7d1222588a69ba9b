import { type Box, type Outline, partOf, type Section, sectionsText } from "./Outline.ts"
import { asDescribed, oneByOne, type PlanReading, type ReadTask } from "./PlanReading.ts"

/** Where a plan lies. */
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

type Form = (outline: Outline, around: Around) => PlanReading | undefined

/** A section that is a task, and what its heading says of it. */
interface TaskPart {
  readonly number: string
  readonly title: string
  readonly sections: ReadonlyArray<Section>
  readonly boxes: ReadonlyArray<Box>
  readonly text: string
}

/** Lists the sections whose headings have a number and a title, as `heading` finds them. */
const partsBy = (outline: Outline, heading: RegExp): ReadonlyArray<TaskPart> =>
  outline.sections.flatMap((section) => {
    const [, number, title] = heading.exec(section.title) ?? []
    if (number === undefined || title === undefined) return []
    const sections = partOf(outline, section)
    return [
      {
        number,
        title: title.trim(),
        sections,
        boxes: sections.flatMap((part) => part.boxes),
        text: sectionsText(outline, sections)
      }
    ]
  })

const isDone = (boxes: ReadonlyArray<Box>) => boxes.length > 0 && boxes.every(({ ticked }) => ticked)
const done = (boxes: ReadonlyArray<Box>) => (isDone(boxes) ? ({ done: true } as const) : {})
const everyStep = (boxes: ReadonlyArray<Box>) => (boxes.length === 0 ? asDescribed : ["Each of its steps is done"])
/** Asks the implementer of a task to tick what it does. souffleur asks git, and not the boxes, what is done. */
const ticking = (text: string, boxes: ReadonlyArray<Box>, { file }: Around) =>
  boxes.length === 0 ? text : `${text}\n\nTick its boxes in \`${file}\` in the commit that does the work.`
const lineOf = ({ sections }: TaskPart) => sections[0]!.line

/** Returns what is written behind a bold label, such as `**Goal**: …` or `**Goal:** …`, to the end of its paragraph. */
const labelled = (text: string, label: string) =>
  new RegExp(`^\\*\\*${label}:?\\*\\*:?[ \\t]*(.+(?:\\n(?!\\n|\\*\\*|[-#]).+)*)`, "mu").exec(text)?.[1]?.trim()

const documents = ({ beside }: Around, ...names: ReadonlyArray<RegExp>) => {
  const found = [...beside].filter(([name]) => names.some((one) => one.test(name))).map(([, path]) => path)
  return found.length === 0 ? {} : { reference_docs: found }
}

const validation = /^validation commands$/iu
/** Notes to the agent that would carry out the plan, and rules. */
const unsaid: ReadonlySet<string> = new Set(["blockquote_open", "hr"])
/** A command in a list of them: what is between backticks. */
const command = /`([^`]+)`/gu
/** Words that mean the same to a shell and to none. */
const plainWords = /^[\w@%+=:,./-]+(?: [\w@%+=:,./-]+)*$/u

/**
 * A task below each heading `Task N: …`: plans of superpowers and of ralphex. What stands before the tasks counts for
 * each of them, but for notes to the agent that would carry out the plan.
 */
const taskSections: Form = (outline, around) => {
  const parts = partsBy(outline, /^(?:Task|Iteration)\s+(\d+(?:\.\d+)*)\s*[:.–—-]\s*(.+)$/iu)
  const [first] = parts
  if (first === undefined) return undefined
  const before = outline.sections.slice(0, outline.sections.indexOf(first.sections[0]!))
  const checks = outline.sections.filter(({ title }) => validation.test(title))
  const commands = checks.flatMap((section) =>
    [...sectionsText(outline, partOf(outline, section)).matchAll(command)].map(([, words]) => words!)
  )
  const verify = commands.filter((words) => plainWords.test(words)).map((words) => words.split(" "))
  const general = before
    .filter(({ title }) => !validation.test(title))
    .map((section) => ({ ...section, blocks: section.blocks.filter(({ type }) => !unsaid.has(type)) }))
  const constraints = sectionsText(
    outline,
    general.filter(({ blocks }) => blocks.length > 0)
  )
  const known = new Set([...before, ...checks, ...parts.flatMap(({ sections }) => sections)])
  const others = outline.sections.filter((section) => !known.has(section) && section.blocks.length > 0)
  const tasks = parts.map(({ boxes, number, text, title }): ReadTask => ({
    id: `task-${number}`,
    title,
    description: ticking(text === "" ? title : text, boxes, around),
    acceptance_criteria: [...everyStep(boxes), ...commands.map((words) => `\`${words}\` ends with 0`)],
    ...done(boxes)
  }))
  return {
    form: "a task below each heading “Task N”, as superpowers and ralphex write them",
    source: {
      ...(constraints === "" ? {} : { constraints }),
      ...(verify.length === 0 ? {} : { verify }),
      tasks: oneByOne(tasks)
    },
    lines: parts.map(lineOf),
    leftOut: others.map(({ line, title }) => `${title} (line ${line}): it belongs to no task`)
  }
}

const line = /^(T\d{3,})\b((?:\s*\[[^\]]*\])*)\s*(.*)$/su
const waits = /\(depends on ([^)]*)\)/iu

/** A task a phase, or a line of one: of spec-kit. */
const phases: Form = (outline, around) => {
  const parts = partsBy(outline, /^Phase\s+(\d+(?:\.\d+)*|[A-Z])\s*[:.–—-]\s*(.+)$/u).filter(({ boxes }) =>
    boxes.some(({ text }) => line.test(text))
  )
  if (parts.length === 0) return undefined
  const common = {
    workflow_id: around.folder,
    ...documents(around, /^(?:spec|plan|research|data-model|quickstart)\.md$/u, /^contracts$/u)
  }
  const form = `a task ${around.each ? "a line" : "a phase"}, as spec-kit writes them`
  const goals = ({ text }: TaskPart) =>
    ["Goal", "Independent Test", "Checkpoint"].flatMap((label) => labelled(text, label) ?? [])
  if (!around.each) {
    const tasks = parts.map((part): ReadTask => ({
      id: `phase-${part.number}`,
      title: part.title,
      description: ticking(part.text, part.boxes, around),
      acceptance_criteria: [...everyStep(part.boxes), ...goals(part)],
      ...done(part.boxes)
    }))
    return { form, source: { ...common, tasks: oneByOne(tasks) }, lines: parts.map(lineOf), leftOut: [] }
  }
  const each = parts.flatMap((part) =>
    part.boxes.flatMap((box) => {
      const [, id, , title] = line.exec(box.text) ?? []
      if (id === undefined || title === undefined) return []
      const others = [...(waits.exec(title)?.[1] ?? "").matchAll(/T\d{3,}/gu)].map(([other]) => other)
      const goal = goals(part).map((one) => `\nIts phase: ${one}`)
      const task: ReadTask = {
        id,
        title: title.split("\n")[0]!,
        description: `${[title, box.below].filter((text) => text !== "").join("\n\n")}\n\nIt belongs to the phase “${part.title}”.${goal.join("")}`,
        acceptance_criteria: asDescribed,
        ...(others.length === 0 ? {} : { depends_on: others }),
        ...done([box])
      }
      return [{ task, line: box.line }]
    })
  )
  return {
    form,
    source: { ...common, tasks: each.map(({ task }) => task) },
    lines: each.map((one) => one.line),
    leftOut: []
  }
}

/** A task below each heading `N. …` whose boxes have numbers below that: of a change of OpenSpec. */
const groups: Form = (outline, around) => {
  const parts = partsBy(outline, /^(\d+)\.\s+(.+)$/u).filter(({ boxes, number }) =>
    boxes.some(({ text }) => text.startsWith(`${number}.`))
  )
  const isArchive = ({ title }: TaskPart) => /^archiv/iu.test(title)
  const ours = parts.filter((part) => !isArchive(part))
  if (ours.length === 0) return undefined
  const tasks = ours.map(({ boxes, number, text, title }): ReadTask => ({
    id: `task-${number}`,
    title,
    description: ticking(text, boxes, around),
    acceptance_criteria: everyStep(boxes),
    ...done(boxes)
  }))
  return {
    form: "a task below each heading “N.”, as OpenSpec writes them",
    source: {
      workflow_id: around.folder,
      ...documents(around, /^(?:proposal|design)\.md$/u, /^specs$/u),
      tasks: oneByOne(tasks)
    },
    lines: ours.map(lineOf),
    leftOut: parts
      .filter(isArchive)
      .map((part) => `${part.title} (line ${lineOf(part)}): a change is archived by a person`)
  }
}

/** An id of the author's, which has a digit, and what stands behind it. */
const named = /^(?:\*\*)?([A-Za-z]+[-.]?\d[\w.-]*|\d+(?:\.\d+)*)(?:[.:)]|\*\*)*\s+(.+)$/su
const condition = /^[-*+] (?:\*\*)?(?:Verify|Acceptance|Criteria|Done when)(?:\*\*)?:(?:\*\*)?\s*(.+)$/gimu

/** A task each box. Its id is the author's where each box has one of its own. */
const checklist: Form = (outline, around) => {
  const boxes = outline.sections.flatMap((section) => section.boxes.map((box) => ({ ...box, section })))
  if (boxes.length === 0) return undefined
  const ids = boxes.map(({ text }) => named.exec(text)?.[1]?.replace(/[.-]+$/u, ""))
  const areNamed = ids.every((id) => id !== undefined) && new Set(ids).size === ids.length
  const tasks = boxes.map(({ below, section, ticked, text }, at): ReadTask => {
    const id = areNamed ? ids[at]! : String(at + 1)
    const said = areNamed ? named.exec(text)![2]! : text
    const conditions = [...below.matchAll(condition)].map(([, one]) => one!)
    const under = section.level > 1 ? `It stands below “${section.title}”.` : ""
    return {
      id: /^\d/u.test(id) ? `task-${id}` : id,
      title: said.split("\n")[0]!.replaceAll("**", ""),
      description: ticking([text, below, under].filter((part) => part !== "").join("\n\n"), boxes, around),
      acceptance_criteria: conditions.length === 0 ? asDescribed : conditions,
      ...(ticked ? { done: true } : {})
    }
  })
  return { form: "a task each box of a list", source: { tasks }, lines: boxes.map(({ line }) => line), leftOut: [] }
}

/** Reads a Markdown text in each form that it has. A list of boxes alone is a plan; in the other forms it is steps. */
export const readingsOf = (outline: Outline, around: Around): ReadonlyArray<PlanReading> => {
  const found = [taskSections, phases, groups].flatMap((form) => form(outline, around) ?? [])
  return found.length > 0 ? found : [checklist(outline, around) ?? []].flat()
}
