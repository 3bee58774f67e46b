/** The value of a JSON text; undefined for any other text, and without one. */
export function parseText(text: string | undefined): unknown {
  if (text === undefined) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
