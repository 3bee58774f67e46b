import { Client } from 'pg'
import type { Holding } from './fill.ts'
import { series } from './series.ts'
import { ITEM_KEYS } from './site.ts'

/** Makes the table that people write by hand, a row a record and a column an item, and fills it. */
export async function fillHandWrittenPostgres(
  url: string,
  holdings: readonly Holding[],
): Promise<void> {
  const client = new Client(url)
  await client.connect()
  try {
    await client.query(`create table records (
      station integer, time timestamptz, ${ITEM_KEYS.map((key) => `${key} double precision`).join(', ')},
      primary key (station, time))`)
    await fillSeries(client, Math.max(...holdings.map(({ records }) => records)))
    for (const { stations, records } of holdings)
      await client.query(
        `insert into records select station, time, ${ITEM_KEYS.join(', ')}
         from unnest($1::integer[]) as station cross join series
         where minute <= $2 order by station, time`,
        [stations, records],
      )
    await client.query('vacuum analyze records')
  } finally {
    await client.end()
  }
}

/** One station's records, of which the others are copies. */
async function fillSeries(client: Client, count: number): Promise<void> {
  const records = [...series(count)]
  const arrays = ITEM_KEYS.map((_, at) => `$${at + 2}::double precision[]`)
  await client.query(
    `create temp table series as select 0::bigint as minute, time, ${ITEM_KEYS.join(', ')} from records`,
  )
  await client.query(
    `insert into series (time, ${ITEM_KEYS.join(', ')}, minute)
     select * from unnest($1::timestamptz[], ${arrays.join(', ')}) with ordinality`,
    [
      records.map(({ instant }) => new Date(instant).toISOString()),
      ...ITEM_KEYS.map((_, at) => records.map(({ values }) => values[at])),
    ],
  )
}
