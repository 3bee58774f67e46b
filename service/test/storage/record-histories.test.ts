import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { openSqlite } from '../../src/storage/sqlite/open.ts'
import { runs } from '../_random.ts'
import { EVER, newPlace } from './_place.ts'
import { findDamage, RecordComparison, type Of } from './_record-comparison.ts'
import { edge, recordChanges, recordSteps } from './_record-steps.ts'
import { alterRow, type Damage } from './_alter-row.ts'

const RUNS = runs(200, 12)

const openPlace = () =>
  newPlace((folder) => openSqlite(folder, { synchronous: 'OFF', openDayBytes: 2 ** 16 }))

const damages = fc.record<Damage>({
  table: fc.nat(11),
  row: fc.nat(),
  bit: fc.option(fc.record({ column: fc.nat(11), place: fc.nat(999) })),
})
const windows = fc.array(fc.record({ from: edge, to: edge }), { minLength: 2, maxLength: 4 })

describe('records that two storages write, remove, seal, open, delete and undo', () => {
  test('are read as a plain map does, and no checksum reports false damage', async () => {
    await using place = await openPlace()
    const comparison = await RecordComparison.open(place)

    await fc.assert(
      fc.asyncProperty(recordSteps, (steps) => comparison.comparison(steps)),
      { numRuns: RUNS },
    )
  })

  test('are never read otherwise when a row is lost or a bit flips, and doctor finds what fails', async () => {
    await using place = await openPlace()
    const comparison = await RecordComparison.open(place)
    const of: Of = { kind: 'theme', source: 0 }

    await fc.assert(
      fc.asyncProperty(recordChanges, damages, windows, async (changes, damage, edges) => {
        await comparison.comparison(changes)
        await using copy = await openPlace()
        comparison.copyTo(copy.folder)
        const what = alterRow(copy.folder, damage)
        fc.pre(what !== undefined)
        await using storage = await copy.open()

        let failed: string | undefined
        for (const window of [EVER, ...edges.map((edge) => comparison.window(of, edge))])
          for (const ask of comparison.requests(storage, of, window)) {
            const asked: string = `${what}: ${ask.what} ${JSON.stringify(window)}`
            const response = await ask.ask().catch((error: Error) => error)
            if (typeof response === 'string')
              assert.ok(response === ask.expected, `${asked}: ${response}`)
            else {
              assert.equal(response.name, 'DamageError', `${asked}: ${response.stack}`)
              failed = asked
            }
          }
        if (failed !== undefined) assert.ok((await findDamage(storage)).length > 0, failed)
      }),
      { numRuns: Math.ceil(RUNS / 4) },
    )
  })
})
