/** Returns the query of a request as it came, with its `?`. The target of a request may be no URL, such as `//`. */
export const queryOf = ({ url }: { readonly url: string }): string => /\?.*/u.exec(url)?.[0] ?? ""
