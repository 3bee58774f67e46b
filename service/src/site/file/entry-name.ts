import type { SiteEntryKind } from '../../domain/site/site-entry.ts'

/** The name of an entry in problems and differences: `structure type 3`. */
export function nameOf(kind: SiteEntryKind, id: number | string): string {
  return `${kind.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)} ${id}`
}
