import type { Seed } from "../simulation/Seed.ts"

/** Words that programs stumbled over: paths, flags, shells, terminals, encodings, names of JavaScript's own. */
const nasty = [
  [
    "",
    " ",
    "\0",
    "\t",
    "\n",
    "\r\n",
    "\v",
    "\u0085",
    "\u2028",
    "\u00a0",
    "\ufeff",
    "\u001b[2J",
    "\u001b]0;x\u0007",
    "\u009b31m",
    "\u202e",
    "\u2066x"
  ],
  [
    "..",
    ".",
    "/",
    "//",
    "../../../etc/passwd",
    "/dev/zero",
    "/proc/self/environ",
    "a/b",
    "\\",
    "C:\\x",
    "~",
    "file:///etc/passwd"
  ],
  [
    "-",
    "--",
    "--help",
    "-rf",
    "-p",
    "--settings=x",
    "*",
    "?",
    "$(id)",
    "`id`",
    ";id",
    "|id",
    "&",
    "'",
    '"',
    "$HOME",
    "${IFS}",
    "%s%n",
    "%00"
  ],
  [
    "__proto__",
    "constructor",
    "toString",
    "hasOwnProperty",
    "then",
    "null",
    "undefined",
    "NaN",
    "Infinity",
    "true",
    "[]",
    "{}",
    "[object Object]"
  ],
  ["0", "-1", "1e309", "0x10", "1_000", "٣", "ⅷ", "9".repeat(400), "-0", "1.5", "4194305", "9007199254740993"],
  ["\ud800", "\udc00\ud800", "💥", "é".normalize("NFD"), "ß", "İ", "ﬀ", "\u200d", "a".repeat(300), "x".repeat(5000)],
  [
    "task-00",
    "souffleur",
    "complete",
    "context_recovery",
    "bypassPermissions",
    "acceptEdits",
    "CONTEXT_RECOVERY_PAYLOAD_V1",
    "APPROVED",
    "## User"
  ]
].flat()

/** A day on which nothing happens. */
export const today = Date.parse("2026-11-22T01:00:00Z")

export const word = (seed: Seed): string => {
  switch (seed.between(0, 7)) {
    case 0:
      return seed.pick(nasty) + seed.pick(nasty)
    case 1:
      return String(seed.between(0, 999_999_999))
    case 2:
      return Array.from({ length: seed.between(0, 40) }, () => String.fromCharCode(seed.between(0, 65_535))).join("")
    case 3:
      return Array.from({ length: seed.between(1, 12) }, () => String.fromCharCode(seed.between(33, 126))).join("")
    case 4:
      return uuid(seed)
    default:
      return seed.pick(nasty)
  }
}

/** Draws a word that a process, a file name or a variable may hold. */
export const plainWord = (seed: Seed): string => word(seed).replaceAll(/[\0\n\r]/gu, "")

export const uuid = (seed: Seed): string => {
  const hex = (digits: number) => Array.from({ length: digits }, () => seed.between(0, 15).toString(16)).join("")
  return `${hex(8)}-${hex(4)}-4${hex(3)}-a${hex(3)}-${hex(12)}`
}

/** Draws the length of a run: mostly a line, now and then all that is read of a file. */
const length = (seed: Seed): number =>
  seed.chance(0.02)
    ? seed.pick([100_000, 1_000_000])
    : seed.chance(0.2)
      ? seed.pick([2000, 20_000])
      : seed.between(0, 400)

const letters = [..."_*`-#\"\\/.:[]{}() \t\n=,<>~'aA0é"]

/** Draws one character, or two in turn, over and over. A pattern that looks back takes too long on such a text. */
export const run = (seed: Seed): string => {
  const letter = () => (seed.chance(0.15) ? String.fromCharCode(seed.between(1, 126)) : seed.pick(letters))
  const unit = seed.chance(0.7) ? letter() : letter() + letter()
  return unit.repeat(Math.ceil(length(seed) / unit.length))
}

/** Draws a number at an edge of a count, a time, a pid or a double. */
export const number = (seed: Seed): number =>
  seed.pick(
    [
      [0, -0, 1, -1, 1.5, 0.1, 10, 100, 1e-300, 65_536, 120_000, 604_800_000, 2 ** 31, 2 ** 32, 2 ** 40, 4_194_304],
      [
        1e12,
        today,
        today / 1000,
        8.64e15,
        8.64e15 + 1,
        -8.64e15,
        8.7e15,
        9e15,
        -9e15,
        2 ** 53,
        2 ** 53 + 2,
        2 ** 63,
        1e21,
        1e300,
        -1e300
      ],
      [Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER, Number.MAX_VALUE, seed.between(0, 1000)]
    ].flat()
  )

export const time = (seed: Seed): string =>
  seed.pick(
    [
      [
        "2026-11-22T00:59:00.000Z",
        "2026-11-22 00:59:00",
        "2026-11-22T02:00:00Z",
        "",
        "x",
        "1970-01-01",
        "2026-13-45T99:99:99Z"
      ],
      [
        "+275760-09-13T00:00:00Z",
        "-271821-04-20T00:00:00Z",
        "+275760-09-13T00:00:01Z",
        "9999-12-31 23:59:59",
        "-4713-11-24 12:00:00",
        "now",
        word(seed)
      ]
    ].flat()
  )

