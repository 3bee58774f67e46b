import { hashSecret } from '../../../service/src/domain/access/secret.ts'
import { recordKey, recordText } from '../../../service/src/domain/records/record-text.ts'
import { createApplication, type Credentials } from '../../../service/src/site/applications.ts'
import { applySite } from '../../../service/src/site/apply/apply.ts'
import { openPostgres } from '../../../service/src/storage/postgres/open.ts'
import type { Holding } from '../fill.ts'
import { series } from '../series.ts'
import { ITEM_KEYS, SITE } from '../site.ts'

const KEYS = ITEM_KEYS.map(recordKey)

/** Records that are written at once. */
const ROWS_AT_ONCE = 5_000

/** Makes the measured site in a database of PostgreSQL, with a reader, an ingest key and records. */
export async function fillPostgresStore(
  url: string,
  ingestKey: string,
  holdings: readonly Holding[] = [],
  site = SITE,
): Promise<Credentials> {
  await using storage = await openPostgres(url, { poolSize: 6, statementTimeoutSeconds: 600 })
  await applySite(storage, { text: site, fileName: 'site.yaml' })
  await storage.ingestKeys.add('bench', hashSecret(ingestKey), Date.now())
  for (const { stations, records } of holdings) {
    const own = [...series(records)].map(({ instant, values, time }) => ({
      instant,
      text: recordText(KEYS, values, time),
    }))
    for (const station of stations)
      for (let at = 0; at < own.length; at += ROWS_AT_ONCE) {
        const some = own.slice(at, at + ROWS_AT_ONCE)
        await storage.records.write({
          theme: {
            sources: some.map(() => station),
            times: some.map(({ instant }) => instant),
            records: some.map(({ text }) => text),
            areNew: true,
          },
        })
      }
  }
  return await createApplication(storage, { userId: 1, name: 'bench', scope: 'admin' })
}
