/** A task, and the tasks that it waits for. */
interface Waiting {
  readonly id: string
  readonly dependsOn: ReadonlyArray<string>
}

/**
 * Returns the circles of dependencies, each with its tasks in the plan's order. A circle holds the tasks that wait for
 * themselves, directly or through others. Tasks that wait for a circle are not in it. It takes linear time (Tarjan's
 * algorithm) and no recursion: a plan may have many thousand tasks in a row.
 */
export const circlesOf = (tasks: ReadonlyArray<Waiting>): ReadonlyArray<ReadonlyArray<string>> => {
  const at = new Map(tasks.map(({ id }, n) => [id, n]))
  const next = tasks.map(({ dependsOn }) => dependsOn.flatMap((id) => at.get(id) ?? []))
  const circles: Array<ReadonlyArray<number>> = []
  /** The order in which tasks are entered, and the earliest that each leads back to. */
  const [order, earliest] = [new Map<number, number>(), new Map<number, number>()]
  const open: Array<number> = []
  const isOpen = new Set<number>()
  for (const start of tasks.keys()) {
    const path: Array<{ readonly task: number; edge: number }> = []
    const enter = (task: number) => {
      order.set(task, order.size)
      earliest.set(task, order.get(task)!)
      open.push(task)
      isOpen.add(task)
      path.push({ task, edge: 0 })
    }
    const back = (task: number, to: number) => earliest.set(task, Math.min(earliest.get(task)!, to))
    if (!order.has(start)) enter(start)
    for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
      const { task } = top
      const to = next[task]![top.edge++]
      if (to !== undefined) {
        if (!order.has(to)) enter(to)
        else if (isOpen.has(to)) back(task, order.get(to)!)
        continue
      }
      path.pop()
      const before = path.at(-1)
      if (before !== undefined) back(before.task, earliest.get(task)!)
      if (earliest.get(task) !== order.get(task)) continue
      const circle = open.splice(open.lastIndexOf(task))
      for (const member of circle) isOpen.delete(member)
      if (circle.length > 1 || next[task]!.includes(task)) circles.push(circle)
    }
  }
  return circles
    .map((circle) => circle.toSorted((a, b) => a - b).map((n) => tasks[n]!.id))
    .toSorted((a, b) => at.get(a[0]!)! - at.get(b[0]!)!)
}
