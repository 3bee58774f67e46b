import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import Sqlite from 'better-sqlite3'
import { flip, SealSite } from '../_sealed.ts'
import { IDS } from '../_site.ts'
import { rowsOf as rows } from '../storage/_place.ts'
import { sampleAlarm } from '../storage/_sample-alarm.ts'
import { fill, workplace } from './_cli.ts'
import { putWaveform } from '../_waveforms.ts'
import { storeAlarms } from '../storage/_stored-alarms.ts'

const DAY = 86_400_000

describe('doctor', () => {
  test('on undamaged data counts what was checked and exits with 0', async () => {
    await using place = await workplace()
    await fill(place, (storage) => storage.records.write({ theme: rows(2001, [0, 1_000, DAY]) }))

    const before = await place.run(['doctor'])
    await place.run(['seal'])
    const after = await place.run(['doctor'])

    assert.deepEqual(before, {
      code: 0,
      stdout:
        'Checked 0 sealed days with 0 intact records.\n' +
        'Checked 3 intact records of open days.\n',
      stderr: '',
    })
    assert.deepEqual(after, {
      code: 0,
      stdout: 'Checked 2 sealed days with 3 intact records.\n',
      stderr: '',
    })
  })

  test('names the station or sensor and the day of each damage, and ends with 1', async () => {
    await using place = await workplace()
    const folder = join(place.folder, 'data')
    await (await SealSite.open(folder))[Symbol.asyncDispose]()
    await place.run(['seal'])
    flip(folder, 'theme_sealed_parts', 'deflated', `source = 2001 and newest like '%2025-10-26%'`)
    flip(folder, 'theme_sealed_parts', 'hours', `source = 1001 and newest like '%2025-03-30%'`)
    flip(folder, 'raw_sealed_parts', 'times', `newest like '%frequency%2025-10-26%'`)

    const found = await place.run(['doctor'])

    assert.equal(found.code, 1)
    assert.equal(found.stderr, 'Found damage in 3 places. Restore the data folder from a backup.\n')
    assert.deepEqual(found.stdout.split('\n').slice(0, 3).toSorted(), [
      `Sensor ${IDS.wire} "VW-01", 2025-10-26: its header is damaged`,
      'Station 1001 "应变-01", 2025-03-30: its header is damaged',
      'Station 2001 "W-01", 2025-10-26: its compressed records are damaged',
    ])
  })

  test('groups the damaged days of a station, and --json names each', async () => {
    await using place = await workplace()
    const times = [0, 1, 2, 5].map((day) => day * DAY)
    await fill(place, (storage) => storage.records.write({ theme: rows(2001, times) }))
    await place.run(['seal'])
    for (const time of times)
      flip(join(place.folder, 'data'), 'theme_sealed_parts', 'deflated', `first = ${time}`)

    const found = await place.run(['doctor'])
    const json = await place.run(['doctor', '--json'])

    assert.equal(
      found.stdout.split('\n')[0],
      'Station 2001 "W-01", 1970-01-01 to 1970-01-03, 1970-01-06: its compressed records are damaged',
    )
    assert.equal(found.stderr, 'Found damage in 4 places. Restore the data folder from a backup.\n')
    assert.deepEqual([json.code, json.stderr], [1, found.stderr])
    const { findings, stale, checked } = JSON.parse(json.stdout)
    assert.deepEqual(
      findings.map(({ day }: { day: string }) => day),
      ['1970-01-01', '1970-01-02', '1970-01-03', '1970-01-06'],
    )
    assert.deepEqual(findings[0], {
      source: { kind: 'station', id: 2001, name: 'W-01' },
      day: '1970-01-01',
      damage: 'its compressed records are damaged',
    })
    assert.deepEqual([stale, checked.sealedDays, checked.sealedRecords], [[], 4, 0])
  })

  test('reports one damaged place for one damage', async () => {
    await using place = await workplace()
    await fill(place, (storage) => storage.records.write({ theme: rows(2001, [0]) }))
    await place.run(['seal'])
    flip(join(place.folder, 'data'), 'theme_sealed_parts', 'deflated', 'true')

    const found = await place.run(['doctor'])

    assert.equal(
      found.stdout.split('\n')[0],
      'Station 2001 "W-01", 1970-01-01: its compressed records are damaged',
    )
    assert.equal(found.stderr, 'Found damage in 1 place. Restore the data folder from a backup.\n')
  })

  test('names a stale index and stale counts of alarms, and rebuilds them', async () => {
    await using place = await workplace()
    const closed = { ...sampleAlarm(1, { state: 3 }), details: [] }
    await fill(place, (storage) => storeAlarms(storage, [closed]))
    const database = new Sqlite(join(place.folder, 'data', 'plumbline.db'))
    database.unsafeMode().exec(`pragma writable_schema = on;
      update sqlite_master set sql = replace(sql, '>= 3', '>= 4') where name = 'alarms_by_start';
      pragma writable_schema = reset; reindex alarms_by_start; pragma writable_schema = on;
      update sqlite_master set sql = replace(sql, '>= 4', '>= 3') where name = 'alarms_by_start';
      update alarm_counts set closed = 2`)
    database.close()

    const found = await place.run(['doctor'])
    const rebuilt = await place.run(['doctor', '--rebuild-indexes'])
    const after = await place.run(['doctor'])

    assert.deepEqual([found.code, rebuilt.code, after.code], [1, 0, 0], rebuilt.stderr)
    assert.deepEqual(found.stdout.split('\n').slice(0, 2), [
      'The index alarms_by_start does not agree with its table.',
      'The table alarm_counts does not agree with the table alarms.',
    ])
    assert.equal(found.stderr, 'Stop the service and run "plumbline doctor --rebuild-indexes".\n')
    assert.match(rebuilt.stdout, /^Rebuilt indexes and counts: 2\.$/m)
  })

  test('reads every waveform, and names the station and the sample from which one is damaged', async () => {
    await using place = await workplace()
    const batch = {
      sampleFreq: '100',
      unit: 'cm/s2',
      samples: Float64Array.from({ length: 600 }, (_, n) => n),
    }
    const none = { sources: [], times: [], records: [] }
    await fill(place, async (storage) => {
      for (const time of [0, 1_000, 2_000])
        await putWaveform(
          storage,
          { ...batch, station: 1031, trigger: { time, nanoseconds: 0 } },
          () => none,
        )
    })
    const sound = await place.run(['doctor'])
    const database = new Sqlite(join(place.folder, 'data', 'plumbline.db'))
    database
      .prepare(`update waveform_chunks set samples = zeroblob(1004) where id = ?`)
      .run(2 * 2 ** 21 + 1)
    database.prepare(`delete from waveform_chunks where id = ?`).run(3 * 2 ** 21 + 2)
    database.close()

    const found = await place.run(['doctor'])

    assert.match(sound.stdout, /^Checked 3 waveforms with 1,800 intact samples\.$/m)
    assert.equal(found.code, 1)
    assert.deepEqual(found.stdout.split('\n').slice(0, 2), [
      'Station 1031 "A-01", 1970-01-01: waveform 2: samples 252 and later are damaged',
      'Station 1031 "A-01", 1970-01-01: waveform 3: its last 98 samples are missing',
    ])
    assert.match(found.stdout, /^Checked 3 waveforms with 600 intact samples/m)
  })
})
