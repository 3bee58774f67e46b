/** Each item of pages that continue after the last one, until a page is not full. */
export async function* eachAfter<Item>(
  limit: number,
  read: (last: Item | undefined) => Promise<readonly Item[]>,
): AsyncGenerator<Item, void, undefined> {
  let last: Item | undefined
  for (;;) {
    const page = await read(last)
    yield* page
    last = page.at(-1)
    if (last === undefined || page.length < limit) return
  }
}

/**
 * Each item of pages by offset over a list that changes meanwhile. None comes twice.
 *
 * A page begins with the last item of the one before. Where it holds none that is known, the list
 * has become shorter, and reading goes back: an item that stays in a list of unchanging order comes.
 */
export async function* eachAtOffset<Item extends { id: number }>(
  limit: number,
  read: (offset: number) => Promise<readonly Item[]>,
): AsyncGenerator<Item, void, undefined> {
  const known = new Set<number>()
  let offset = 0
  for (;;) {
    const page = await read(offset)
    if (offset > 0 && !page.some(({ id }) => known.has(id))) {
      offset = Math.max(0, offset - limit)
      continue
    }
    for (const item of page) {
      if (known.has(item.id)) continue
      known.add(item.id)
      yield item
    }
    if (page.length < limit) return
    offset += page.length - 1
  }
}