export const scalar = (seed: Seed): unknown =>
  seed.pick<() => unknown>([
    () => word(seed),
    () => number(seed),
    () => null,
    () => true,
    () => false,
    () => time(seed)
  ])()

const deep = (seed: Seed): unknown => {
  const depth = seed.pick([50, 500, 3000])
  let value: unknown = scalar(seed)
  for (let at = 0; at < depth; at++) value = seed.chance(0.5) ? [value] : { a: value }
  return value
}

/** Makes an object with these members. `__proto__` is a member like any other, as in JSON. */
export const members = (entries: ReadonlyArray<readonly [string, unknown]>): Record<string, unknown> => {
  const made: Record<string, unknown> = {}
  for (const [key, value] of entries)
    Object.defineProperty(made, key, { value, enumerable: true, configurable: true, writable: true })
  return made
}

const keys = [
  "type",
  "message",
  "content",
  "timestamp",
  "id",
  "name",
  "state",
  "__proto__",
  "constructor",
  "toString",
  "length",
  "then"
]

/** Draws any JSON value. */
export const tree = (seed: Seed, depth = 4): unknown => {
  if (depth <= 0 || seed.chance(0.4)) return seed.chance(0.01) ? deep(seed) : scalar(seed)
  const size = seed.between(0, 4)
  return seed.chance(0.5)
    ? Array.from({ length: size }, () => tree(seed, depth - 1))
    : members(
        Array.from(
          { length: size },
          () => [seed.chance(0.7) ? seed.pick(keys) : word(seed), tree(seed, depth - 1)] as const
        )
      )
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Bends a few places of a JSON value: replaced, left out, said twice, or with a member too many. */
export const bent = (seed: Seed, value: unknown, chance = 0.12): unknown => {
  if (seed.chance(chance)) return seed.chance(0.8) ? scalar(seed) : tree(seed, 3)
  if (Array.isArray(value)) {
    const items: ReadonlyArray<unknown> = value
    const kept = items.flatMap((item) => (seed.chance(chance) ? [] : [bent(seed, item, chance)]))
    return seed.chance(chance) ? [...kept, ...kept, tree(seed, 2)] : kept
  }
  if (!isObject(value)) return value
  const entries = Object.entries(value).flatMap(([key, one]) =>
    seed.chance(chance / 2) ? [] : [[key, bent(seed, one, chance)] as const]
  )
  return members(seed.chance(chance) ? [...entries, [seed.pick(keys), tree(seed, 2)]] : entries)
}

/** Changes some places of a text. */
export const mangled = (seed: Seed, text: string, most = 3): string => {
  let now = text
  for (let left = seed.between(0, most); left > 0; left--) {
    const [from, to] = [seed.between(0, now.length), seed.between(0, now.length)].toSorted((a, b) => a - b) as [
      number,
      number
    ]
    const part = now.slice(from, Math.min(to, from + 10_000))
    const put = seed.pick<() => string>([
      () => word(seed),
      () => run(seed),
      () => "",
      () => part + part,
      () => part.toUpperCase(),
      () => String(number(seed)),
      () => String.fromCharCode(seed.between(0, 255)),
      () => part.replaceAll("\n", seed.pick(["\r", "\r\n", "\n\n", " ", "\u2028"]))
    ])()
    now = seed.chance(0.15) ? now.slice(0, from) : now.slice(0, from) + put + now.slice(seed.chance(0.5) ? from : to)
  }
  return now
}

export const bytes = (seed: Seed, most = 4000): Uint8Array =>
  Uint8Array.from({ length: seed.between(0, most) }, () => seed.between(0, 255))

/** Gives the bytes of a text, now and then torn, flipped, or with a NUL. */
export const torn = (seed: Seed, text: string): Uint8Array => {
  const whole = new Uint8Array(Buffer.from(text, "utf8"))
  if (seed.chance(0.7) || whole.length === 0) return whole
  const cut = seed.chance(0.5) ? whole.slice(0, seed.between(0, whole.length)) : whole
  for (let left = seed.between(0, 5); left > 0 && cut.length > 0; left--)
    cut[seed.between(0, cut.length - 1)] = seed.pick([0, 255, 10, 128, 34])
  return cut
}

export const some = <A>(seed: Seed, most: number, one: (index: number) => A): Array<A> =>
  Array.from({ length: seed.between(0, most) }, (_, index) => one(index))

/**
 * Makes a JSON value of the same form with other words and numbers. A schema that checks only the form lets it pass.
 */
export const alike = (seed: Seed, value: unknown, chance = 0.25): unknown => {
  if (Array.isArray(value)) {
    const items: ReadonlyArray<unknown> = value
    return items.map((item) => alike(seed, item, chance))
  }
  if (isObject(value))
    return members(Object.entries(value).map(([key, one]) => [key, key === "_tag" ? one : alike(seed, one, chance)]))
  if (!seed.chance(chance)) return value
  if (typeof value === "number")
    return Number.isInteger(value) ? Math.trunc(Math.max(-9e15, Math.min(9e15, number(seed)))) : number(seed)
  return typeof value === "string" ? word(seed) : typeof value === "boolean" ? !value : value
}
