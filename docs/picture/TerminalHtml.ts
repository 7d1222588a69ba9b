/** The words for the colours of a terminal, as CSS has them. */
const colours = ["#2b2b28", "#d3584c", "#6fae6b", "#d9a441", "#6c9fd6", "#b183c7", "#5fb3b3", "#d8d4cb"] as const

/** The look of a part of a line. */
interface Look {
  readonly bold: boolean
  readonly dim: boolean
  readonly reverse: boolean
  readonly colour: number | null
}
const plainLook: Look = { bold: false, dim: false, reverse: false, colour: null }

/** Returns the look after a code of SGR. A code that no command of souffleur prints is left out. */
const after = (look: Look, code: number): Look => {
  if (code === 0) return plainLook
  if (code === 1) return { ...look, bold: true }
  if (code === 2) return { ...look, dim: true }
  if (code === 7) return { ...look, reverse: true }
  if (code === 22) return { ...look, bold: false, dim: false }
  if (code === 27) return { ...look, reverse: false }
  if (code === 39) return { ...look, colour: null }
  return code >= 30 && code <= 37 ? { ...look, colour: code - 30 } : look
}

const styleOf = ({ bold, colour, dim, reverse }: Look): string => {
  const ink = colour === null ? "#d8d4cb" : colours[colour]
  return [
    reverse ? `background: ${ink}; color: #1b1b19` : `color: ${ink}`,
    ...(bold ? ["font-weight: 700"] : []),
    ...(dim ? ["opacity: .65"] : [])
  ].join("; ")
}

const escaped = (text: string) =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;")

/** A change of the look. */
// oxlint-disable-next-line no-control-regex -- It begins with ESC.
const sgr = /\u001b\[([\d;]*)m/u

/** Draws the screen of a terminal as HTML. `screen`: what `tmux capture-pane -e -p` prints. */
export const terminalHtml = (screen: string): string => {
  let look = plainLook
  const parts = screen.trimEnd().split(sgr)
  const spans = parts.map((part, n) => {
    if (n % 2 === 0) return part === "" ? "" : `<span style="${styleOf(look)}">${escaped(part)}</span>`
    look = part.split(";").map(Number).reduce(after, look)
    return ""
  })
  return `<!doctype html><meta charset="utf-8"><body style="margin: 0; background: #1b1b19"><pre
    style="margin: 0; padding: 20px 24px; width: max-content; font: 14px/1.35 'DejaVu Sans Mono', monospace">${spans.join("")}</pre>`
}
