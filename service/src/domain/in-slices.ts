import { setImmediate } from 'node:timers/promises'

/** So many items are visited before others have their turn: some milliseconds of work. */
const ITEMS_AT_ONCE = 1_000

/** Visits items in their order; after every thousand of them others have their turn. */
export async function inSlices<Item>(
  items: readonly Item[],
  visit: (item: Item, index: number) => void,
): Promise<void> {
  for (let at = 0; at < items.length; at++) {
    if (at > 0 && at % ITEMS_AT_ONCE === 0) await setImmediate()
    visit(items[at]!, at)
  }
}

/** What is made of items, in their order; after every thousand of them others have their turn. */
export async function mapInSlices<Item, Result>(
  items: readonly Item[],
  map: (item: Item, index: number) => Result,
): Promise<Result[]> {
  const results: Result[] = []
  await inSlices(items, (item, index) => void results.push(map(item, index)))
  return results
}
