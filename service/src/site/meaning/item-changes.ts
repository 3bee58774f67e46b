import type { ItemSource, StoredItem } from './item-sources.ts'
import type { Renames } from './renames.ts'

/** What becomes of one item of a source. */
export type ItemChange = Readonly<{
  from: StoredItem
  /** The item after the change; undefined: it is removed. */
  to: StoredItem | undefined
  /** Whether a `--rename` names the new key; false for a removed item. */
  isNamed: boolean
  /** Of a removed item the keys that are new, of which one may be its new key. */
  newKeys: readonly string[]
}>

export type ItemChanges = Readonly<{
  changed: readonly ItemChange[]
  /** The items that were not there before. */
  added: readonly StoredItem[]
}>

/**
 * Finds the items of a source that have another key or unit, or are gone.
 *
 * An item is the same one if it has the same id; without one, or without another item of its id, if it
 * has the same key. A `--rename` makes a new item the same as a removed one.
 */
export function findItemChanges(
  { owner, before, after }: Pick<ItemSource, 'owner' | 'before' | 'after'>,
  renames: Renames,
): ItemChanges {
  const left = new Set(after)
  const take = (item: StoredItem | undefined): StoredItem | undefined => {
    if (item === undefined || !left.delete(item)) return undefined
    return item
  }
  const found = new Map<StoredItem, StoredItem>()
  const pair = (find: (from: StoredItem) => StoredItem | undefined): void => {
    for (const from of before) {
      if (found.has(from)) continue
      const to = take(find(from))
      if (to !== undefined) found.set(from, to)
    }
  }
  pair(({ id }) => after.find((to) => id !== undefined && to.id === id))
  pair(({ key }) => after.find((to) => to.key === key))
  pair(({ key }) => left.values().find((to) => renames.names(owner, key, to.key)))

  const newKeys = Array.from(left, ({ key }) => key)
  const changed = before.flatMap((from): ItemChange[] => {
    const to = found.get(from)
    if (to === undefined) return [{ from, to, isNamed: false, newKeys }]
    if (to.key === from.key)
      return to.unit === from.unit ? [] : [{ from, to, isNamed: true, newKeys: [] }]
    return [{ from, to, isNamed: renames.names(owner, from.key, to.key), newKeys: [] }]
  })
  return { changed, added: Array.from(left) }
}
