import type { ValuePath } from '../../schemas/value-path.ts'

/** Reports texts and numbers of YAML that cannot be stored. */
export function checkStorable(
  value: unknown,
  report: (path: ValuePath, message: string) => void,
  path: ValuePath = [],
): void {
  if (typeof value === 'number' && !Number.isFinite(value)) {
    report(path, `expected a finite number, found ${value}`)
  }
  if (typeof value === 'string' && !isStorable(value)) {
    report(path, 'the text contains a NUL character or half of a surrogate pair')
  }
  if (typeof value !== 'object' || value === null) return
  const entries = Array.isArray(value) ? value.entries() : Object.entries(value)
  for (const [key, inner] of entries) {
    if (typeof key === 'string' && !isStorable(key)) {
      report(path, 'a key contains a NUL character or half of a surrogate pair')
    }
    checkStorable(inner, report, [...path, key])
  }
}

function isStorable(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed()
}
