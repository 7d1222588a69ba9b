import { Graph } from "effect"

/** A task, and the tasks that it waits for. */
interface Waiting {
  readonly id: string
  readonly dependsOn: ReadonlyArray<string>
}

/**
 * Returns the circles of dependencies, each with its tasks in the plan's order. A circle holds the tasks that wait for
 * themselves, directly or through others. Tasks that only wait for a circle are not in it.
 */
export const circlesOf = (tasks: ReadonlyArray<Waiting>): ReadonlyArray<ReadonlyArray<string>> => {
  const at = new Map(tasks.map(({ id }, n) => [id, n]))
  const graph = Graph.directed<string, void>((waiting) => {
    for (const { id } of tasks) Graph.addNode(waiting, id)
    for (const [n, { dependsOn }] of tasks.entries())
      for (const to of dependsOn) if (at.has(to)) Graph.addEdge(waiting, n, at.get(to)!, undefined)
  })
  return Graph.stronglyConnectedComponents(graph)
    .filter(([first, ...others]) => others.length > 0 || Graph.hasEdge(graph, first!, first!))
    .map((circle) => circle.toSorted((a, b) => a - b))
    .toSorted(([a], [b]) => a! - b!)
    .map((circle) => circle.map((n) => tasks[n]!.id))
}
