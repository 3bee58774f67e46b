import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { runs } from '../../../test/_random.ts'
import { zone } from './local-time.ts'
import { LoggerClock, type LoggerClockState } from './logger-clock.ts'

/** Zones with the instant at which one of their clocks is set back; by half an hour in the last one. */
const CHANGES = [
  { name: 'Europe/Berlin', change: Date.UTC(2026, 9, 25, 1) },
  { name: 'America/New_York', change: Date.UTC(2026, 10, 1, 6) },
  { name: 'Australia/Lord_Howe', change: Date.UTC(2026, 3, 4, 15) },
] as const

const MINUTE = 60_000
const berlin = zone('Europe/Berlin')

const wallOf = (name: string, instant: number): number =>
  instant + zone(name).spanAt(instant).offset

const berlinWall = (clock: string): number => Date.parse(`2026-10-25T${clock}:00Z`)

/** The UTC clocks of rows in Berlin on the day on which 02:00 to 03:00 comes twice. */
function read(walls: readonly string[]): { utc: string[]; ambiguous: string[] } {
  const clock = new LoggerClock(berlin)
  const utc = walls.map((wall, at) => {
    clock.read(berlinWall(wall), at + 1)
    return new Date(clock.instant).toISOString().slice(11, 16)
  })
  clock.leaveHour()
  const ambiguous = clock
    .takeAmbiguous()
    .map(({ line, rows, pass, isDisordered }) => `${line} ${rows} ${pass} ${isDisordered}`)
  return { utc, ambiguous }
}

describe('the local times of consecutive rows', () => {
  test('mean the second pass of an hour from the row on at which they fall back', () => {
    assert.deepEqual(read(['01:50', '02:00', '02:50', '02:00', '02:10', '03:00']), {
      utc: ['23:50', '00:00', '00:50', '01:00', '01:10', '02:00'],
      ambiguous: [],
    })
    assert.deepEqual(read(['02:50', '02:00', '02:10']).utc, ['00:50', '01:00', '01:10'])
    assert.deepEqual(read(['00:00', '01:00', '02:00', '02:00', '03:00']), {
      utc: ['22:00', '23:00', '00:00', '01:00', '02:00'],
      ambiguous: [],
    })
  })

  test('mean the first pass, and are ambiguous, where there is only one', () => {
    assert.deepEqual(read(['01:50', '02:00', '02:30', '03:00']), {
      utc: ['23:50', '00:00', '00:30', '02:00'],
      ambiguous: ['2 2 1 false'],
    })
    assert.deepEqual(read(['02:10', '02:10', '02:20']).utc, ['00:10', '00:10', '00:20'])
    assert.deepEqual(read(['02:10']).ambiguous, ['1 1 1 false'])
  })

  test('are ambiguous where they fall back more than once, or run backwards', () => {
    assert.deepEqual(read(['02:10', '02:05', '02:50', '02:00', '03:00']).ambiguous, ['1 4 2 true'])
    assert.deepEqual(read(['03:10', '02:50', '02:40', '01:50']), {
      utc: ['02:10', '00:50', '00:40', '23:50'],
      ambiguous: ['2 2 1 true'],
    })
    assert.deepEqual(read(['02:50', '02:00', '03:00', '02:10']).ambiguous, ['4 1 1 true'])
  })

  test('are the instants of a logger that writes at any interval, wherever reading is interrupted', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...CHANGES),
        fc.integer({ min: 1, max: 30 }),
        fc.integer({ min: 2, max: 200 }),
        fc.integer({ min: 0, max: 29 }),
        fc.nat(400),
        ({ name, change }, minutes, before, shift, cut) => {
          const step = minutes * MINUTE
          const instants = Array.from(
            { length: before + 200 },
            (_, at) => change + (at - before) * step + (shift % minutes) * MINUTE,
          )
          let clock = new LoggerClock(zone(name))
          const found = instants.map((instant, at) => {
            if (at === cut) clock = new LoggerClock(zone(name), { state: stored(clock) })
            clock.read(wallOf(name, instant), at + 1)
            return clock.instant
          })

          assert.deepEqual(found, instants)
          assert.deepEqual(clock.takeAmbiguous(), [])
        },
      ),
      { numRuns: runs(200) },
    )
  })

  test('never count as an instant that does not have them', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...CHANGES),
        fc.array(fc.integer({ min: -150, max: 150 }), { maxLength: 30 }),
        ({ name, change }, minutes) => {
          const clock = new LoggerClock(zone(name))
          const { localStart } = zone(name).spanAt(change)
          for (const [at, minute] of minutes.entries()) {
            const wall = localStart + minute * MINUTE
            clock.read(wall, at + 1)
            assert.equal(wallOf(name, clock.instant), wall)
          }
        },
      ),
      { numRuns: runs(300) },
    )
  })
})

test('the pass of a single row can be given', () => {
  const clock = new LoggerClock(berlin, { firstPass: 2 })

  clock.read(berlinWall('02:10'), 1)

  assert.equal(clock.instant, Date.UTC(2026, 9, 25, 1, 10))
})

/** As it comes back from a stored position. */
const stored = (clock: LoggerClock): LoggerClockState | undefined => {
  const { state } = clock
  return state === undefined ? undefined : (JSON.parse(JSON.stringify(state)) as LoggerClockState)
}
