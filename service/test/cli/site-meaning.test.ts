import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { workplace, type Workplace } from './_cli.ts'
import {
  abortsAfter,
  apply,
  daily,
  GAUGE,
  OTHER_GAUGE,
  PIT,
  recordsOf,
  storePit,
  textAt,
  START,
} from './_meaning.ts'

const changed = (from: string | RegExp, to: string, text = PIT): string => {
  assert.notEqual(text.replace(from, to), text, String(from))
  return text.replace(from, to)
}

const IN_METRES = changed('unit: mm, precision: 0.01', 'unit: m, precision: 0.00001').replace(
  '(30,+)',
  '(0.03,+)',
)
const RENAMED = PIT.replace('key: settling', 'key: settlement').replace(
  'item: settling',
  'item: settlement',
)

async function pit(): Promise<Workplace> {
  const place = await workplace()
  await storePit(place)
  return place
}

/** The records of station 11: the first one is a correction. */
const recordsWith = (key: string, valueOf: (settling: number) => number): string[] =>
  daily(11, 10, (day) =>
    day === 0 ? { [key]: valueOf(0.5) } : { [key]: valueOf(day * 10), temp: 4 },
  ).records

const inMillimetres = recordsWith('settling', (value) => value)

describe('a file that changes the unit of stored records', () => {
  test('is refused with their number, in a dry run too, and nothing is changed', async () => {
    await using place = await pit()

    const refused = await apply(place, IN_METRES)
    const dry = await apply(place, IN_METRES, ['--dry-run'])

    for (const { code, stdout, stderr } of [refused, dry]) {
      assert.deepEqual([code, stdout], [1, ''])
      assert.equal(
        stderr,
        'The unit of item settling of factor 15 changes from "mm" to "m", and 30 stored records of 3 stations hold it: add --relabel if their numbers are in "m" already, or --convert to convert them from "mm".\n',
      )
    }
    assert.match((await apply(place, PIT)).stdout, /^nothing to change$/m)
    assert.deepEqual(await recordsOf(place, 'theme', 11), inMillimetres)
  })

  test('keeps the numbers with --relabel', async () => {
    await using place = await pit()

    const { code, stdout } = await apply(place, IN_METRES, ['--relabel'])

    assert.equal(code, 0)
    assert.match(
      stdout,
      /^! item settling of factor 15: 30 stored records of 3 stations keep their numbers, which count as "m" instead of "mm"$/m,
    )
    assert.doesNotMatch(stdout, /undo/)
    assert.deepEqual(await recordsOf(place, 'theme', 11), inMillimetres)
  })

  test('converts open, sealed and corrected records with --convert, and undo restores them', async () => {
    await using place = await pit()

    const dry = await apply(place, IN_METRES, ['--convert', '--dry-run'])
    const applied = await place.json('site', 'apply', 'site.yaml', '--convert')
    const converted = await recordsOf(place, 'theme', 11)
    const again = await apply(place, IN_METRES, ['--convert'])
    const list = await place.json('changes')
    const undone = await place.run(['undo', String(applied.change)])

    assert.match(
      dry.stdout,
      /! item settling of factor 15: 30 stored records of 3 stations are converted from "mm" to "m"\n/,
    )
    assert.match(dry.stdout, /note: stop the service first/)
    assert.deepEqual(
      converted,
      recordsWith('settling', (value) => value / 1000),
    )
    assert.equal(again.stdout, 'nothing to change\n')
    assert.deepEqual(kindsAndCounts(list), [['rewrite', 30]])
    assert.equal(undone.code, 0, undone.stderr)
    assert.match(undone.stdout, /The site is as it was\..*--relabel/)
    assert.deepEqual(await recordsOf(place, 'theme', 11), inMillimetres)
    assert.equal((await apply(place, PIT, ['--relabel'])).code, 0)
  })

  test('is not converted to a unit of another kind', async () => {
    await using place = await pit()
    const inVolts = changed('unit: mm, precision', 'unit: V, precision')

    const without = await apply(place, inVolts)
    const converted = await apply(place, inVolts, ['--convert'])

    const mismatch = '"mm" does not convert to "V": one is a unit of length, the other of voltage'
    assert.ok(
      without.stderr.includes(`they cannot be converted, since ${mismatch}.`),
      without.stderr,
    )
    assert.ok(converted.stderr.includes(`which cannot be converted: ${mismatch}. Apply`))
  })

  test('is applied without a flag where only the spelling is another one, or no record has it', async () => {
    await using place = await pit()

    const spelling = await apply(place, changed("unit: '°C'", 'unit: Deg C'))
    await using empty = await workplace()
    await apply(empty, PIT)
    const unused = await apply(empty, IN_METRES)

    assert.deepEqual([spelling.code, unused.code], [0, 0])
  })

  test('names limits that keep their numbers when records are converted', async () => {
    await using place = await pit()

    const { stdout } = await apply(place, changed('unit: mm, precision', 'unit: m, precision'), [
      '--convert',
      '--dry-run',
    ])

    assert.match(
      stdout,
      /^! threshold batch 0d8a2f4e-\S+ keeps its numbers for "settling", which count in "m" from now on$/m,
    )
  })

  test('is not converted beside limits of structures that are in another file', async () => {
    await using place = await pit()
    const [head = ''] = IN_METRES.split('structures:\n')

    const { code, stderr } = await apply(place, head, ['--convert'])

    assert.equal(code, 1)
    assert.equal(
      stderr,
      'Structure 1, which is not in this file, has thresholds or conversions of "settling" in "mm": put it into the file with those in "m".\n',
    )
  })

  test('takes either --relabel or --convert', async () => {
    await using place = await pit()

    const { code, stderr } = await apply(place, IN_METRES, ['--relabel', '--convert'])

    assert.equal(code, 2)
    assert.match(stderr, /^Use either --relabel or --convert/)
  })
})

