import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { RefusedError } from '../../errors/refused-error.ts'
import { readFileQuery } from './read-query.ts'

const readChannels = (channels: string) => readFileQuery({ format: 'auto', channels }).channels

const name = fc
  .string({ minLength: 1, maxLength: 12 })
  .filter((text) => text === text.trim() && !text.includes('\\'))

describe('channels in a query', () => {
  test('are read with any name', () => {
    const pairs = fc.array(fc.tuple(name, fc.nat()), { minLength: 1, maxLength: 6 })
    fc.assert(
      fc.property(pairs, (list) => {
        const text = list.map(([of, id]) => `${of.replaceAll(',', '\\,')}:${id}`).join(', ')

        assert.deepEqual(
          readChannels(text),
          list.map(([channel, station]) => ({ channel, station })),
        )
      }),
    )
  })

  test('of any other text are refused, or are valid', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        try {
          for (const { channel, station } of readChannels(text))
            assert.ok(channel !== '' && typeof station === 'number')
        } catch (error) {
          assert.ok(error instanceof RefusedError, String(error))
        }
      }),
    )
  })
})

test('a format is read in upper and lower case', () => {
  const query = { station: '7', format: 'mINIseed' }

  assert.deepEqual(readFileQuery(query).format, 'miniSEED')
  assert.deepEqual(readFileQuery(query).only, { station: 7 })
  assert.equal(readFileQuery({ ...query, format: 'AUTO' }).format, undefined)
})

test('texts describe a CSV file', () => {
  const query = { station: '7', format: 'csv', timeColumn: '1', timeKind: 'seconds' }

  assert.deepEqual(readFileQuery({ ...query, delimiter: 'tab', headerRow: '0' }).options.csv, {
    delimiter: '\t',
    headerRow: 0,
    time: { column: 1, kind: 'seconds' },
  })
  for (const wrong of [{ timeKind: 'days' }, { headerRow: '-1' }, { headerRow: '1.5' }])
    assert.throws(() => readFileQuery({ ...query, ...wrong }), RefusedError)
})
