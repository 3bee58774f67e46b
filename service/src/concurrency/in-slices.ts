import { Turn, type TurnOptions } from './turn.ts'

/** Visits items in order; other work runs after some milliseconds. */
export async function inSlices<Item>(
  items: readonly Item[],
  visit: (item: Item, index: number) => void,
  options?: TurnOptions,
): Promise<void> {
  const turn = new Turn(options)
  let index = 0
  for (const item of items) {
    if (index > 0 && turn.isOver()) await turn.pass()
    visit(item, index++)
  }
}

/** Maps items in order; other work runs after some milliseconds. */
export async function mapInSlices<Item, Result>(
  items: readonly Item[],
  map: (item: Item, index: number) => Result,
): Promise<Result[]> {
  const results: Result[] = []
  await inSlices(items, (item, index) => void results.push(map(item, index)))
  return results
}
