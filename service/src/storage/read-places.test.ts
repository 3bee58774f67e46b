import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { readPlaces } from './read-places.ts'

const SPAN = { kind: 'raw', source: 1, from: 0, to: 100 } as const

/** Ascending instants in pages of any size, some of them empty. */
const pages = fc
  .tuple(
    fc.uniqueArray(fc.nat(40)),
    fc.array(fc.integer({ min: 0, max: 5 }), { minLength: 1, maxLength: 10 }),
  )
  .map(([times, sizes]) => {
    const left = times.toSorted((one, other) => one - other)
    return [...sizes.map((size) => left.splice(0, size)), left]
  })

test('records and marks are joined by their instants, however their pages lie', async () => {
  await fc.assert(
    fc.asyncProperty(pages, pages, async (records, marks) => {
      const data = {
        async *readLists() {
          for (const times of records)
            yield { times, texts: times.map((time) => Buffer.from(`r${time}`)) }
        },
        async *readMarks() {
          for (const times of marks) yield { times, marks: times.map((time) => `m${time}`) }
        },
      }

      const found = (await Array.fromAsync(readPlaces(data, SPAN))).flat()

      const [ofRecords, ofMarks] = [new Set(records.flat()), new Set(marks.flat())]
      const times = [...ofRecords.union(ofMarks)].toSorted((one, other) => one - other)
      const expected = times.map((time) => ({
        time,
        record: ofRecords.has(time) ? `r${time}` : null,
        marks: ofMarks.has(time) ? `m${time}` : null,
      }))
      assert.deepEqual(found, expected)
    }),
  )
})
