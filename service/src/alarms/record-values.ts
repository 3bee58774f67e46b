import type { Values } from '../domain/alarms/judge.ts'
import type { CatalogueStation } from '../domain/catalogue.ts'
import { valuesOf } from '../domain/record-values.ts'
import type { DataStore, RecordSpan } from '../storage/storage.ts'

/** Stored records, oldest first, with their values in the order of the factor's items. */
export async function* readRecordValues(
  data: Pick<DataStore, 'readLists'>,
  span: RecordSpan,
  { itemIndex }: Pick<CatalogueStation, 'itemIndex'>,
): AsyncGenerator<{ time: number; values: Values }> {
  for await (const { times, texts } of data.readLists(span))
    for (const [at, text] of texts.entries())
      yield { time: times[at]!, values: valuesOf(Buffer.from(text).toString(), itemIndex) }
}
