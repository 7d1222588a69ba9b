import type { StateWord } from "@souffleur/domain"
import { type Html, html } from "../Html.ts"

/** A sign beside each word, so that no colour alone tells two states apart. */
const signs: Readonly<Record<StateWord, string>> = {
  "needs you": "!",
  recovering: "↻",
  working: "▸",
  ended: "■"
}

/** Returns the word of a state with its sign. */
export const stateBadge = (state: StateWord): Html =>
  html`<span class="badge" data-state="${state}"
    ><span class="sign" aria-hidden="true">${signs[state]}</span>${state}</span
  >`
