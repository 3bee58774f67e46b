import { cutWindow, FIRST_SECONDS, nextSeconds, type Window } from './windows.ts'

/** Records of one source in a window, in their order. */
export type SourceRecords<Item> = { source: number; records: readonly Item[] }

/** Reads the records of each source in a window. */
export type ReadWindow<Item> = (window: Window) => Promise<readonly SourceRecords<Item>[]>

/** Each record of a long range by its local time, read in windows; those of one source in their order. */
export async function* eachInWindows<Item extends { time: string }>(
  range: Window,
  read: ReadWindow<Item>,
  nextLength = nextSeconds,
): AsyncGenerator<Item, void, undefined> {
  const ahead = new Map<number, string>()
  let seconds = FIRST_SECONDS
  let rest: Window | undefined = range
  while (rest !== undefined) {
    const { window, next } = cutWindow(rest, seconds)
    const sources = await read(window)
    const unseen = sources.map(({ source, records }) => {
      const reached = ahead.get(source) ?? ''
      // A window that ends in an hour that clocks skip goes on after it, as far as it is late.
      const last = records.at(-1)?.time ?? ''
      if (last > window.endTime && last > reached) ahead.set(source, last)
      return records.filter(({ time }) => time > reached)
    })
    yield* byTime(unseen)
    const count = sources.reduce((sum, one) => sum + one.records.length, 0)
    seconds = nextLength(seconds, count)
    rest = next === undefined ? undefined : { startTime: next, endTime: range.endTime }
  }
}

/** Merges lists that are in order; of equal times the earlier list comes first. */
export function* byTime<Item extends { time: string }>(
  lists: readonly (readonly Item[])[],
): Generator<Item, void, undefined> {
  const heads = lists.map((list) => ({ list, at: 0 })).filter(({ list }) => list.length > 0)
  while (heads.length > 0) {
    let first = 0
    for (let place = 1; place < heads.length; place++)
      if (timeOf(heads[place]!) < timeOf(heads[first]!)) first = place
    const head = heads[first]!
    yield head.list[head.at]!
    if (++head.at === head.list.length) heads.splice(first, 1)
  }
}

const timeOf = <Item extends { time: string }>({
  list,
  at,
}: {
  list: readonly Item[]
  at: number
}) => list[at]!.time
