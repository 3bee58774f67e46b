import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import Sqlite from 'better-sqlite3'
import fc from 'fast-check'
import { runs } from '../_random.ts'
import { replay } from '../../src/domain/alarms/_alarm-model.ts'
import { readRecords } from '../storage/_place.ts'
import {
  INSTANCES,
  newClock,
  RANGE,
  servedOf,
  takeTurns,
  ticks,
  turns,
  type History,
} from './_history.ts'
import { toLife } from './_model-life.ts'
import { listAlarms, newPlace, siteWith, STATIONS, type Instance, type Place } from './_place.ts'

test(`alarms of random histories with bad and uncertain values, values out of range, merged records, confirmations, clock jumps, early records, ${INSTANCES} instances and restarts equal those of the reference model`, async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.tuple(turns, turns, turns),
      fc.record({
        clearAfter: fc.integer({ min: 1, max: 3 }),
        clearAfterMinutes: fc.constantFrom(0, 0, 1, 4),
        needsPerson: fc.boolean(),
      }),
      ticks,
      async (stations, batch, ticks) => {
        const settings = Object.entries(batch)
          .map(([key, value]) => `${key}: ${value}`)
          .join('\n            ')
        const clock = newClock()
        await using place = await newPlace(siteWith(settings, RANGE), () => clock.now)
        const expect = ({ arrivals }: History) => {
          return expected(arrivals, { ...batch, severity: 'lowestFirst' })
        }

        const possible = await takeTurns(place, { stations, clock, ticks }, (history, alarms) => {
          return isDeepStrictEqual(
            { alarms: alarms.map(shown), confirmations: history.confirmations },
            expect(history),
          )
        })

        await using reader = await place.open()
        for (const [at, histories] of possible.entries()) {
          const alarms = (await listAlarms(reader.storage, STATIONS[at]!)).map(shown)
          const values = await readValues(reader, STATIONS[at]!)
          const outcomes = histories.map((history) => {
            return {
              found: {
                alarms,
                confirmations: history.confirmations,
                served: servedOf(history).map(([time]) => [time, values.get(time)]),
              },
              wanted: { ...expect(history), served: servedOf(history) },
            }
          })
          const { found, wanted } =
            outcomes.find((one) => isDeepStrictEqual(one.found, one.wanted)) ?? outcomes[0]!
          assert.deepEqual(found, wanted)
        }
        assertToldOnce(place)
      },
    ),
    { numRuns: runs(30) },
  )
})

async function readValues({ storage }: Instance, station: number) {
  const records = await readRecords(storage, { source: station })
  return new Map(records.map(({ time, v }) => [Date.parse(`${String(time)}Z`), v]))
}

/** The model's alarms as they are listed, and its responses. */
function expected(...history: Parameters<typeof replay>) {
  const { alarms, confirmations } = replay(...history)
  return { alarms: alarms.map(toLife), confirmations }
}

type Found = Awaited<ReturnType<typeof listAlarms>>[number]

/** All but the number of an alarm, which other stations have a say in. */
function shown({ level, content, count, state, startTime, endTime, steps }: Found) {
  return { level, content, count, state, startTime, endTime, steps }
}

/** Each step has its notice, and the watch of each source is about its newest alarm. */
function assertToldOnce(place: Place): void {
  const database = new Sqlite(join(place.folder, 'plumbline.db'), { readonly: true })
  try {
    const query = (sql: string): unknown => database.prepare(sql).raw().all()
    assert.deepEqual(
      query(`select alarm_id, step from outbox order by alarm_id, step`),
      query(`select alarm_id, step from alarm_details order by alarm_id, step`),
    )
    assert.deepEqual(
      query(`select alarm_id from alarm_states order by alarm_id`),
      query(`select max(id) as id from alarms group by source_id, type_code order by id`),
    )
  } finally {
    database.close()
  }
}
