/** A text as all engines store it: PostgreSQL stores no NUL, so `␀` stands for one. */
export const storedText = (text: string): string =>
  text.includes('\0') ? text.replaceAll('\0', '\u2400') : text

/** Values of which texts are stored in that form; the same ones where none has a NUL. */
export function storedValues(values: readonly unknown[]): readonly unknown[] {
  return values.some(hasNul)
    ? values.map((value) => (typeof value === 'string' ? storedText(value) : value))
    : values
}

const hasNul = (value: unknown): boolean => typeof value === 'string' && value.includes('\0')
