/**
 * Two loops over bytes, 16 at a time, in WebAssembly SIMD: JavaScript alone cannot look at a gigabyte in the time that
 * reading it takes. Each expression below is the bytes of one WebAssembly expression; nothing is loaded from elsewhere.
 */
export interface ByteKernel {
  /** The whole memory; the caller owns its layout. */
  readonly memory: Uint8Array<ArrayBuffer>
  /**
   * UTF-8 continuation bytes from `from` to `to`, a multiple of 64 bytes, or -1 when that is not well-formed UTF-8.
   * The three bytes before `from` are looked at: a character that they leave unfinished is malformed here.
   */
  readonly continuations: (from: number, to: number) => number
  /**
   * Where a compact marker might begin, or in a foreign export a code fence, from `from` to `to`, a multiple of 64 bytes. Writes pairs
   * of 32-bit words at `out` (the first of 16 bytes, a bit for each of them) and returns how many pairs.
   */
  readonly candidates: (kind: "own" | "foreign", from: number, to: number, out: number) => number
}

type Code = ReadonlyArray<number>

const leb = (value: number): Code => (value > 63 || value < -64 ? [(value & 0x7f) | 0x80, ...leb(value >> 7)] : [value & 0x7f])
const unsigned = (value: number): Code => (value > 0x7f ? [(value & 0x7f) | 0x80, ...unsigned(value >>> 7)] : [value])
const simd =
  (opcode: number) =>
  (...operands: ReadonlyArray<Code>): Code => [...operands.flat(), 0xfd, opcode]
const scalar =
  (opcode: number) =>
  (...operands: ReadonlyArray<Code>): Code => [...operands.flat(), opcode]

const get = (local: number): Code => [0x20, local]
const set = (local: number, value: Code): Code => [...value, 0x21, local]
const int = (value: number): Code => [0x41, ...leb(value)]
const add = scalar(0x6a)
const subtract = scalar(0x6b)
const shiftedRight = scalar(0x76)
const popcount = scalar(0x69)
const below = scalar(0x49)
const isZero = scalar(0x45)
const store = (address: Code, offset: number, value: Code): Code => [...address, ...value, 0x36, 0, offset]
const when = (condition: Code, ...body: ReadonlyArray<Code>): Code => [...condition, 0x04, 0x40, ...body.flat(), 0x0b]
const loopWhile = (condition: Code, ...body: ReadonlyArray<Code>): Code =>
  when(condition, [0x03, 0x40, ...body.flat(), ...condition, 0x0d, 0, 0x0b])
const choose = (condition: Code, yes: Code, no: Code): Code => [...yes, ...no, ...condition, 0x1b]

const load = (address: Code, offset: number): Code => [...address, 0xfd, 0, 0, offset]
const lanes = (bytes: Code): Code => [0xfd, 0x0c, ...bytes]
const splat = (byte: number): Code => lanes(Array.from({ length: 16 }, () => byte))
const lookUp = simd(0x0e)
const equal = simd(0x23)
const less = simd(0x25)
const and = (first: Code, ...rest: ReadonlyArray<Code>): Code => rest.reduce((all, one) => simd(0x4e)(all, one), first)
const or = (first: Code, ...rest: ReadonlyArray<Code>): Code => rest.reduce((all, one) => simd(0x50)(all, one), first)
const xor = simd(0x51)
const some = simd(0x53)
const allTrue = simd(0x63)
const least = simd(0x77)
const bits = simd(0x64)
const shiftRight = (vector: Code, by: number): Code => simd(0x6d)(vector, int(by))
const minus = simd(0x73)

/**
 * What a pair of neighbouring bytes may break, one bit each, looked up by the halves of both (Keiser and Lemire, "Validating UTF-8
 * in less than one instruction per byte"): the pair is wrong where all three tables agree.
 */
const tooShort = 1
const tooLong = 2
const overlong3 = 4
const tooLarge = 8
const surrogate = 16
const overlong2 = 32
const tooLarge1000 = 64
const overlong4 = 64
const twoContinuations = 128
const carry = tooShort | tooLong | twoContinuations
const row = (...runs: ReadonlyArray<readonly [times: number, bits: number]>): Code =>
  lanes(runs.flatMap(([times, value]) => Array.from({ length: times }, () => value)))
const firstHigh = row(
  [8, tooLong],
  [4, twoContinuations],
  [1, tooShort | overlong2],
  [1, tooShort],
  [1, tooShort | overlong3 | surrogate],
  [1, tooShort | tooLarge | tooLarge1000 | overlong4]
)
const firstLow = row(
  [1, carry | overlong3 | overlong2 | overlong4],
  [1, carry | overlong2],
  [2, carry],
  [1, carry | tooLarge],
  [8, carry | tooLarge | tooLarge1000],
  [1, carry | tooLarge | tooLarge1000 | surrogate],
  [2, carry | tooLarge | tooLarge1000]
)
const secondHigh = row(
  [8, tooShort],
  [1, tooLong | overlong2 | twoContinuations | overlong3 | tooLarge1000 | overlong4],
  [1, tooLong | overlong2 | twoContinuations | overlong3 | tooLarge],
  [2, tooLong | overlong2 | twoContinuations | surrogate | tooLarge],
  [4, tooShort]
)