describe('a file that changes the key of stored records', () => {
  test('is refused with their number, and --rename stores them under the new key', async () => {
    await using place = await pit()

    const refused = await apply(place, RENAMED)
    const wrong = await apply(place, RENAMED, ['--rename', '16.settling=settlement'])
    const renamed = await apply(place, RENAMED, ['--rename', 'settling=settlement'])

    for (const { code, stderr } of [refused, wrong]) {
      assert.equal(code, 1)
      assert.equal(
        stderr,
        'The item settling of factor 15 gets the key "settlement", and 30 stored records of 3 stations hold "settling", which clients would not find: add --rename settling=settlement, or give the item an id of its own if it is another quantity.\n',
      )
    }
    assert.equal(renamed.code, 0, renamed.stderr)
    assert.deepEqual(
      await recordsOf(place, 'theme', 11),
      recordsWith('settlement', (value) => value),
    )
  })

  test('converts the records as well where the unit changes too', async () => {
    await using place = await pit()
    const both = RENAMED.replace('unit: mm', 'unit: m')

    const refused = await apply(place, both)
    const { code } = await apply(place, both, ['--rename', '15.settling=settlement', '--convert'])

    assert.match(refused.stderr, /^The item settling .*\nThe unit of item settling .*\n$/)
    assert.equal(code, 0)
    assert.deepEqual(
      await recordsOf(place, 'theme', 11),
      recordsWith('settlement', (value) => value / 1000),
    )
  })

  test('exchanges two keys', async () => {
    await using place = await pit()
    const swapped = PIT.replace('id: 151, key: settling', 'id: 151, key: temp').replace(
      'id: 152, key: temp',
      'id: 152, key: settling',
    )

    const { code, stderr } = await apply(place, swapped, [
      '--rename',
      'settling=temp',
      '--rename',
      'temp=settling',
    ])

    assert.equal(code, 0, stderr)
    const [first, second] = await recordsOf(place, 'theme', 11)
    assert.equal(first, textAt(START, { temp: 0.5 }))
    assert.equal(second, textAt(START + 86_400_000, { temp: 10, settling: 4 }))
  })

  test('renames raw values of all devices, or of one', async () => {
    await using place = await pit()
    const voltage = PIT.replaceAll('key: reading', 'key: voltage')
    const one = PIT.replace('key: reading', 'key: voltage')

    const refused = await apply(place, voltage)
    const other = await apply(place, one, ['--rename', `${OTHER_GAUGE}.reading=voltage`])
    const renamed = await apply(place, one, ['--rename', `${GAUGE.toUpperCase()}.reading=voltage`])

    assert.match(
      refused.stderr,
      /^The raw value reading of 2 devices is gone where "voltage" is new, and 3 stored records of 1 device hold "reading", which clients would not find: add --rename reading=voltage, or apply the file once without the new key\.\n$/,
    )
    assert.equal(other.code, 1)
    assert.equal(renamed.code, 0, renamed.stderr)
    assert.deepEqual(
      await recordsOf(place, 'raw', GAUGE),
      daily(1, 3, (day) => ({ voltage: day })).records,
    )
  })

  test('is refused where records hold both keys', async () => {
    await using place = await pit()
    const without = changed(/\n +- \{ id: 152.*/, '')
    const onto = without
      .replace('key: settling', 'key: temp')
      .replace('item: settling', 'item: temp')
    await apply(place, without)

    const { code, stderr } = await apply(place, onto, ['--rename', 'settling=temp'])

    assert.equal(code, 1)
    assert.equal(
      stderr,
      'The item settling of factor 15 cannot get the key "temp": 27 of its records hold a value of this key already.\n',
    )
  })

  test('is applied with a line where an item is only removed, or comes back', async () => {
    await using place = await pit()
    const without = changed(/\n +- \{ id: 152.*/, '')

    const removed = await apply(place, without)
    const back = await apply(place, changed("unit: '°C'", 'unit: K'))

    assert.match(
      removed.stdout,
      /^! item temp of factor 15 is removed; 27 stored records of 3 stations hold it, and clients do not find it any more$/m,
    )
    assert.match(
      back.stdout,
      /^! item temp of factor 15 is new, and 27 stored records of 3 stations hold its key already; clients get them in "K"$/m,
    )
  })

  test('notes a --rename that names nothing', async () => {
    await using place = await pit()

    const { stdout } = await apply(place, PIT, ['--rename', 'a=b'])

    assert.match(stdout, /^note: --rename a=b names no item that changes its key$/m)
  })
})

describe('while records are rewritten', () => {
  test('no service may run', async () => {
    await using place = await pit()
    const service = await place.serve(['--port', '0'])

    const beside = await apply(place, IN_METRES, ['--convert'])
    const relabelled = await apply(place, IN_METRES, ['--relabel'])
    await service.stop()

    assert.equal(beside.code, 1)
    assert.match(beside.stderr, /^Stored records are rewritten while nothing else uses the data/)
    assert.equal(relabelled.code, 0)
  })

  test('an interruption keeps everything else out until the same command ends it', async () => {
    await using place = await pit()

    const stopped = await apply(place, IN_METRES, ['--convert'], { signal: abortsAfter(1) })
    const serve = await place.runProcess(['serve', '--port', '0'])
    const others = await Promise.all([
      place.run([
        'records',
        'delete',
        '--station',
        '11',
        '--from',
        '2026-01-01',
        '--to',
        '2026-02-01',
      ]),
      apply(place, PIT),
    ])
    const ended = await apply(place, IN_METRES, ['--convert'])

    assert.match(stopped.stderr, /Stopped: some records are rewritten.*"plumbline undo 1"/)
    for (const { code, stderr } of [serve, ...others]) {
      assert.equal(code, 1)
      assert.match(
        stderr,
        /Change 1, factor 15: settling in mm to settling in m \(\w{8}\), is not finished/,
      )
    }
    assert.equal(ended.code, 0, ended.stderr)
    for (const station of [11, 12, 21])
      assert.deepEqual(
        await recordsOf(place, 'theme', station),
        recordsWith('settling', (value) => value / 1000),
      )
  })

  test('an interrupted rewriting can be undone, and then nothing has changed', async () => {
    await using place = await pit()

    await apply(place, IN_METRES, ['--convert'], { signal: abortsAfter(2) })
    const undone = await place.run(['undo', '1'])
    const again = await apply(place, PIT)

    assert.equal(undone.code, 0, undone.stderr)
    assert.equal(again.stdout, 'nothing to change\n')
    for (const station of [11, 12, 21])
      assert.deepEqual(await recordsOf(place, 'theme', station), inMillimetres)
  })
})

const kindsAndCounts = (list: { kind: string; records: number }[]) =>
  list.map(({ kind, records }) => [kind, records])

test('what a change has kept in another unit is named, and restored only after the rewriting', async () => {
  await using place = await pit()
  const span = ['--from', '2026-01-11', '--to', '2026-01-11']
  await place.run(['records', 'delete', '--station', '11', ...span, '--yes'])

  const relabelled = await apply(place, IN_METRES, ['--relabel', '--dry-run'])
  const converted = await apply(place, IN_METRES, ['--convert'])
  const refused = await place.run(['undo', '1'])
  const undone = [await place.run(['undo', '2']), await place.run(['undo', '1'])]

  for (const { stdout } of [relabelled, converted])
    assert.match(
      stdout,
      /^! change 1 can restore records of item settling of factor 15 as they were before: undo first what is to be undone$/m,
    )
  assert.equal(refused.code, 1)
  assert.match(
    refused.stderr,
    /^Change 1 has records from before change 2 \(factor 15: settling in mm to settling in m \(\w{8}\)\), which gave records other units or keys\. Undo change 2 first\.\n$/,
  )
  assert.deepEqual(
    undone.map(({ code }) => code),
    [0, 0],
  )
  assert.deepEqual(await recordsOf(place, 'theme', 11), inMillimetres)
})
