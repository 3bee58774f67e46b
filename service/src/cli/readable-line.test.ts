import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { pino } from 'pino'
import { runs } from '../../test/_random.ts'
import { readableLine } from './readable-line.ts'

const TIME = Date.parse('2026-03-01T08:00:00.123Z')

const logged = (write: (log: ReturnType<typeof pino>) => void): string => {
  let text = ''
  const options = { level: 'debug', timestamp: () => `,"time":${TIME}` }
  write(pino(options, { write: (line) => void (text = line) }))
  return readableLine(text)
}

describe('a line of the log for people', () => {
  test('has time, level, sentence and members', () => {
    assert.equal(
      logged((log) => log.warn({ origin: 'http raw', rejected: 2 }, 'records were rejected')),
      '2026-03-01 08:00:00Z warn  records were rejected (origin: "http raw", rejected: 2)\n',
    )
    assert.equal(
      logged((log) => log.info('The service is ready.')),
      '2026-03-01 08:00:00Z info  The service is ready.\n',
    )
  })

  test('has the stack of its error below it', () => {
    const text = logged((log) => log.error({ err: new Error('no number') }, 'a request failed'))

    const [first, second, third] = text.split('\n')
    assert.equal(first, '2026-03-01 08:00:00Z error a request failed')
    assert.equal(second, '    Error: no number')
    assert.match(third ?? '', /^ {4}at /)
  })

  test('is one line without characters that steer a terminal, whatever a sender chose', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary' }),
        fc.jsonValue({ stringUnit: 'binary' }),
        (sentence, value) => {
          const text = logged((log) => log.info({ value }, sentence))

          assert.ok(text.endsWith('\n'))
          assert.doesNotMatch(text.slice(0, -1), /[\p{Cc}\p{Cf}\p{Cs}]/u)
        },
      ),
      { numRuns: runs(200) },
    )
  })

  test('stays as it is where it is none of the log', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
        const isLog = /"(level|time)"/.test(text)
        if (!isLog) assert.equal(readableLine(text), text)
      }),
      { numRuns: runs(1_000) },
    )
    for (const line of ['Listening\n', '{"level":30,"time":1e300,"msg":"x"}\n', '{"level":30}\n'])
      assert.equal(readableLine(line), line)
  })
})
