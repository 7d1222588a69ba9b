/** A line of a terminal, and the time at which it came, in ms since the first one. */
export interface TimedLine {
  readonly at: number
  readonly text: string
  /** What a person types, what souffleur says, or what the agent prints. */
  readonly tone: "typed" | "souffleur" | "agent"
}

const [lineHeight, left, top, unit] = [22, 20, 34, 8.43]
/** Milliseconds for which the last line stays before it all begins again. */
const rest = 5000

const escaped = (text: string) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;")

/**
 * Draws lines as an SVG in which each appears at its time, again and again. Where motion is not wanted all of them are
 * there from the beginning.
 */
export const terminalSvg = (title: string, lines: ReadonlyArray<TimedLine>): string => {
  const whole = (lines.at(-1)?.at ?? 0) + rest
  const width = Math.ceil(Math.max(...lines.map(({ text }) => text.length)) * unit) + 2 * left
  const height = top + lines.length * lineHeight
  const keyframes = lines.map(({ at }, n) => {
    const shown = ((100 * at) / whole).toFixed(2)
    return at === 0 ? "" : `@keyframes l${n} { 0%, ${shown}% { opacity: 0 } ${shown}%, 100% { opacity: 1 } }`
  })
  const row = ({ at, text, tone }: TimedLine, n: number) =>
    `<text class="${tone}" x="${left}" y="${top + n * lineHeight}"${at === 0 ? "" : ` style="animation: l${n} ${whole}ms step-end infinite"`}>${escaped(text)}</text>`
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-labelledby="title">`,
    `<title id="title">${escaped(title)}</title>`,
    `<style>text { font: 14px 'DejaVu Sans Mono', Menlo, Consolas, monospace; white-space: pre }
  .typed { fill: #d8d4cb; font-weight: 700 } .souffleur { fill: #d9a441 } .agent { fill: #d8d4cb }
  ${keyframes.filter((one) => one !== "").join("\n  ")}
  @media (prefers-reduced-motion: reduce) { text { animation: none !important } }</style>`,
    `<rect width="${width}" height="${height}" rx="8" fill="#1b1b19"/>`,
    ...lines.map(row),
    "</svg>",
    ""
  ].join("\n")
}
