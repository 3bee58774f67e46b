type Item = { key: string; name: string; unit: string }

/** The items of responses as JSON. */
export class ItemTexts {
  /** Most calls ask for stations of one factor, again and again. */
  readonly #known = new WeakMap<readonly Item[], string>()

  /** One entry a key, of the first that has it; a list of pairs, since keys are data. */
  of(lists: readonly (readonly Item[])[]): string {
    const [only, ...others] = new Set(lists)
    if (only === undefined || others.length > 0) return itemEntries(lists.flat())
    const text = this.#known.get(only) ?? itemEntries(only)
    this.#known.set(only, text)
    return text
  }
}

function itemEntries(items: readonly Item[]): string {
  const texts = new Map<string, string>()
  for (const { key, name, unit } of items)
    if (!texts.has(key)) texts.set(key, `${JSON.stringify(key)}:${JSON.stringify({ name, unit })}`)
  return `{${[...texts.values()].join(',')}}`
}

/** The start of an object that goes on with its records. */
export const opening = (id: number | string, name: string): string =>
  `{"id":${JSON.stringify(id)},"name":${JSON.stringify(name)},"data":[`

/** Sources with their records, in as few pieces as can be. */
export async function* writeSources<Source, Records>(
  { start, end }: { start: string; end: string },
  sources: readonly Source[],
  open: (source: Source) => string,
  read: (source: Source) => AsyncIterable<Records>,
): AsyncGenerator<string | Records> {
  let text = start
  for (const [index, source] of sources.entries()) {
    text += (index === 0 ? '' : ',') + open(source)
    let comma = ''
    for await (const records of read(source)) {
      yield text + comma
      yield records
      text = ''
      comma = ','
    }
    text += ']}'
  }
  yield text + end
}
