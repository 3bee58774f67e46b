import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { zone } from '../../src/domain/time/local-time.ts'
import { retentionCutoff } from '../../src/domain/retention/retention-period.ts'
import { SITE } from '../_site.ts'
import { rowsOf } from '../storage/_place.ts'
import { fill, workplace, type Workplace } from './_cli.ts'

const DAY = 86_400_000
const RIVER = '    timeZone: Europe/Berlin\n'
const BERLIN = zone('Europe/Berlin')
const HOW =
  'note: a running service deletes them day by day (retention.maxShareOfDay), "plumbline retention --yes" at once; deleted records cannot be restored'

async function apply(place: Workplace, terms: string, ...flags: string[]): Promise<string[]> {
  const text = terms === '' ? SITE : SITE.replace(RIVER, `    retention: { ${terms} }\n${RIVER}`)
  await writeFile(join(place.folder, 'site.yaml'), text)
  const { code, stdout, stderr } = await place.run(['site', 'apply', 'site.yaml', ...flags])
  assert.equal(code, 0, stderr)
  return stdout.split('\n').filter((line) => /^(!|note)/.test(line))
}

/** What is said of a term; a test that runs over midnight may see either day. */
function assertSaid(lines: readonly string[], terms: readonly [string, string, string][]): void {
  const said = (now: number) =>
    terms.map(([kind, term, number]) => {
      const before = BERLIN.toLocal(retentionCutoff(term, now, BERLIN))
      return `! structure 2: ${kind} records before ${before} will be deleted by the retention period ${term}; ${number} stored`
    })
  const choices = [Date.now(), Date.now() - DAY].map((now) => [...said(now), HOW].join('\n'))
  assert.ok(choices.includes(lines.join('\n')), `${lines.join('\n')}\n${choices[0]}`)
}

async function withRecords(): Promise<Workplace> {
  const place = await workplace()
  const days = Array.from({ length: 1_500 }, (_, at) => Date.UTC(2020, 0, 1, 12) + at * 60_000)
  await fill(place, async (storage) => {
    await storage.records.write({ theme: rowsOf(2001, [...days, Date.now() - DAY]) })
    await storage.records.write({ theme: rowsOf(1041, days) })
  })
  return place
}

test('a new retention period prints what it will delete, in a dry run too', async () => {
  await using place = await withRecords()

  const dry = await apply(place, 'theme: 1y, traffic: 90d', '--dry-run')
  const real = await apply(place, 'theme: 1y, traffic: 90d')
  const again = await apply(place, 'theme: 1y, traffic: 90d')

  assertSaid(dry, [
    ['theme', '1y', 'about 1,500 are'],
    ['traffic', '90d', 'none are'],
  ])
  assert.deepEqual(real, dry)
  assert.deepEqual(again, [])
})

test('a shorter retention period is printed with its kind, a longer or removed one is not', async () => {
  await using place = await withRecords()
  await apply(place, 'theme: 2y, raw: 1y')

  const shorter = await apply(place, 'theme: 23mo, raw: 1y')
  const same = await apply(place, 'theme: 23mo, raw: 12mo')
  const longer = await apply(place, 'theme: 90y, raw: 1y')
  const gone = await apply(place, '')

  assertSaid(shorter, [['theme', '23mo', 'about 1,500 are']])
  assert.deepEqual([same, longer, gone], [[], [], []])
})
