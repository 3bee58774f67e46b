import assert from 'node:assert/strict'
import { test } from 'node:test'
import { minutes, rowsOf, type NewPlace } from './_place.ts'
import { sampleAlarm } from './_sample-alarm.ts'
import { storeAlarms } from './_stored-alarms.ts'

export function overviewFacts(newPlace: NewPlace): void {
  test('the usual interval of a source comes from its newest records up to the horizon', async () => {
    await using place = await newPlace()
    const storage = await place.open()
    const [first = 0] = minutes(1)
    const theme = rowsOf(1, [...minutes(20), first + 86_400_000])
    await storage.records.write({ theme })
    await storage.records.write({ theme: rowsOf(2, minutes(2)) })

    const found = await storage.records.findUsualIntervals('theme', [2, 1, 3], first + 3_600_000)

    assert.deepEqual(found, [undefined, 60_000, undefined])
  })

  test('open alarms are listed with their structure, source, type and level', async () => {
    await using place = await newPlace()
    const storage = await place.open()
    await storeAlarms(storage, [
      { ...sampleAlarm(1, { structure: 7, level: 1, state: 2 }), details: [] },
      { ...sampleAlarm(2, { state: 3 }), details: [] },
    ])

    assert.deepEqual(await storage.alarms.listOpenLevels(), [
      { structure: 7, source: 'source 1', typeCode: '3007', level: 1 },
    ])
  })
}
