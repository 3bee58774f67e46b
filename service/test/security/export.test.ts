import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { recordText } from '../../src/domain/records/record-text.ts'
import { applySite } from '../../src/site/apply/apply.ts'
import { openSqlite } from '../../src/storage/sqlite/open.ts'
import { SITE } from '../_site.ts'
import { workplace, type Workplace } from '../cli/_cli.ts'

const HOSTILE = SITE.replaceAll('waterLevel', `'=waterLevel'`).replace(
  'name: 应变-01',
  `name: '=HYPERLINK("https://a.example","ok")'`,
)
const MAPPING = `format: csv
offset: '+00:00'
time: { column: time, format: YYYY-MM-DDTHH:mm:ss.SSSZ }
columns: [{ column: '=waterLevel [m]', station: 2001, item: '=waterLevel' }]
`
const RANGE = ['--from', '2026-03-01', '--to', '2026-03-02', '--format', 'csv', '--utc']
const NOON = Date.UTC(2026, 2, 1, 12)

const record = (key: string): string =>
  recordText([`${JSON.stringify(key)}:`], [-1.5], '2026-03-01 12:00:00')

async function place(): Promise<Workplace> {
  const made = await workplace()
  await using storage = await openSqlite(join(made.folder, 'data'))
  await applySite(storage, { text: HOSTILE, fileName: 'site.yaml' })
  for (const [source, key] of [
    [2001, '=waterLevel'],
    [1001, 'strain'],
  ] as const)
    await storage.records.write({
      theme: { sources: [source], times: [NOON], records: [record(key)] },
    })
  return made
}

const run = async (at: Workplace, ...args: string[]): Promise<string> => {
  const { code, stdout, stderr } = await at.run(args)
  assert.equal(code, 0, stdout + stderr)
  return stdout
}

describe('an export', () => {
  test('escapes formulas in names and headers, and leaves numbers as they are', async () => {
    await using at = await place()

    const text = await run(at, 'export', '--stations', '1001,2001', ...RANGE, '--output', '-')

    const [header, ...rows] = text.trimEnd().split('\n')
    assert.match(header!, /,'=waterLevel \[m\]$/)
    assert.match(rows[0]!, /^1001,"'=HYPERLINK\(""https:.*,-1\.5,/)
    assert.match(rows[1]!, /,-1\.5$/)
    assert.doesNotMatch(text, /(^|,)"?[=@\t]/m)
  })

  test('keeps formulas with the flag', async () => {
    await using at = await place()
    const as = [...RANGE, '--output', '-', '--csv-formulas', 'keep']

    const text = await run(at, 'export', '--stations', '2001', ...as)

    assert.equal(text, 'time,=waterLevel [m]\n2026-03-01T12:00:00.000Z,-1.5\n')
  })

  test('is imported again by the names of its headers', async () => {
    await using at = await place()
    await writeFile(join(at.folder, 'm.yaml'), MAPPING)
    for (const formulas of ['escape', 'keep']) {
      const as = [...RANGE, '--output', `${formulas}.csv`, '--csv-formulas', formulas]
      await run(at, 'export', '--stations', '2001', ...as)

      const said = await run(at, 'import', `${formulas}.csv`, '--mapping', 'm.yaml')

      assert.match(said, /1 row read/)
      const text = await readFile(join(at.folder, `${formulas}.csv`), 'utf8')
      assert.equal(text.includes("'="), formulas === 'escape')
    }
  })

  test('names the values of the flag', async () => {
    await using at = await workplace()
    const args = ['export', '--stations', '1', ...RANGE, '--output', '-', '--csv-formulas', 'no']

    const { code, stderr } = await at.run(args)

    assert.equal(code, 2)
    assert.match(stderr, /^--csv-formulas must be escape or keep\n/)
  })
})
