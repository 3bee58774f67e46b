import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { runs } from '../../../test/_random.ts'
import { parseInstant, zone } from './local-time.ts'
import { RefusedError } from '../../errors/refused-error.ts'

const NAMES = [
  'Europe/Berlin',
  'Asia/Shanghai',
  'America/Los_Angeles',
  'Australia/Lord_Howe',
  'Pacific/Apia',
  'Asia/Kathmandu',
  'America/Sao_Paulo',
  'Africa/Monrovia',
  'Europe/Dublin',
  'UTC',
  '-03:30',
]
const FROM = Date.UTC(1900, 0, 1)
const TO = Date.UTC(2101, 0, 1)

/** Every change of offset of a zone from 1900 to 2100, as Temporal knows it. */
function transitions(name: string): number[] {
  const found: number[] = []
  let at = new Temporal.ZonedDateTime(BigInt(FROM) * 1_000_000n, name)
  for (;;) {
    const next = at.getTimeZoneTransition('next')
    if (next === null || next.epochMilliseconds > TO) return found
    found.push(next.epochMilliseconds)
    at = next
  }
}

/** Instants of 1900 to 2100, every other one within a day of a change of offset. */
function instants(name: string): fc.Arbitrary<number> {
  const anywhere = fc.integer({ min: FROM, max: TO })
  const changes = transitions(name)
  if (changes.length === 0) return anywhere
  const near = fc
    .tuple(fc.constantFrom(...changes), fc.integer({ min: -90_000_000, max: 90_000_000 }))
    .map(([change, distance]) => change + distance)
  return fc.oneof(anywhere, near)
}

function temporalLocal(instant: number, name: string): string {
  const second = BigInt(Math.floor(instant / 1000)) * 1_000_000_000n
  const plain = new Temporal.ZonedDateTime(second, name).toPlainDateTime()
  return plain.toString({ smallestUnit: 'second' }).replace('T', ' ')
}

function temporalInstant(local: string, name: string): number {
  const plain = Temporal.PlainDateTime.from(local.replace(' ', 'T'))
  return plain.toZonedDateTime(name, { disambiguation: 'compatible' }).epochMilliseconds
}

describe('a zone', () => {
  for (const name of NAMES) {
    test(`${name} writes local times as Temporal does`, () => {
      const property = fc.property(instants(name), (instant) => {
        assert.equal(zone(name).toLocal(instant), temporalLocal(instant, name))
      })
      fc.assert(property, { numRuns: runs(2000) })
    })

    test(`${name} reads local times as Temporal does, odd hours included`, () => {
      const property = fc.property(instants(name), (wall) => {
        const local = temporalLocal(wall, 'UTC')
        assert.equal(zone(name).toInstant(local), temporalInstant(local, name))
        const around = temporalLocal(wall, name)
        assert.equal(zone(name).toInstant(around), temporalInstant(around, name))
      })
      fc.assert(property, { numRuns: runs(2000) })
    })
  }

  test('means the earlier instant in the hour that happens twice', () => {
    const berlin = zone('Europe/Berlin')

    assert.equal(berlin.toInstant('2025-10-26 02:30:00'), Date.UTC(2025, 9, 26, 0, 30))
    assert.equal(berlin.toLocal(Date.UTC(2025, 9, 26, 1, 30)), '2025-10-26 02:30:00')
  })

  test('means the time after the gap in the hour that does not exist', () => {
    const instant = zone('Europe/Berlin').toInstant('2025-03-30 02:30:00')!

    assert.equal(zone('Europe/Berlin').toLocal(instant), '2025-03-30 03:30:00')
  })

  test('means the day after in the day that Samoa skipped', () => {
    const apia = zone('Pacific/Apia')

    assert.equal(apia.toLocal(apia.toInstant('2011-12-30 12:00:00')!), '2011-12-31 12:00:00')
  })

  test('keeps the seconds of historic offsets', () => {
    assert.equal(zone('Asia/Shanghai').toLocal(Date.UTC(1900, 0, 1)), '1900-01-01 08:05:43')
  })

  test('cuts milliseconds down, before 1970 too', () => {
    assert.equal(zone('UTC').toLocal(1999), '1970-01-01 00:00:01')
    assert.equal(zone('UTC').toLocal(-1), '1969-12-31 23:59:59')
  })

  test('reads the first and the last second of its years', () => {
    for (const local of ['0001-01-01 00:00:00', '9999-12-31 23:59:59']) {
      assert.equal(zone('Asia/Shanghai').toLocal(zone('Asia/Shanghai').toInstant(local)!), local)
    }
  })

  test('does not read a text that is no real date and clock', () => {
    const bad = [
      '',
      '2025-02-29 00:00:00',
      '1900-02-29 00:00:00',
      '2026-04-31 00:00:00',
      '2026-00-10 00:00:00',
      '2026-13-10 00:00:00',
      '2026-01-00 00:00:00',
      '0000-01-01 00:00:00',
      '2026-01-01 24:00:00',
      '2026-01-01 00:60:00',
      '2026-01-01 00:00:60',
      '2026-01-01T00:00:00',
      '2026-01-01 00:00',
      '2026-01-01 00:00:00 ',
      ' 2026-01-01 00:00:00',
      '2026-01-01 00:00:0x',
      '2026-01-01 00-00-00',
      '2026/01/01 00:00:00',
      '２０２６-01-01 00:00:00',
      '+2026-01-01 00:00:0',
    ]
    for (const text of bad) assert.equal(zone('UTC').toInstant(text), undefined, text)
    assert.equal(zone('UTC').toInstant('2000-02-29 23:59:59'), Date.UTC(2000, 1, 29, 23, 59, 59))
  })

  test('knows the leap day that closes four centuries', () => {
    assert.equal(zone('UTC').toLocal(Date.UTC(2000, 1, 29)), '2000-02-29 00:00:00')
  })

  test('reads nothing but a time out of any text', () => {
    const digits = fc.string({ unit: fc.constantFrom(...'0123456789-: T.Z+'), maxLength: 30 })
    const property = fc.property(fc.oneof(fc.string(), digits), (text) => {
      const instant = zone('UTC').toInstant(text)
      if (instant !== undefined) assert.equal(zone('UTC').toLocal(instant), text)
    })
    fc.assert(property, { numRuns: runs(5000) })
  })

  test('is the same object whenever it is asked for, in any case', () => {
    const berlin = zone('Europe/Berlin')
    assert.equal(zone('Europe/Berlin'), berlin)
    assert.equal(zone('europe/berlin'), berlin)
    assert.equal(zone('europe/berlin').name, 'Europe/Berlin')
  })

  test('with an unknown name is refused by that name', () => {
    for (const name of ['Europe/Nowhere', '', '2026-01-01T00:00[UTC]']) {
      assert.throws(
        () => zone(name),
        (error) =>
          error instanceof RefusedError &&
          error.reason === 'invalid' &&
          error.message.startsWith(`unknown time zone ${JSON.stringify(name)}`),
      )
    }
  })

  test("does not depend on the host's zone", () => {
    const hostZone = process.env['TZ']
    try {
      for (const TZ of ['America/Los_Angeles', 'Asia/Shanghai']) {
        process.env['TZ'] = TZ
        const berlin = zone('Europe/Berlin')
        assert.equal(berlin.toLocal(0), '1970-01-01 01:00:00')
        assert.equal(parseInstant('2025-07-01T12:30', berlin), Date.UTC(2025, 6, 1, 10, 30))
      }
    } finally {
      if (hostZone === undefined) delete process.env['TZ']
      else process.env['TZ'] = hostZone
    }
  })
})

