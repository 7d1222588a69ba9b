import { holds } from "./Border.ts"
import { isPlain } from "./FuzzPlain.ts"

/** A tag as the pages write one: each value is in double quotes, and holds no bracket. */
const tag = /<(?:!doctype html|(\/?[a-z][a-z0-9]*)((?:\s+[a-zA-Z][\w:-]*(?:="[^"<>]*")?)*)\s*\/?)>/gu
const attribute = /([a-zA-Z][\w:-]*)(?:="([^"]*)")?/gu

/** Elements that load or run something, or lead elsewhere, whoever wrote them. */
const active = new Set(["iframe", "img", "object", "embed", "base", "style", "video", "audio", "foreignobject", "math"])

/**
 * Checks that the markup of a page is its own: no word of others has become an element, an attribute or an address, and
 * none moves the letters of a reader.
 */
export const isOwnMarkup = (text: string): void => {
  holds(isPlain(text), "a page has what moves the letters of a reader", text)
  const rest = text.replaceAll(tag, (whole, name: string | undefined, attributes: string | undefined) => {
    holds(!active.has(name ?? ""), "a page has an element that is none of its own", whole)
    holds(name !== "script" || /\ssrc="\/\w+\.js"/u.test(whole), "a page has a script of others", whole)
    for (const [, key, value = ""] of (attributes ?? "").matchAll(attribute)) {
      holds(!/^on|^style$|^srcdoc$/iu.test(key!), "a page has an attribute that runs", whole)
      const leads = /^(?:href|src|action|formaction|data-live)$/iu.test(key!)
      holds(!leads || /^(?:[#/](?!\/)|$)/u.test(value), "a page leads elsewhere", whole)
    }
    return ""
  })
  holds(!/[<>]/u.test(rest), "a page has a bracket of others", /.{0,60}[<>].{0,60}/su.exec(rest)?.[0])
}
