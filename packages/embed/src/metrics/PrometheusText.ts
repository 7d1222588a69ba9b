import { plain } from "@souffleur/domain"

/** One number, with the labels that tell it from its neighbours. */
export interface Sample {
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

/** Numbers of one name. A gauge may go down. */
export interface Gauge {
  readonly name: string
  readonly help: string
  readonly samples: ReadonlyArray<Sample>
}

/** Writes a word of others as the value of a label. */
const labelValue = (text: string): string =>
  plain(text).replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n")

const sampleLine = (name: string, { labels, value }: Sample): string => {
  const written = Object.entries(labels).map(([label, text]) => `${label}="${labelValue(text)}"`)
  return `${name}${written.length === 0 ? "" : `{${written.join(",")}}`} ${value}`
}

/** Writes gauges in the text format of Prometheus 0.0.4. */
export const prometheusText = (gauges: ReadonlyArray<Gauge>): string =>
  gauges
    .flatMap(({ help, name, samples }) => [
      `# HELP ${name} ${help}`,
      `# TYPE ${name} gauge`,
      ...samples.map((sample) => sampleLine(name, sample))
    ])
    .map((line) => `${line}\n`)
    .join("")
