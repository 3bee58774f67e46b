import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { BATCH_RECORDS, gatewayBatch } from '../batches.ts'
import { fillHandWritten, type Holding } from '../fill.ts'
import type { LoadProcess } from '../load/load.ts'
import { postRequest } from '../load/requests.ts'
import type { Finding, Scenario } from '../scenario.ts'
import { makeDataFolder } from '../servers/data-folder.ts'
import { startService } from '../servers/service.ts'
import { DAY_RECORDS, STATION_COUNT, stationIds } from '../site.ts'

const RECORDS = STATION_COUNT * DAY_RECORDS

export const disk: Scenario = {
  title: 'Disk: 200 stations x one day, bytes a record',

  async run({ load }) {
    const holdings: Holding[] = [{ stations: stationIds(), records: DAY_RECORDS }]
    const asTheyCome = await sizeAsTheyCome(load)
    await using filled = await makeDataFolder(holdings)
    const handWritten = join(filled.path, 'hand-written.db')
    fillHandWritten(handWritten, holdings)
    const inOrder = await sizeOf(filled.database)
    const columns = await sizeOf(handWritten)
    return [
      {
        what: 'written minute by minute, by a table with a column an item in order',
        value: asTheyCome / columns,
      },
      { what: 'written minute by minute', value: asTheyCome / RECORDS, unit: 'bytes' },
      { what: 'written station by station', value: inOrder / RECORDS, unit: 'bytes' },
      {
        what: 'a table with a column an item, in order',
        value: columns / RECORDS,
        unit: 'bytes',
      },
    ] satisfies Finding[]
  },
}

/** As a day really comes in: every station's record of a minute, then the next minute. */
async function sizeAsTheyCome(load: LoadProcess): Promise<number> {
  await using folder = await makeDataFolder()
  const empty = await sizeOf(folder.database)
  {
    await using service = await startService(folder.path)
    const requests = Array.from({ length: RECORDS / BATCH_RECORDS }, (_, number) =>
      postRequest(
        '/ingest/v1/theme',
        folder.ingestKey,
        JSON.stringify({ records: gatewayBatch(number) }),
      ),
    )
    await load.run({ ...service, ca: folder.ca }, { connections: 1, requests })
  }
  return (await sizeOf(folder.database)) - empty
}

export const sizeOf = async (file: string): Promise<number> => (await stat(file)).size
