import { stateSigns, type StateWord } from "@souffleur/domain"
import { type Html, html } from "../Html.ts"

/** Returns the word of a state with its sign. */
export const stateBadge = (state: StateWord): Html =>
  html`<span class="badge" data-state="${state}"
    ><span class="sign" aria-hidden="true">${stateSigns[state]}</span>${state}</span
  >`
