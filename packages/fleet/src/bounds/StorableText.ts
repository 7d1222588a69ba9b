import { Bounds } from "@souffleur/domain"
import { Schema } from "effect"

/**
 * A text that Postgres keeps as it is, of `maxLength` UTF-16 units at most: without U+0000, which it refuses, and
 * without a lone surrogate, which it would keep as another character (spec: fleet#contract).
 */
export const storableText = (maxLength: number) => Bounds.words(maxLength).check(Schema.isPattern(/^[^\0\p{Cs}]*$/u))
