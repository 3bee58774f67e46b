import type { Mapping } from './mapping.ts'

/** What a cell says: a number, no value, or undefined for a text that is no number. */
export function readCell(
  text: string,
  { missing, decimalComma }: Pick<Mapping, 'missing' | 'decimalComma'>,
): number | null | undefined {
  const value = readNumber(text, decimalComma)
  if (value !== undefined)
    return missing.numbers.size > 0 && missing.numbers.has(value) ? null : value
  const trimmed = text.trim()
  return trimmed === '' || missing.texts.has(trimmed.toUpperCase()) ? null : undefined
}

/** A finite decimal number; with a decimal comma a point would be ambiguous and is none. */
export function readNumber(text: string, decimalComma: boolean): number | undefined {
  if (decimalComma) {
    if (text.includes('.')) return undefined
    return readNumber(text.replace(',', '.'), false)
  }
  const value = Number(text)
  if (value === 0 ? !text.includes('0') : !Number.isFinite(value)) return undefined
  return FOREIGN.test(text) ? undefined : value
}

/** Forms that only programs write: `0x1F`, `0b1`, `0o7`. */
const FOREIGN = /^\s*0[box]/i
