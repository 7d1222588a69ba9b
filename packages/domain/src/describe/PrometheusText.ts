import { plain } from "../PlainText.ts"

/** One number, with the labels that tell it from its neighbours. */
export interface Sample {
  /** Follows the name of its family, such as `_bucket`. */
  readonly suffix?: "_bucket" | "_count" | "_sum"
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

/** Numbers of one name. A gauge may go down, a counter never. A histogram has its samples under three names. */
export interface Family {
  readonly name: string
  readonly help: string
  readonly type: "counter" | "gauge" | "histogram"
  readonly samples: ReadonlyArray<Sample>
}

/** Writes a word of others as the value of a label. */
const labelValue = (text: string): string =>
  plain(text).replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n")

const sampleLine = (family: string, { labels, suffix, value }: Sample): string => {
  const name = `${family}${suffix ?? ""}`
  const written = Object.entries(labels).map(([label, text]) => `${label}="${labelValue(text)}"`)
  return `${name}${written.length === 0 ? "" : `{${written.join(",")}}`} ${value}`
}

/** Writes numbers in the text format of Prometheus 0.0.4. */
export const prometheusText = (families: ReadonlyArray<Family>): string =>
  families
    .flatMap(({ help, name, samples, type }) => [
      `# HELP ${name} ${help}`,
      `# TYPE ${name} ${type}`,
      ...samples.map((sample) => sampleLine(name, sample))
    ])
    .map((line) => `${line}\n`)
    .join("")
