import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Line } from '../../encodings/csv/line.ts'
import { addDoubled, addRejected, describeReport, emptyReport } from './import-report.ts'

const rejectedLine = (number: number, reason: string) => ({
  line: Line.of('', number),
  reason,
})

test('rejected rows are counted by reason, with the first lines and one example', () => {
  const report = { ...emptyReport(), rows: 1200, values: 2400, stored: 1190, replaced: 2 }
  const lines = Array.from({ length: 7 }, (_, index) => index + 2)
  addRejected(
    report,
    lines.map((line) => rejectedLine(line, `column "a": "x${line}" is not a number`)),
  )
  const both = rejectedLine(20, 'column "a": "y" is not a number; column "b": "z" is not a number')
  addRejected(report, [both])
  addDoubled(report, [30])

  assert.deepEqual(describeReport(report, false), [
    '1,200 rows read, 2,400 values in them; 1,190 records were stored, 2 of them where one was stored.',
    '1 row has the same time as an earlier row: line 30.',
    '8 rows rejected, in whole or in part:',
    '  8 x column "a": "x2" is not a number (lines 2, 3, 4, 5, 6, …)',
    '  1 x column "b": "z" is not a number (line 20)',
  ])
})

test('reasons beyond a limit are counted together', () => {
  const report = emptyReport()

  for (let line = 1; line <= 1000; line++)
    addRejected(report, [rejectedLine(line, `reason ${line}`)])

  assert.ok(report.rejected.groups.size <= 51)
  assert.equal(report.rejected.rows, 1000)
  assert.match(describeReport(report, false).at(-1)!, /^ {2}950 x other reasons \(lines 51, /)
})
