import assert from 'node:assert/strict'
import { test } from 'node:test'
import { listLives, newPlace, siteWith } from './_place.ts'

const EPOCH = Date.UTC(2026, 0, 1)

/** Sends one record at a time, each by an instance that was started for it. */
async function statesAfter(
  batch: string,
  records: readonly (readonly [hours: number, v: number])[],
) {
  await using place = await newPlace(siteWith(batch), () => EPOCH + 1000 * 3_600_000)
  const states: number[][] = []
  for (const [hours, v] of records) {
    await using instance = await place.open()
    const time = EPOCH + hours * 3_600_000
    const report = await instance.ingest.theme([{ station: 1, time, values: { v } }])
    assert.deepEqual(report.rejected, [])
    states.push((await listLives(instance.storage, 1)).flatMap(({ steps }) => steps))
  }
  return states
}

test('an on-delay of records continues after a restart, however far apart the records are', async () => {
  const records = [
    [0, 20],
    [1, 0],
    [300, 20],
    [301, 20],
  ] as const

  assert.deepEqual(await statesAfter('raiseAfter: { records: 3, of: 4 }', records), [
    [],
    [],
    [],
    [0],
  ])
})

test('an on-delay of minutes continues after a restart, however far apart the records are', async () => {
  const records = [
    [0, 20],
    [0.1, 20],
    [0.4, 20],
    [0.5, 20],
    [200, 0],
    [400, 20],
    [700, 20],
  ] as const

  assert.deepEqual(
    await statesAfter('raiseAfter: { minutes: 30 }\n            clearAfter: 1', records),
    [[], [], [], [0], [0, 3], [0, 3], [0, 3, 0]],
  )
})
