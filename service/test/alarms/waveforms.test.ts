import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import type { Storage } from '../../src/storage/storage.ts'
import { openSqlite } from '../../src/storage/sqlite/open.ts'
import { fill, workplace } from '../cli/_cli.ts'
import { SITE } from '../_site.ts'
import { Instance, listLives } from './_place.ts'
import { shareService } from '../_suite.ts'

const WAVE = 1031
const MODES = 1051

/** Waveforms are over a limit from 10 on, and a tracked frequency below 2.3 Hz. */
const JUDGED = SITE.replace(
  '  - id: 33\n',
  `  - id: 35
    name: Modes
    items: [{ id: 351, key: f1, name: First, unit: Hz, precision: 0.001 }]
  - id: 33
`,
).replace(
  '        stations: [{ id: 1031, name: A-01 }]\n',
  `        stations: [{ id: ${WAVE}, name: A-01 }]
        thresholds:
          - batchNo: 0d8a2f4e-5c39-4a54-9a53-2f0f5d1f7b21
            stations: [${WAVE}]
            clearAfter: 1
            items:
              - item: pv
                config: [{ thresholds: [{ level: 1, value: '(-,-10);(10,+)' }] }]
      - factor: 35
        stations:
          - { id: ${MODES}, name: M-01, fromWaveform: { station: ${WAVE}, peaks: [{ item: f1, low: 2, high: 3 }] } }
        thresholds:
          - batchNo: 0d8a2f4e-5c39-4a54-9a53-2f0f5d1f7b22
            stations: [${MODES}]
            clearAfter: 1
            items:
              - item: f1
                config: [{ thresholds: [{ level: 2, value: '(-,2.3)' }] }]
`,
)

const batchOf = (time: string, samples: readonly number[]) => ({
  station: WAVE,
  collectTime: `2026-03-${time}`,
  sampleFreq: 100,
  unit: 'cm/s2',
  samples,
})

const sine = (hertz: number) =>
  Array.from({ length: 6_000 }, (_, n) => Math.sin((2 * Math.PI * hertz * n) / 100))

describe('an evaluated waveform', () => {
  const suite = shareService({ site: JUDGED })

  const send = async (time: string, samples: readonly number[]) => {
    const response = await suite.service.ingest('vibration', suite.key, batchOf(time, samples))
    assert.equal(response.status, 200, response.text)
  }

  /** What the interface lists of the alarms of a station. */
  const alarmsOf = async (station: number, status: 'new' | 'history'): Promise<any[]> => {
    const response = await suite.service.post('/users/1/alarms?limit=100', suite.token, { status })
    return response
      .json<{ alarms: { alarms: any[] }[] }>()
      .alarms.flatMap(({ alarms }) => alarms)
      .filter(({ source }) => source.id === String(station))
  }

  test('raises one alarm above the limit of its peak, no second one when sent again, and clears it below', async () => {
    await send('01 12:00:00.5', [1, -12.5, 3])
    const raised = await alarmsOf(WAVE, 'new')
    await send('01 12:00:00.5', [1, -12.5, 3])
    const again = await alarmsOf(WAVE, 'new')
    await send('01 12:10:00', [1, -2, 3])

    assert.deepEqual(
      raised.map(({ level, count, state, startTime, content }) => [
        level,
        count,
        state,
        startTime,
        content,
      ]),
      [[1, 1, 0, '2026-03-01 12:00:00', 'Peak value: -12.5cm/s2, level 1 threshold (-,-10)']],
    )
    assert.deepEqual(again, raised)
    assert.deepEqual(await alarmsOf(WAVE, 'new'), [])
    const [cleared, ...others] = await alarmsOf(WAVE, 'history')
    assert.deepEqual(others, [])
    assert.deepEqual([cleared.id, cleared.state], [raised[0].id, 3])
  })

  test('with a tracked frequency above its limit raises an alarm of the tracking station', async () => {
    await send('02 12:00:00', sine(2.6))
    const calm = await alarmsOf(MODES, 'new')
    await send('02 12:10:00', sine(2.2))

    assert.deepEqual(calm, [])
    const raised = await alarmsOf(MODES, 'new')
    assert.deepEqual(
      raised.map(({ level, startTime }) => [level, startTime]),
      [[2, '2026-03-02 12:10:00']],
    )
  })

  test('that is older than the newest raises no alarm', async () => {
    await send('04 12:00:00', [1])
    const before = await listLives(suite.service.storage, WAVE)

    await send('03 12:00:00', [50])

    assert.deepEqual(await listLives(suite.service.storage, WAVE), before)
  })

  test('is evaluated after what another process has stored', async () => {
    await send('05 12:00:00', [1])
    await using other = new Instance(
      await openSqlite(suite.service.folder),
      randomInt(2 ** 40),
      Date.now,
    )
    const report = await other.ingest.vibration([batchOf('05 12:10:00', [20])])

    await send('05 12:20:00', [30])
    await send('05 12:30:00', [1])

    assert.deepEqual(report.rejected, [])
    const life = (await listLives(suite.service.storage, WAVE)).at(-1)!
    assert.deepEqual(
      [life.startTime, life.count, life.steps],
      ['2026-03-05 12:10:00', 2, [0, 1, 3]],
    )
  })

  test('that cannot be stored raises no alarm', async () => {
    const before = await listLives(suite.service.storage, WAVE)
    const { waveforms } = suite.service.storage
    // No instant: the database refuses it.
    const records = { sources: [WAVE], times: [NaN], records: ['{}'] }
    const failing: Storage = Object.assign(Object.create(suite.service.storage), {
      waveforms: {
        ...waveforms,
        write: (writes, options) =>
          waveforms.write(
            writes.map((write) => ({ ...write, records })),
            options,
          ),
      } satisfies Storage['waveforms'],
    })
    const { ingest } = new Instance(failing, randomInt(2 ** 40), Date.now)

    await assert.rejects(ingest.vibration([batchOf('06 12:00:00', [99])]))

    assert.deepEqual(await listLives(suite.service.storage, WAVE), before)
  })
})

test('an imported waveform above a limit raises one alarm without a notification', async () => {
  await using place = await workplace()
  await fill(place, () => Promise.resolve())
  await writeFile(join(place.folder, 'site.yaml'), JUDGED)
  await place.run(['site', 'apply', 'site.yaml'])
  const mapping = `format: waveform
file: CSV
sampleFreq: 100
unit: cm/s2
start: '2026-03-01 12:00:00'
csv: { columns: [a] }
channels: [{ channel: a, station: ${WAVE} }]
`
  await writeFile(join(place.folder, 'w.yaml'), mapping)
  await writeFile(join(place.folder, 'a.csv'), 'a\n1\n40\n-3\n')

  const first = await place.run(['import', 'a.csv', '--mapping', 'w.yaml'])
  const again = await place.run(['import', 'a.csv', '--mapping', 'w.yaml'])

  assert.deepEqual([first.code, again.code], [0, 0], first.stderr + again.stderr)
  await using storage = await openSqlite(join(place.folder, 'data'))
  const [life, ...others] = await listLives(storage, WAVE)
  assert.deepEqual([life?.level, life?.steps, others], [1, [0], []])
  const notices = await storage.outbox.list(9)
  assert.deepEqual(
    notices.map(({ isLate }) => isLate),
    [true],
  )
})
