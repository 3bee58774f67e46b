import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { column, readAll, rejectedIn, shown } from './_read.ts'

describe('mixed arrays', () => {
  const MIXED = `format: mixedArray
arrayId: 10
time: { year: 2, dayOfYear: 3, hourMinute: 4, second: 5 }
columns:
${column(6, 'x')}`

  test('records of one array are read; 2400 is the midnight that ends the day', async () => {
    const batches = await readAll(
      '10,2024,60,930,15.5,.25\n11,1,2\n10,2024,366,2400,0,-6\n10,2024,367,0,0,1\n10,2024,1,1260,0,1\nx,1\n10,2024\n',
      MIXED,
    )

    assert.deepEqual(shown(batches), [
      '2024-02-29T09:30:15.500Z x=0.25',
      '2025-01-01T00:00:00.000Z x=-6',
    ])
    assert.deepEqual(rejectedIn(batches), [
      '4: its time 2024, 367, 0, 0 is no year, day of the year and hour with minute',
      '5: its time 2024, 1, 1260, 0 is no year, day of the year and hour with minute',
      '6: its first column is no array id',
      '7: the row has 2 columns, expected at least 6',
    ])
  })
})
