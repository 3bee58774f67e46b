import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { runs } from '../../../test/_random.ts'
import { Line } from '../../encodings/csv/line.ts'
import { zone } from '../../domain/time/local-time.ts'
import { readMapping } from './mapping.ts'
import { readRow, type PlacedBatch } from './read-rows.ts'
import { emptyBatch, type RowBatch } from './records.ts'
import { CSV, HEADER, readAll, SENSOR, shown, TOA5 } from './_read.ts'

describe('a single line', () => {
  const MIXED = `format: mixedArray\narrayId: 60\ntime: { year: 2, dayOfYear: 3, hourMinute: 4 }\ncolumns: [{ column: 5, sensor: ${SENSOR}, key: x }]\n`
  const wild = fc.constantFrom('1', '2.5', 'NAN', 'x', '', '"', '1,2', '60')
  const FORMS = [
    {
      mapping: `skipLines: 3\nheaderRow: 2\n${CSV}`,
      head: ['about', 'Time;b;a', 'units'],
      row: (at: number, text: string) => `2026-01-01 00:${pad(at)}:00;${text};7`,
      heads: [] as string[][],
    },
    {
      mapping: TOA5,
      head: HEADER.trimEnd().split('\r\n'),
      row: (at: number, text: string) => `"2026-01-01 00:${pad(at)}:00",${at},${text},7`,
      heads: [
        HEADER.replace('"Strain","Temp"', '"Temp","Strain"').trimEnd().split('\r\n'),
        HEADER.replace('"Temp"', '"Other"').trimEnd().split('\r\n'),
      ],
    },
    {
      mapping: MIXED,
      head: [] as string[],
      row: (at: number, text: string) => `60,2026,1,${pad(at)},${text}`,
      heads: [] as string[][],
    },
  ]

  test('is read below its header as in its file, with the same reasons', async () => {
    const part = fc.record({ texts: fc.array(wild, { maxLength: 6 }), head: fc.nat(2) })
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...FORMS),
        fc.array(part, { minLength: 1, maxLength: 4 }),
        fc.integer({ min: 1, max: 9 }),
        async ({ mapping, head, row, heads }, parts, batchRecords) => {
          let minute = 0
          const lines = [...head]
          for (const { texts, head } of parts) {
            lines.push(...texts.map((text) => row(minute++, text)), ...(heads[head] ?? []))
          }
          const batches = await readAll(lines.join('\n'), mapping, { batchRecords })

          const alone = batches.flatMap(({ rawLines, rejected, headers }) => {
            const all = new Set([...rawLines, ...rejected.map(({ line }) => line)])
            return [...all].map((line) => {
              const header = headers.findLast(({ from }) => from <= line.number)?.text
              const read = { mapping: readMapping(mapping, 'm.yaml'), zoneOf: () => zone('UTC') }
              return { line, batch: tryRow(line.text, header, read) }
            })
          })

          assert.deepEqual(
            alone.flatMap(({ batch }) => shown([batch as PlacedBatch])).toSorted(),
            shown(batches).toSorted(),
          )
          assert.deepEqual(
            alone
              .flatMap(({ line, batch }) =>
                batch.rejected.map(({ reason }) => [line.number, reason]),
              )
              .map(String)
              .toSorted(),
            batches
              .flatMap(({ rejected }) =>
                rejected.map(({ line, reason }) => [line.number, anyLine(reason)]),
              )
              .map(String)
              .toSorted(),
          )
        },
      ),
      { numRuns: runs(300) },
    )
  })
})

/** A later header that does not fit is refused before its rows are read. */
function tryRow(...args: Parameters<typeof readRow>): RowBatch {
  try {
    return readRow(...args)
  } catch (error) {
    const reason = `it follows a header that does not fit: ${(error as Error).message}`
    return { ...emptyBatch(), rejected: [{ line: Line.of('', 0), reason: anyLine(reason) }] }
  }
}

const pad = (number: number): string => String(number).padStart(2, '0')

/** A header that is read again does not know which line it was. */
const anyLine = (reason: string): string => reason.replace(/line \d+/, 'line n')
