/** An event of a watch's log: its name, its time in epoch milliseconds, its other fields. */
export interface Told {
  readonly _tag: string
  readonly at: number
  readonly more: Readonly<Record<string, unknown>>
}

const [width, height, left, right] = [860, 236, 110, 24]
const [agentLane, souffleurLane] = [76, 150]

const style = `
  text { font: 13px system-ui, sans-serif; fill: #444 }
  .lane { font-weight: 600 }
  .agent { fill: #4a7fd4 } .souffleur { fill: #4f9d69 } .dead { stroke: #c8443a; stroke-width: 3 }
  .step { stroke: #ffffff; stroke-width: 2 } .small { font-size: 11px } .axis { stroke: #999; stroke-width: 1 }
  .bar { font-weight: 600; fill: #ffffff }
  @media (prefers-color-scheme: dark) { text { fill: #ccc } .bar { fill: #ffffff } }`

const escaped = (text: string) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;")

/**
 * One night as SVG: the agents above, souffleur below, by the seconds at which it happened. A red cross is a process
 * that was killed. `events`: of one watch, from its beginning to its end, with one death of the Conductor and one of
 * souffleur.
 */
export const drawing = (events: ReadonlyArray<Told>): string => {
  const when = (tag: string, nth = 0) => events.filter(({ _tag }) => _tag === tag)[nth]!.at
  const begin = when("WatchOpened")
  const over = when("ConductorCompleted")
  const x = (at: number) => Math.round(left + ((at - begin) / (over - begin)) * (width - left - right))
  const secondOwner = when("OwnerTook", 1)
  const lastOfFirst = Math.max(...events.filter(({ at }) => at < secondOwner).map(({ at }) => at))

  const text = (at: number, y: number, words: string, more = "") =>
    `<text x="${at}" y="${y}" ${more}>${escaped(words)}</text>`
  const bar = (lane: number, kind: string, from: number, to: number, words: string) =>
    `<rect class="${kind}" x="${x(from)}" y="${lane - 13}" width="${Math.max(3, x(to) - x(from))}" height="26" rx="4"/>` +
    text((x(from) + x(to)) / 2, lane + 5, words, 'class="bar" text-anchor="middle"')
  const dead = (lane: number, at: number) =>
    `<path class="dead" d="M${x(at) - 7} ${lane - 7}l14 14m0 -14l-14 14" fill="none"/>`

  /** Steps that come too close to be told apart have one label. */
  const steps = events
    .filter(({ _tag }) => _tag === "StepSucceeded")
    .map(({ at, more }) => ({ at: x(at), names: String(more["step"]).replace(/^\d+ /u, "") }))
  const labels: Array<{ readonly at: number; readonly names: Array<string> }> = []
  for (const { at, names } of steps) {
    const last = labels.at(-1)
    if (last !== undefined && at - last.at <= 50) last.names.push(names)
    else labels.push({ at, names: [names] })
  }

  const seconds = Math.floor((over - begin) / 1000)
  const every = Math.max(1, Math.ceil(seconds / 8))
  const ticks = Array.from({ length: Math.floor(seconds / every) + 1 }, (_, index) => begin + index * every * 1000)
  const tick = (at: number) =>
    `<path class="axis" d="M${x(at)} ${height - 30}v5"/>${text(x(at), height - 10, `${(at - begin) / 1000} s`, 'class="small" text-anchor="middle"')}`

  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-labelledby="title">`,
    `<title id="title">An agent is killed, then souffleur is killed. souffleur goes on from its log and launches a successor with the conversation.</title>`,
    `<style>${style}\n</style>`,
    text(10, agentLane + 5, "agent", 'class="lane"'),
    text(10, souffleurLane + 5, "souffleur", 'class="lane"'),
    bar(agentLane, "agent", begin, when("ConductorDied"), "S1"),
    bar(agentLane, "agent", when("ConductorRelaunched"), over, "S2"),
    dead(agentLane, when("ConductorDied")),
    `<path class="step" d="M${x(when("HandoffTaken"))} ${agentLane - 13}v26"/>`,
    text(x(when("ConductorDied")), agentLane - 24, "S1 is killed"),
    text(x(when("HandoffTaken")), agentLane - 24, "S2 has read the conversation", 'text-anchor="end"'),
    text(x(over), agentLane - 42, "the work is complete", 'text-anchor="end"'),
    bar(souffleurLane, "souffleur", begin, lastOfFirst, ""),
    bar(souffleurLane, "souffleur", secondOwner, over, ""),
    dead(souffleurLane, lastOfFirst),
    text(x(lastOfFirst), souffleurLane - 22, "souffleur is killed, and goes on from its log"),
    ...steps.map(({ at }) => `<path class="step" d="M${at} ${souffleurLane - 13}v26"/>`),
    ...labels.map(({ at, names }, index) =>
      text(at, souffleurLane + 29 + (index % 2) * 13, names.join(", "), 'class="small"')
    ),
    `<path class="axis" d="M${left} ${height - 30}H${width - right}"/>`,
    ...ticks.map(tick),
    "</svg>",
    ""
  ].join("\n")
}
