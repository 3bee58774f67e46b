import type {
  Alarm,
  Delivery,
  QualifiedRecords,
  Rejects,
  StationsData,
  ThemeRecord,
  TrafficRecord,
} from '@plumbline/contract'
import { eachAfter, eachAtOffset } from './each-in-pages.ts'
import { eachInWindows } from './each-in-windows.ts'
import type { CallOptions } from './options.ts'
import type { OperationsClient } from './clients.ts'
import { withTimes, type TemporalTime } from './times.ts'

export type StationRecord = {
  stationId: number
  stationName: string
  time: string
  values: StationsData['theme']['stations'][number]['data'][number]['values']
}

export type StructureAlarm = Alarm & { structureId: number; structureName: string }

export type QualifiedRecord = QualifiedRecords['records'][number]

export type Reject = Rejects['rejects'][number]

type Time = string | TemporalTime
type Range = { startTime: Time; endTime: Time }
type Input<Name extends keyof OperationsClient> = NonNullable<Parameters<OperationsClient[Name]>[0]>
type Each<Item> = AsyncGenerator<Item, void, undefined>

/** Methods that read long lists and ranges part by part, in as many calls as it takes. */
export type Iterations = {
  /** The theme records of stations in a range, by time. */
  eachThemeRecord(
    input: { stations: readonly number[] } & Range,
    options?: CallOptions,
  ): Each<StationRecord>
  /** The vehicles of a structure in a range, by time. */
  eachTrafficRecord(input: Input<'getTrafficFlow'>, options?: CallOptions): Each<TrafficRecord>
  /** The alarms of a user, by default those that began first. */
  eachAlarm(
    input: Omit<Input<'listAlarms'>, 'limit' | 'offset'> & { pageSize?: number },
    options?: CallOptions,
  ): Each<StructureAlarm>
  /** The records of a station in a range with instants and qualities, oldest first. */
  eachStationRecord(
    input: { stationId: number } & Range,
    options?: CallOptions,
  ): Each<QualifiedRecord>
  /** The raw records of a sensor in a range with instants and qualities, oldest first. */
  eachSensorRecord(
    input: { sensorId: string } & Range,
    options?: CallOptions,
  ): Each<QualifiedRecord>
  /** Deliveries of notifications, newest first. */
  eachDelivery(
    input?: Omit<Input<'listDeliveries'>, 'before' | 'limit'>,
    options?: CallOptions,
  ): Each<Delivery>
  /** Rejects, newest first. */
  eachReject(
    input?: Omit<Input<'listRejects'>, 'before' | 'limit'>,
    options?: CallOptions,
  ): Each<Reject>
}

const RECORDS = 10_000
const ENTRIES = 1000
const ALARMS = 500

/** Makes the methods of a client that call its other methods. */
export function createIterations(
  client: OperationsClient,
  { timeZone }: { timeZone: string | undefined },
): Iterations {
  const rangeOf = (range: Range) =>
    withTimes(range, { timeZone, isIngest: false }) as { startTime: string; endTime: string }

  return {
    eachThemeRecord: ({ stations, startTime, endTime }, options) =>
      eachInWindows(rangeOf({ startTime, endTime }), async (window) => {
        const response = await client.getThemeData({ stations, ...window }, options)
        return response.stations.map(({ id, name, data }) => ({
          source: id,
          records: data.map((record) => toStationRecord(id, name, record)),
        }))
      }),

    eachTrafficRecord: ({ startTime, endTime, ...filter }, options) =>
      eachInWindows(rangeOf({ startTime, endTime }), async (window) => {
        const { data } = await client.getTrafficFlow({ ...filter, ...window }, options)
        return [{ source: filter.structureId, records: data }]
      }),

    eachAlarm: ({ pageSize = ALARMS, ...filter }, options) => {
      const limit = Math.max(2, pageSize)
      return eachAtOffset(limit, async (offset) => {
        const page = { orderBy: 'startTime', ...filter, limit, offset } as const
        const { alarms } = await client.listAlarms(page, options)
        return alarms.flatMap(({ structureId, structureName, alarms }) =>
          alarms.map((alarm) => ({ ...alarm, structureId, structureName })),
        )
      })
    },

    eachStationRecord: ({ stationId, ...range }, options) =>
      eachAfter<QualifiedRecord>(RECORDS, async (last) => {
        const input = { stationId, ...rangeOf(range), after: last?.time, limit: RECORDS }
        return (await client.listStationRecords(input, options)).records
      }),

    eachSensorRecord: ({ sensorId, ...range }, options) =>
      eachAfter<QualifiedRecord>(RECORDS, async (last) => {
        const input = { sensorId, ...rangeOf(range), after: last?.time, limit: RECORDS }
        return (await client.listSensorRecords(input, options)).records
      }),

    eachDelivery: (filter, options) =>
      eachAfter<Delivery>(ENTRIES, async (last) => {
        const input = { ...filter, before: last?.id, limit: ENTRIES }
        return (await client.listDeliveries(input, options)).deliveries
      }),

    eachReject: (filter, options) =>
      eachAfter<Reject>(ENTRIES, async (last) => {
        const input = { ...filter, before: last?.id, limit: ENTRIES }
        return (await client.listRejects(input, options)).rejects
      }),
  }
}

function toStationRecord(id: number, name: string, record: ThemeRecord): StationRecord {
  const { time, ...values } = record
  return {
    stationId: id,
    stationName: name,
    time: time as string,
    values: values as Record<string, number>,
  }
}
