type ResponseItem = { key: string; name: string; unit: string }

/** Writes the member `items` of responses. */
export class ItemTexts {
  /** The texts of single lists: most requests name stations of one factor. */
  readonly #texts = new WeakMap<readonly ResponseItem[], string>()

  /** The items of all lists as a JSON object by key; the first item of a key counts. */
  write(lists: readonly (readonly ResponseItem[])[]): string {
    const [only, ...others] = new Set(lists)
    if (only === undefined || others.length > 0) return itemEntries(lists.flat())
    const text = this.#texts.get(only) ?? itemEntries(only)
    this.#texts.set(only, text)
    return text
  }
}

function itemEntries(items: readonly ResponseItem[]): string {
  // Text and not an object, since a key may be `__proto__`.
  const texts = new Map<string, string>()
  for (const { key, name, unit } of items)
    if (!texts.has(key)) texts.set(key, `${JSON.stringify(key)}:${JSON.stringify({ name, unit })}`)
  return `{${[...texts.values()].join(',')}}`
}

/** The text of a source up to its records. */
export const opening = (id: number | string, name: string): string =>
  `{"id":${JSON.stringify(id)},"name":${JSON.stringify(name)},"data":[`

/** Writes sources with their records, the text between two lists of records as one chunk. */
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