describe('an instant as a source writes it', () => {
  const shanghai = zone('Asia/Shanghai')
  const midnight = Date.UTC(2025, 11, 31, 16)

  test('may be local, with an offset, in UTC or epoch milliseconds', () => {
    const same: unknown[] = [
      '2026-01-01 00:00:00',
      '2026-01-01T00:00:00',
      '2026-01-01T00:00',
      '2026-01-01 00:00',
      '2026-01-01T00:00:00+08:00',
      '2026-01-01 00:00:00+0800',
      '2026-01-01T00:00+08:00',
      '2025-12-31T16:00:00Z',
      '2025-12-31T16:00Z',
      '2025-12-31T11:30:00-04:30',
      midnight,
    ]
    for (const value of same) assert.equal(parseInstant(value, shanghai), midnight, String(value))
  })

  test('has its fraction cut to milliseconds', () => {
    assert.equal(parseInstant('2026-01-01T00:00:00.123+08:00', shanghai), midnight + 123)
    assert.equal(parseInstant('2026-01-01 00:00:00.1', shanghai), midnight + 100)
    assert.equal(parseInstant('2025-12-31T16:00:00.123999999Z', shanghai), midnight + 123)
    assert.equal(parseInstant('1969-12-31T23:59:59.9999Z', shanghai), -1)
  })

  test('that is anything else is not read', () => {
    const bad: unknown[] = [
      '2026-01-01',
      '2026-01-01T00:00:00.',
      '2026-01-01T00:00:00,5Z',
      '2026-01-01T00:00.5Z',
      '2026-01-01T00:00:00 Z',
      '2026-01-01T00:00:00Zx',
      '2026-01-01T00:00:00+8',
      '2026-01-01T00:00:00+08',
      '2026-01-01T00:00:00+24:00',
      '2026-01-01T00:00:00+08:60',
      '2026-01-01T00:00:00+08:00Z',
      '2026-02-30T00:00:00Z',
      '2026-01-01T00:00:60Z',
      '0001-01-01T00:00:00+23:59',
      '9999-12-31T23:59:59Z',
      Date.UTC(9999, 11, 31, 23),
      -8.64e15,
      8.64e15,
      -62_135_597_000_000_000,
      1.5,
      NaN,
      Infinity,
      2 ** 53,
      '1767196800000',
      null,
      undefined,
      new Date(0),
      [],
      {},
      true,
    ]
    for (const value of bad) assert.equal(parseInstant(value, shanghai), undefined, String(value))
    assert.equal(parseInstant(2 ** 53 - 1, zone('Europe/Berlin')), undefined)
  })

  test('that Temporal writes with an offset is read back, and can be written locally', () => {
    const property = fc.property(
      fc.integer({ min: Date.UTC(1, 0, 2), max: Date.UTC(9999, 11, 30) }),
      fc.constantFrom('+08:00', '-03:30', '+14:00', 'UTC'),
      (instant, offset) => {
        const text = Temporal.Instant.fromEpochMilliseconds(instant).toString({ timeZone: offset })
        assert.equal(parseInstant(text, shanghai), instant)
        assert.equal(parseInstant(instant, shanghai), instant)
      },
    )
    fc.assert(property)
  })
})
