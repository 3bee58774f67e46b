import type { SiteEntryKind } from '../../domain/site/site-entry.ts'

/** `structure type 3`, as problems and differences name an entry. */
export function nameOf(kind: SiteEntryKind, id: number | string): string {
  return `${kind.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)} ${id}`
}
