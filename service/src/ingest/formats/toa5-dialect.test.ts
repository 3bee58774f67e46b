import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { HEADER, readAll, rejectedIn, shown, TOA5 } from './_read.ts'

describe('TOA5', () => {
  test('is read by its header; NAN and INF mean no value', async () => {
    const batches = await readAll(
      `${HEADER}"2026-01-31 13:45:00.05",1,-.5,"NAN"\r\n"2026-01-31 13:46:00",2,"INF",1E-3\r\n`,
      TOA5,
    )

    assert.deepEqual(shown(batches), [
      '2026-01-31T13:45:00.050Z x=-0.5',
      '2026-01-31T13:46:00.000Z y=0.001',
    ])
    assert.deepEqual(rejectedIn(batches), [])
  })

  test('another header applies to the rows below it', async () => {
    const other = HEADER.replace('"Strain","Temp"', '"Temp","New","Strain"')

    const batches = await readAll(
      `${HEADER}"2026-01-31 13:45:00",9,1,2\r\n${other}"2026-01-31 13:46:00",0,1,2,3\r\n`,
      TOA5,
    )

    assert.deepEqual(shown(batches), [
      '2026-01-31T13:45:00.000Z x=1 y=2',
      '2026-01-31T13:46:00.000Z x=3 y=1',
    ])
  })

  test('rows below a header without a column are rejected until one has it', async () => {
    const other = HEADER.replace('"Temp"', '"Temp_Avg"')

    const batches = await readAll(
      `${other.replace('"Temp_Avg"', '"Temp"')}${other}"2026-01-31 13:46:00",0,1,2\r\n${HEADER}"2026-01-31 13:47:00",0,1,2\r\n`,
      TOA5,
    )

    assert.deepEqual(rejectedIn(batches), [
      '9: it follows a header that does not fit: line 6: the header has no column "Temp"; it has TIMESTAMP, RECORD, Strain, Temp_Avg',
    ])
    assert.equal(shown(batches).length, 1)
    await assert.rejects(readAll(other, TOA5), /line 2: the header has no column "Temp"/)
  })

  test('another file of a logger is refused with its format', async () => {
    await assert.rejects(readAll('"TOB1","S"\n', TOA5), /line 1: .*this is a TOB1 file/)
    await assert.rejects(readAll('Time;a\n', TOA5), /line 1: a TOA5 file begins with "TOA5"/)
  })
})
