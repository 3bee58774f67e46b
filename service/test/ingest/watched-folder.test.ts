import assert from 'node:assert/strict'
import { appendFile, copyFile, mkdir, rename, rm, utimes, writeFile } from 'node:fs/promises'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, test } from 'node:test'
import { FolderWatch } from '../../src/ingest/files/folder-watch.ts'
import { afterCalls } from '../_after-calls.ts'
import { startChild } from '../_child.ts'
import { IDS } from '../_site.ts'
import { HEADER, MAPPING, row, watched } from './_watched.ts'

const toa5Head = (names: string): string => `"TOA5","a"\n"TIMESTAMP",${names}\n"",""\n"",""\n`
const toa5Row = (minute: number, rest: string): string => `"2024-03-01 00:0${minute}:00",${rest}\n`

const name = (length: number): string => `${length}-CR1000x_PWS_002_IPconnect_Met.dat`

describe('a watched folder', () => {
  test('a file is read on as it grows, a half-written line once it is whole', async () => {
    await using place = await watched()
    await writeFile(place.path('a.csv'), `${HEADER}${row(0, 1)}${row(1, 2).slice(0, 12)}`)
    await place.start()

    await place.until(() => place.strains(), [1])
    await appendFile(place.path('a.csv'), row(1, 2).slice(12) + row(2, 3))
    await place.until(() => place.strains(), [1, 2, 3])
    await place.restart()
    await appendFile(place.path('a.csv'), row(3, 4))
    await place.until(() => place.strains(), [1, 2, 3, 4])

    assert.equal((await place.service.storage.rejects.list({ limit: 9 })).length, 0)
    const reads = place.service.logged.filter((line) => line.includes('watched file were read'))
    assert.deepEqual(
      reads.map((line) => (JSON.parse(line) as { records: number }).records),
      [1],
    )
  })

  test('rows are merged with stored records, unless the mapping replaces them whole', async () => {
    await using place = await watched()
    const mapping = `delimiter: ;\n${MAPPING}`.replace('item: strain }', 'item: temperature }')
    const whole = `replace: whole\n${mapping}`
    await place.start()
    const { records } = place.service.storage
    const read = async (): Promise<string> => {
      const query = { kind: 'theme', source: 1002, from: 0, to: 4e12, shape: 'flat' } as const
      return Buffer.concat(await Array.fromAsync(records.read(query))).toString()
    }
    await writeFile(place.path('a.csv'), `${HEADER}${row(0, 1)}`)
    await place.until(read, '{"strain":1,"time":"2024-03-01 00:00:00"}')

    await writeFile(place.path('../m.yaml'), mapping)
    await writeFile(place.path('b.csv'), `${HEADER}${row(0, 20)}`)
    await place.until(read, '{"strain":1,"temperature":20,"time":"2024-03-01 00:00:00"}')
    await writeFile(place.path('../m.yaml'), whole)
    await writeFile(place.path('c.csv'), `${HEADER}${row(0, 21)}`)

    await place.until(read, '{"temperature":21,"time":"2024-03-01 00:00:00"}')
  })

  test('a renamed file is read on, and a file with its old name is new', async () => {
    await using place = await watched()
    await writeFile(place.path('a.csv'), `${HEADER}${row(0, 1)}`)
    await place.start()
    await place.until(() => place.strains(), [1])

    await appendFile(place.path('a.csv'), row(1, 2))
    await rename(place.path('a.csv'), place.path('a.csv.1'))
    await writeFile(place.path('a.csv'), `${HEADER}${row(2, 3)}`)

    await place.until(() => place.strains(), [1, 2, 3])
    assert.equal(place.logged('"replaced":1'), 0)
  })

  test('a file that was written anew is read from its beginning', async () => {
    await using place = await watched()
    await writeFile(place.path('a.csv'), `${HEADER}${row(0, 1)}${row(1, 1)}${row(2, 1)}`)
    await place.start()
    await place.until(() => place.strains(), [1, 1, 1])

    await writeFile(place.path('a.csv'), `${HEADER}${row(0, 1)}${row(1, 5)}`)
    await place.until(() => place.strains(), [1, 5, 1])
    await writeFile(place.path('a.csv'), `${HEADER}${row(0, 1)}${row(1, 6)}`)
    await place.until(() => place.strains(), [1, 6, 1])
    await writeFile(place.path('a.csv'), `${HEADER}${row(0, 7)}`)
    await place.until(() => place.strains(), [7, 6, 1])
  })

  test('a last line without a line break is read once its file no longer grows', async () => {
    await using place = await watched({ fileIdleSeconds: 0.2 })
    await writeFile(place.path('a.csv'), `${HEADER}${row(0, 1)}${row(1, 2).trimEnd()}`)
    await place.start()
    await place.until(() => place.strains(), [1, 2])

    await appendFile(place.path('a.csv'), `5\n${row(2, 3)}`)

    await place.until(() => place.strains(), [1, 25, 3])
    assert.equal((await place.service.storage.rejects.list({ limit: 9 })).length, 0)
  })

  test('rejected rows are kept with their lines, and valid ones are stored', async () => {
    await using place = await watched()
    await writeFile(place.path('a.csv'), `${HEADER}${row(0, 1)}oops\n${row(1, 2)}`)
    await place.start()
    await place.until(() => place.strains(), [1, 2])

    const [kept, ...others] = await place.service.storage.rejects.list({ limit: 9 })

    assert.equal(others.length, 0)
    assert.equal(kept!.origin, `file ${place.path('a.csv')}`)
    assert.equal(kept!.place, 'line 3')
    assert.equal(kept!.reason, 'the row has 1 column, expected 2')
    assert.equal(Buffer.from(kept!.payload).toString(), 'oops')
  })

  test('a rejected row is replayed with its header, across restarts', async () => {
    const mapping = `format: toa5
columns: [{ column: S, station: 1002, item: strain }]
`
    await using place = await watched({ mapping })
    await writeFile(place.path('a.csv'), `${toa5Head('"S","X"')}${toa5Row(0, '1,9')}`)
    await place.start()
    await place.until(() => place.strains(), [1])
    await appendFile(place.path('a.csv'), `${toa5Head('"X","S"')}${toa5Row(1, '9,2')}`)
    await place.until(() => place.strains(), [1, 2])
    await place.restart()
    await appendFile(place.path('a.csv'), `${toa5Row(2, '9,none')}${toa5Row(3, '9,4')}`)
    await place.until(() => place.strains(), [1, 2, 4])
    const { service } = place
    const replay = async () => {
      const [first] = await service.storage.rejects.list({ limit: 1 })
      const response = await service.call('/manage/v1/rejects/replay', {
        method: 'POST',
        headers: {
          authorization: `Bearer ${await service.issueToken()}`,
          'content-type': 'application/json',
        },
        body: JSON.stringify({ ids: [first!.id] }),
      })
      return response.json()
    }

    const early = await replay()
    // What is refused now was measured in the other column.
    await writeFile(place.path('../m.yaml'), mapping.replace('S,', 'X,'))
    const later = await replay()

    assert.equal(early.rejected[0].message, 'column "S": "none" is not a number')
    assert.equal(later.replayed, 1)
    assert.deepEqual(await place.strains(), [1, 2, 9, 4])
  })

  test('a file with a changed header is not read until the mapping fits', async () => {
    await using place = await watched()
    await writeFile(place.path('a.csv'), `Time;Strain\n${row(0, 1)}`)
    await place.start()
    await place.until(() => place.logged('the header has no column \\"S\\"'), 1)

    const mapping = place.path('../m.yaml')
    await writeFile(mapping, `delimiter: ;\n${MAPPING}`.replace('column: S,', 'column: Strain,'))
    await utimes(mapping, new Date(), new Date(Date.now() + 5000))

    await place.until(() => place.strains(), [1])
    assert.equal(place.logged('the header has no column'), 1)
    await place.until(() => place.logged('can be read again'), 1)
  })

  test('a missing folder is logged once, and watched when it exists', async () => {
    await using place = await watched({ folders: ['later'] })
    await place.start()
    await place.until(() => place.logged('later is not read for now'), 1)

    await afterCalls(FolderWatch.prototype, 'check')
    const later = place.path('../later')
    await mkdir(later)
    await writeFile(join(later, 'a.csv'), `${HEADER}${row(0, 1)}`)

    await place.until(() => place.strains(), [1])
    assert.equal(place.logged('later is not read for now'), 1)
    await place.until(() => place.logged('can be read again'), 1)
  })

  test('two instances read every row once', async () => {
    await using place = await watched()
    await writeFile(place.path('a.csv'), `${HEADER}${row(0, 1)}`)
    await place.start()
    await place.until(() => place.strains(), [1])
    const first = place.service
    await place.start()

    await appendFile(place.path('a.csv'), row(1, 2))
    await place.until(() => place.strains(), [1, 2])
    const reads = (): string[] =>
      [first, place.service].flatMap(({ logged }) =>
        logged.filter((line) => line.includes('watched file were read')),
      )
    await place.until(() => reads().length, 2)
    await first[Symbol.asyncDispose]()

    assert.ok(
      reads().every((line) => line.includes('"records":1') && line.includes('"replaced":0')),
    )
    await appendFile(place.path('a.csv'), row(2, 3))
    await place.until(() => place.strains(), [1, 2, 3])
  })

  test('copies of a real file at several lengths give each row once', async () => {
    const data = fileURLToPath(new URL('../data/toa5/', import.meta.url))
    await using place = await watched({
      mapping: `format: toa5
columns: [{ column: Batt_Volt_Avg, sensor: ${IDS.gauge}, key: reading }]
`,
    })
    for (const length of [1, 2, 3, 4])
      await copyFile(join(data, name(length)), place.path(`${length}.csv`))
    await place.start()

    const lines = readFileSync(join(data, name(4)), 'utf8')
      .trimEnd()
      .split('\r\n')
    const rows = lines.length - 4
    await place.until(async () => (await place.strains(1004)).length, rows)
    await place.restart()
    await rm(place.path('2.csv'))
    const further = lines.at(-1)!.replace(/^"[^"]+"/, '"2022-03-09 00:00:00"')
    await appendFile(place.path('4.csv'), `${further}\r\n`)
    await place.until(async () => (await place.strains(1004)).length, rows + 1)
    await place.until(() => place.logged('"records":'), 1)

    assert.equal(place.logged('"records":1,"replaced":0'), 1)
  })

  test('each row is read once although the process is killed while it reads', async () => {
    await using place = await watched()
    const rows = Array.from({ length: 60_000 }, (_, index) => {
      const time = new Date(Date.UTC(2024, 0, 1) + index * 1000).toISOString()
      return `${time.slice(0, 19).replace('T', ' ')};${index}\n`
    })
    const folder = place.path('..')
    await writeFile(place.path('a.csv'), HEADER + rows.join(''))
    const environment = {
      PLUMBLINE_INGEST_FOLDERS: JSON.stringify([
        { path: place.path(''), mapping: join(folder, 'm.yaml'), pollSeconds: 0.1 },
      ]),
    }

    await using first = await startChild(folder, environment)
    await place.until(() => first.logged.includes('watched file were read'), true)
    await first.kill()
    const stored = (await place.strains()).length
    await using last = await startChild(folder, environment)
    await place.until(async () => (await place.strains()).length, rows.length)

    assert.ok(stored > 0)
    assert.doesNotMatch(first.logged + last.logged, /"replaced":[1-9]/)
  })
})
