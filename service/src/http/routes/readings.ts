import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { addReadings, listReadings } from '@plumbline/contract'
import { parseMarks } from '../../domain/quality/qualified-values.ts'
import { showQuality } from '../../domain/quality/quality-text.ts'
import type { CatalogueStation } from '../../domain/site/catalogue.ts'
import type { Zone } from '../../domain/time/local-time.ts'
import { formatMoment } from '../../domain/time/offset-text.ts'
import type { RecordIngest } from '../../ingest/record-ingest.ts'
import type { ManualReadingStore, StoredReading } from '../../storage/storage.ts'
import type { Caller } from '../security/caller.ts'
import { checkManageWindow, toNewest } from '../requests/manage-window.ts'

type ReadingRoutesOptions = {
  ingest: Pick<RecordIngest, 'readings'>
  readings: ManualReadingStore
  horizon(): number
}

export const readingRoutes: FastifyPluginAsyncTypebox<ReadingRoutesOptions> = async (
  app,
  { ingest, readings, horizon },
) => {
  app.route({
    ...addReadings,
    handler: async ({ caller, params, body }) => {
      const station = findPermitted(caller, params.stationId)
      const { userId, userNumber } = caller
      const own = userId === null ? caller.sponsor : caller.findUser(userId).name
      const { author = own, records } = body
      return ingest.readings({ station, author, userId: userNumber }, records)
    },
  })

  app.route({
    ...listReadings,
    handler: async ({ caller, params, query }) => {
      const { limit, ...window } = query
      checkManageWindow(window)
      const { entry, structure } = findPermitted(caller, params.stationId)
      const instants = toNewest(window, structure.zone, horizon())
      const list = await readings.list({ station: entry.id, ...instants, limit })
      return { readings: list.map((reading) => describeReading(reading, structure.zone)) }
    },
  })
}

function findPermitted(caller: Caller, id: number): CatalogueStation {
  const station = caller.findStation(id)
  caller.permit(station.entry.structure, `station ${id}`)
  return station
}

function describeReading(reading: StoredReading, zone: Zone) {
  const { time, record, quality, undoneAt, author, userId, note, enteredAt, change } = reading
  const { time: _wholeSecond, ...values } = JSON.parse(record) as { time: string }
  return {
    time: formatMoment(time, zone),
    values,
    author,
    userId,
    note,
    ...(quality === null ? {} : { quality: describeQuality(quality) }),
    enteredAt,
    change,
    undone: undoneAt !== null,
  }
}

const describeQuality = (marks: string): Record<string, string> => {
  const shown = Object.entries(parseMarks(marks)).map(([key, mark]) => [key, showQuality(mark)])
  return Object.fromEntries(shown)
}
