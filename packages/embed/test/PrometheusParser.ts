/** One number of a text, with the labels that were read. */
export interface ParsedSample {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

export interface ParsedFamily {
  readonly type: string
  readonly samples: Array<ParsedSample>
}

const name = "[a-zA-Z_:][a-zA-Z0-9_:]*"
const label = String.raw`[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\n]|\\[\\"n])*"`
const number = String.raw`[+-]?(?:\d+(?:\.\d+)?(?:e[+-]?\d+)?|Inf)|NaN`
const headLine = new RegExp(`^# (HELP|TYPE) (${name}) (.+)$`, "u")
const sampleLine = new RegExp(`^(${name})(?:\\{(${label}(?:,${label})*)\\})? (${number})$`, "u")
const types = new Set(["counter", "gauge", "histogram"])
const unescaped: Readonly<Record<string, string>> = { "\\\\": "\\", '\\"': '"', "\\n": "\n" }

const numberOf = (text: string) => Number(text.replace("Inf", "Infinity"))

const labelsOf = (text: string): Readonly<Record<string, string>> => {
  const found = [...text.matchAll(new RegExp(label, "gu"))].map(([one]) => {
    const [key = ""] = one.split("=", 1)
    return [key, one.slice(key.length + 2, -1).replaceAll(/\\[\\"n]/gu, (sign) => unescaped[sign]!)] as const
  })
  if (new Set(found.map(([key]) => key)).size < found.length) throw new Error(`a label is there twice: ${text}`)
  return Object.fromEntries(found)
}

/** Refuses a histogram whose buckets do not grow, or do not agree with its count. */
const checkHistogram = (family: string, samples: ReadonlyArray<ParsedSample>) => {
  const rows = Map.groupBy(samples, ({ labels }) => JSON.stringify({ ...labels, le: undefined }))
  for (const [row, all] of rows) {
    const buckets = all.filter(({ name: of }) => of === `${family}_bucket`)
    const bounds = buckets.map(({ labels }) => numberOf(labels["le"] ?? "NaN"))
    const [count, ...counts] = all.filter(({ name: of }) => of === `${family}_count`)
    const sums = all.filter(({ name: of }) => of === `${family}_sum`)
    const grows = buckets.every(
      ({ value }, n) => n === 0 || (bounds[n]! > bounds[n - 1]! && value >= buckets[n - 1]!.value)
    )
    const whole = counts.length === 0 && sums.length === 1 && bounds.at(-1) === Infinity
    if (!grows || !whole || buckets.at(-1)?.value !== count?.value) throw new Error(`no histogram: ${family}${row}`)
  }
}

/** Parses the text format of Prometheus 0.0.4. Throws at what a collector would refuse or misread. */
export const parsePrometheus = (text: string): ReadonlyMap<string, ParsedFamily> => {
  if (!text.endsWith("\n")) throw new Error("the last line has no end")
  const families = new Map<string, ParsedFamily>()
  const [helped, seen] = [new Set<string>(), new Set<string>()]
  let current = ""
  for (const line of text.slice(0, -1).split("\n")) {
    const [, word, family = "", rest = ""] = headLine.exec(line) ?? []
    if (word !== undefined) {
      const isNew = word === "HELP" ? !helped.has(family) : !families.has(family) && types.has(rest)
      if (!isNew) throw new Error(`a second or wrong line: ${line}`)
      if (word === "HELP") helped.add(family)
      else families.set((current = family), { type: rest, samples: [] })
      continue
    }
    const [, of, labels = "", value] = sampleLine.exec(line) ?? []
    const { samples, type } = families.get(current) ?? {}
    const names = type === "histogram" ? ["_bucket", "_sum", "_count"].map((end) => current + end) : [current]
    if (of === undefined || !names.includes(of) || samples === undefined) throw new Error(`no sample: ${line}`)
    const sample = { name: of, labels: labelsOf(labels), value: numberOf(value!) }
    const key = JSON.stringify([of, Object.entries(sample.labels).toSorted()])
    if (seen.has(key)) throw new Error(`a sample is there twice: ${line}`)
    if (type !== "gauge" && !(sample.value >= 0)) throw new Error(`a count is negative: ${line}`)
    if (type === "counter" && !of.endsWith("_total")) throw new Error(`a counter of another name: ${line}`)
    seen.add(key)
    samples.push(sample)
  }
  for (const [family, { samples, type }] of families) if (type === "histogram") checkHistogram(family, samples)
  return families
}
