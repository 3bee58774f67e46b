/** What the service says of a new password, behind what could not be done. */
const OF_PASSWORD = /^[^:]+: ((?:A password has|The password (?:contains|is a|is one)) .+)$/s

/** The sentence of a refusal that is about the new password; undefined for other errors and without one. */
export const passwordRefusal = (error: unknown): string | undefined =>
  error instanceof Error ? OF_PASSWORD.exec(error.message)?.[1] : undefined
