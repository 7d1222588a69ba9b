import { Bounds } from "@souffleur/domain"
import { Schema } from "effect"

/** A text that Postgres takes, of `maxLength` UTF-16 units at most: without the character U+0000. */
export const storableText = (maxLength: number) => Bounds.words(maxLength).check(Schema.isPattern(/^[^\0]*$/u))
