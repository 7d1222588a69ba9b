import type { Seed } from "./Seed.ts"

/** Makes a `Crypto` whose random bytes a seed decides. Provided as Effect's `WebCrypto`, it decides each session id. */
export const simCrypto = (seed: Seed): Crypto => {
  const getRandomValues: Crypto["getRandomValues"] = (values) => {
    if (values instanceof Uint8Array) for (const at of values.keys()) values[at] = seed.between(0, 255)
    return values
  }
  return new Proxy(globalThis.crypto, {
    get: (crypto, name) => (name === "getRandomValues" ? getRandomValues : Reflect.get(crypto, name, crypto))
  })
}