/** Parameters: 0 three bytes before the next byte, 1 the same for the end. Locals: 2 continuations, 3 what was wrong. */
const continuations: Code = (() => {
  const at = get(0)
  const check = (offset: number): Code => {
    const byte = load(at, offset + 3)
    const before = load(at, offset + 2)
    const pair = and(
      lookUp(firstHigh, shiftRight(before, 4)),
      lookUp(firstLow, and(before, splat(0x0f))),
      lookUp(secondHigh, shiftRight(byte, 4))
    )
    const third = and(or(minus(load(at, offset + 1), splat(0x60)), minus(load(at, offset), splat(0x70))), splat(0x80))
    return [...set(3, or(get(3), xor(third, pair))), ...set(2, add(get(2), popcount(bits(less(byte, splat(0xc0))))))]
  }
  const any = bits(or(load(at, 0), load(at, 3), load(at, 19), load(at, 35), load(at, 51)))
  return [
    ...loopWhile(below(at, get(1)), when(any, check(0), check(16), check(32), check(48)), set(0, add(at, int(64)))),
    ...choose(some(get(3)), int(-1), get(2))
  ]
})()

/** Parameters: 0 from, 1 to, 2 out. Locals: 3 the first byte of out, 4 a mask. */
const candidates = (kind: "own" | "foreign"): Code => {
  const at = get(0)
  const anyCase = splat(0xdf)
  const code = (character: string) => splat(character.charCodeAt(0))
  /** Zero in each byte where a candidate may begin: `c..p.c` and `[le` in any case, three equal bytes that may be "`" or "~". */
  const differs = (offset: number): Code => {
    const byte = (further: number) => load(at, offset + further)
    const not = (further: number, character: string) => xor(byte(further), code(character))
    const compact = and(or(not(0, "c"), not(3, "p"), not(5, "c")), anyCase)
    if (kind === "own") return compact
    const lethe = or(not(0, "["), and(or(not(1, "l"), not(2, "e")), anyCase))
    const fence = or(xor(or(byte(0), splat(0x1e)), splat(0x7e)), xor(byte(0), byte(1)), xor(byte(0), byte(2)))
    return least(least(compact, lethe), fence)
  }
  const write = (offset: number): Code => [
    ...set(4, bits(equal(differs(offset), splat(0)))),
    ...when(get(4), store(get(2), 0, add(at, int(offset))), store(get(2), 4, get(4)), set(2, add(get(2), int(8))))
  ]
  const none = allTrue(least(least(differs(0), differs(16)), least(differs(32), differs(48))))
  return [
    ...set(3, get(2)),
    ...loopWhile(below(at, get(1)), when(isZero(none), write(0), write(16), write(32), write(48)), set(0, add(at, int(64)))),
    // Bytes written, as pairs.
    ...shiftedRight(subtract(get(2), get(3)), int(3))
  ]
}

const i32 = 0x7f
const v128 = 0x7b
const vector = (items: ReadonlyArray<Code>): Code => [...unsigned(items.length), ...items.flat()]
const section = (id: number, items: ReadonlyArray<Code>): Code => {
  const body = vector(items)
  return [id, ...unsigned(body.length), ...body]
}
const sized = (body: Code): Code => [...unsigned(body.length), ...body]
const name = (text: string): Code => sized([...text].map((character) => character.charCodeAt(0)))

/** `\0asm`, version 1. */
const magic: Code = [0, 0x61, 0x73, 0x6d, 1, 0, 0, 0]

const moduleOf = (pages: number) =>
  Uint8Array.from([
    ...magic,
    ...section(1, [
      [0x60, ...vector([[i32], [i32]]), ...vector([[i32]])],
      [0x60, ...vector([[i32], [i32], [i32]]), ...vector([[i32]])]
    ]),
    ...section(3, [[0], [1], [1]]),
    ...section(5, [[1, ...unsigned(pages), ...unsigned(pages)]]),
    ...section(7, [
      [...name("memory"), 2, 0],
      [...name("continuations"), 0, 0],
      [...name("own"), 0, 1],
      [...name("foreign"), 0, 2]
    ]),
    ...section(10, [
      sized([
        ...vector([
          [1, i32],
          [1, v128]
        ]),
        ...continuations,
        0x0b
      ]),
      sized([...vector([[2, i32]]), ...candidates("own"), 0x0b]),
      sized([...vector([[2, i32]]), ...candidates("foreign"), 0x0b])
    ])
  ])

interface Exports {
  readonly memory: { readonly buffer: ArrayBuffer }
  readonly continuations: (from: number, to: number) => number
  readonly own: (from: number, to: number, out: number) => number
  readonly foreign: (from: number, to: number, out: number) => number
}
/** A global of every JavaScript engine; the standard library's types have it only beside the browser's. */
declare const WebAssembly: {
  readonly Module: new (bytes: Uint8Array) => object
  readonly Instance: new (module: object) => { readonly exports: Exports }
}

const pageBytes = 65_536
const modules = new Map<number, object>()

/** A kernel with a memory of its own, of at least `bytes`. */
export const makeByteKernel = (bytes: number): ByteKernel => {
  const pages = Math.ceil(bytes / pageBytes)
  const module = modules.get(pages) ?? new WebAssembly.Module(moduleOf(pages))
  modules.set(pages, module)
  const { exports } = new WebAssembly.Instance(module)
  return {
    memory: new Uint8Array(exports.memory.buffer),
    continuations: (from, to) => exports.continuations(from - 3, to - 3),
    candidates: (kind, from, to, out) => exports[kind](from, to, out)
  }
}
