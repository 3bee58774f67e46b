import { Turn, type TurnOptions } from './turn.ts'

/** Visits items in their order; others have their turn after some milliseconds of work. */
export async function inSlices<Item>(
  items: readonly Item[],
  visit: (item: Item, index: number) => void,
  options?: TurnOptions,
): Promise<void> {
  const turn = new Turn(options)
  for (let at = 0; at < items.length; at++) {
    if (at > 0 && turn.isOver()) await turn.pass()
    visit(items[at]!, at)
  }
}

/** What is made of items, in their order; others have their turn after some milliseconds of work. */
export async function mapInSlices<Item, Result>(
  items: readonly Item[],
  map: (item: Item, index: number) => Result,
): Promise<Result[]> {
  const results: Result[] = []
  await inSlices(items, (item, index) => void results.push(map(item, index)))
  return results
}
