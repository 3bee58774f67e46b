import assert from 'node:assert/strict'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { applySite } from '../../src/site/apply/apply.ts'
import { openCatalogue } from '../../src/storage/current-catalogue.ts'
import { SITE } from '../_site.ts'
import { workplace } from './_cli.ts'
import { CSV, inStorage, prepare, recordsOf, rejectsOf, row } from './_import.ts'

const NEW_SENSOR = '6f1c1f9e-7c0e-4d0e-9d7a-0c5f6c3b1aff'

/** The site with a sensor that it did not have before. */
const withSensor = (site: string): string =>
  site.replace(
    /\n    devices:\n/,
    `$&      - { id: ${NEW_SENSOR}, name: New, kind: sensor, items: [{ key: f, name: F }] }\n`,
  )

const both = (minute: number): string => row(minute, 1).replace(/;$/m, ';20')

describe('rejected rows of an import', () => {
  test('rejected rows are replayed once the site or the mapping has what was missing', async () => {
    await using place = await workplace()
    await prepare(place, {
      'a.csv': `Time;S;T\n${row(1, 1)}01.03.2024 00:02:00;2;warm\n01.03.2024 00:03:00;3;7\n`,
      'a.yaml': `${CSV}  - { column: S, sensor: ${NEW_SENSOR}, key: f }\n`,
    })
    await place.run(['import', 'a.csv', '--mapping', 'a.yaml'])
    // Station 1002 was corrected since: a replay must leave that alone.
    const time = Date.UTC(2024, 1, 29, 16, 3)
    const record = '{"strain":33,"time":"2024-03-01 00:03:00"}'
    await inStorage(place, ({ records }) =>
      records.write({ theme: { sources: [1002], times: [time], records: [record] } }),
    )

    const early = await place.json('rejects', 'replay', '--all')
    await inStorage(place, (storage) =>
      applySite(storage, { text: withSensor(SITE), fileName: 'site.yaml' }),
    )
    const later = await place.json('rejects', 'replay', '--all')
    await writeFile(
      join(place.folder, 'a.yaml'),
      `${CSV}  - { column: S, sensor: ${NEW_SENSOR}, key: f }\nmissing: [warm]\n`,
    )
    const last = await place.json('rejects', 'replay', '--all')

    assert.deepEqual(
      early.rejected.map(({ message }: { message: string }) => message),
      [
        'column "T": "warm" is not a number',
        `sensor "${NEW_SENSOR}" is not known`,
        `sensor "${NEW_SENSOR}" is not known`,
      ],
    )
    assert.equal(later.replayed, 2)
    assert.equal(last.replayed, 1)
    const raw = await inStorage(place, async (storage) => {
      const { sensors } = await openCatalogue(storage.site)()
      return sensors.get(NEW_SENSOR)!.key
    })
    assert.deepEqual(await recordsOf(place, 'raw', raw), [
      '{"f":1,"time":"2024-03-01 00:01:00"}',
      '{"f":2,"time":"2024-03-01 00:02:00"}',
      '{"f":3,"time":"2024-03-01 00:03:00"}',
    ])
    assert.equal((await recordsOf(place, 'theme', 1002)).at(-1), record)
    assert.deepEqual(await rejectsOf(place), [])
  })

  test('a rejected row stays with an error when its mapping is gone or the row was cut', async () => {
    await using place = await workplace()
    const long = `01.03.2024 00:02:00;${'1'.repeat(1_100_000)};\n`
    await prepare(place, { 'a.csv': `Time;S;T\n01.03.2024 00:01:00;x;\n${long}`, 'a.yaml': CSV })
    await place.run(['import', 'a.csv', '--mapping', 'a.yaml'])
    await rm(join(place.folder, 'a.yaml'))

    const { rejected } = await place.json('rejects', 'replay', '--all')

    assert.deepEqual(
      rejected.map(({ message }: { message: string }) => message),
      [
        `the mapping file ${join(place.folder, 'a.yaml')} cannot be read: ENOENT`,
        'only the beginning of the line was kept',
      ],
    )
  })

  for (const [name, mapping, flags] of [
    ['its mapping', `${CSV}replace: whole\n`, []],
    ['the command', CSV, ['--replace', 'whole']],
  ] as const)
    test(`a row replaces a record whole where ${name} says so, also in a replay`, async () => {
      await using place = await workplace()
      await prepare(place, {
        'old.csv': `Time;S;T\n${both(1)}${both(2)}`,
        'new.csv': `Time;S;T\n${row(1, 2)}01.03.2024 00:02:00;2x;\n`,
        'old.yaml': CSV,
        'new.yaml': mapping,
      })
      await place.run(['import', 'old.csv', '--mapping', 'old.yaml'])

      await place.run(['import', 'new.csv', '--mapping', 'new.yaml', ...flags])
      const corrected = mapping.replace('item: strain', '$&, quality: { flags: { x: good } }')
      await writeFile(join(place.folder, 'new.yaml'), corrected)
      const { replayed } = await place.json('rejects', 'replay', '--all')

      assert.equal(replayed, 1)
      assert.deepEqual(await recordsOf(place, 'theme', 1002), [
        '{"strain":2,"time":"2024-03-01 00:01:00"}',
        '{"strain":2,"time":"2024-03-01 00:02:00"}',
      ])
    })

  test('an import with --replace keys merges, whatever its mapping says', async () => {
    await using place = await workplace()
    await prepare(place, {
      'old.csv': 'Time;S;T\n01.03.2024 00:01:00;1;20\n',
      'new.csv': `Time;S;T\n${row(1, 2)}`,
      'whole.yaml': `${CSV}replace: whole\n`,
      'waveform.yaml': 'format: waveform\nchannels: [{ channel: a, station: 7 }]\n',
    })
    await place.run(['import', 'old.csv', '--mapping', 'whole.yaml'])

    await place.run(['import', 'new.csv', '--mapping', 'whole.yaml', '--replace', 'keys'])
    const wrong = await place.run(['import', 'a', '--mapping', 'whole.yaml', '--replace', 'all'])
    const idle = await place.run(['import', 'a', '--mapping', 'waveform.yaml', '--replace', 'keys'])

    assert.deepEqual(await recordsOf(place, 'theme', 1002), [
      '{"strain":2,"temperature":20,"time":"2024-03-01 00:01:00"}',
    ])
    assert.match(wrong.stderr, /--replace must be keys or whole/)
    assert.match(idle.stderr, /--replace needs a mapping of rows/)
  })

  test('a row that was rejected as a repetition is not replayed over the earlier one', async () => {
    await using place = await workplace()
    await prepare(place, {
      'a.csv': `Time;S;T\n${row(1, 1)}${row(1, 2)}`,
      'a.yaml': `${CSV}duplicates: refuse\n`,
    })
    await place.run(['import', 'a.csv', '--mapping', 'a.yaml'])

    const { rejected } = await place.json('rejects', 'replay', '--all')

    assert.equal(rejected[0].message, 'an earlier row has the same time')
    assert.deepEqual(await recordsOf(place, 'theme', 1002), [
      '{"strain":1,"time":"2024-03-01 00:01:00"}',
    ])
  })
})
