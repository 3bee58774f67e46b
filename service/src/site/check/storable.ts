import type { ValuePath } from '../../schemas/value-path.ts'

/** Reports texts and numbers that YAML can write and no store can keep. */
export function checkStorable(
  value: unknown,
  report: (path: ValuePath, message: string) => void,
  path: ValuePath = [],
): void {
  if (typeof value === 'number' && !Number.isFinite(value)) {
    report(path, `expected a number that is finite, found ${value}`)
  }
  if (typeof value === 'string' && !isStorable(value)) {
    report(path, 'the text has a zero character or half of a character in it')
  }
  if (typeof value !== 'object' || value === null) return
  const entries = Array.isArray(value) ? value.entries() : Object.entries(value)
  for (const [key, inner] of entries) {
    if (typeof key === 'string' && !isStorable(key)) {
      report(path, 'a key has a zero character or half of a character in it')
    }
    checkStorable(inner, report, [...path, key])
  }
}

function isStorable(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed()
}
