import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { IDS, SITE } from '../_site.ts'
import { workplace, type Workplace } from './_cli.ts'

const apply = (place: Workplace, ...args: string[]) =>
  place.run(['site', 'apply', 'site.yaml', ...args])

async function write(place: Workplace, text: string): Promise<void> {
  await writeFile(join(place.folder, 'site.yaml'), text)
}

/** Replaces a part of the site that must be there. */
function changed(from: string, to: string): string {
  assert.ok(SITE.includes(from), from)
  return SITE.replace(from, to)
}

/** A folder with the site, and a record of station 1041 and of a sensor. */
async function withRecords(): Promise<Workplace> {
  const place = await workplace()
  await write(place, SITE)
  await apply(place)
  const { key } = await place.json('key', 'create', '--name', 'logger')
  const service = await place.serve(['--port', '0'])
  const send = (way: string, record: object) =>
    service.call(`/ingest/v1/${way}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ records: [record] }),
    })
  const time = '2026-03-01 12:00:00'
  const responses = [
    await send('theme', { station: 1041, time, values: { temperature: 300 } }),
    await send('raw', { sensor: IDS.riverGauge, time, values: { ['__proto__']: 1 } }),
    await send('raw', { sensor: IDS.gauge, time, values: { reading: 1 } }),
  ]
  for (const response of responses) assert.equal(response.json().accepted, 1, response.text)
  await service.stop()
  return place
}

test('applying shows what was added, and applying again changes nothing', async () => {
  await using place = await workplace()
  await write(place, SITE)

  const first = await apply(place)
  const second = await apply(place)

  assert.equal(first.code, 0, first.stderr)
  assert.match(first.stdout, /^\+ .*structure 1\b/m)
  assert.match(first.stdout, /^\+ .*station 1001\b/m)
  assert.equal(second.code, 0)
  assert.ok(!/^[+~-]/m.test(second.stdout), second.stdout)
})

test('a dry run shows the same difference and changes nothing', async () => {
  await using place = await workplace()
  await place.run(['key', 'create', '--name', 'logger'])
  await write(place, SITE)

  const dry = await apply(place, '--dry-run')
  const dryAgain = await apply(place, '--dry-run')
  const real = await apply(place)

  assert.equal(dry.code, 0)
  assert.equal(dry.stdout, `${real.stdout}(dry run: nothing was changed)\n`)
  assert.equal(dryAgain.stdout, dry.stdout)
})

test('a wrong file is refused whole, with the file, the line and the reason of every problem', async () => {
  await using place = await workplace()
  const wrong = changed('type: 2\n    latitude: 30.5928', 'type: 9\n    latitude: 930.5').replace(
    'id: 1002',
    'id: 1001',
  )
  await write(place, wrong)
  const lineOf = (text: string) => wrong.split('\n').findIndex((line) => line.includes(text)) + 1

  const refused = await apply(place)
  await write(place, SITE)
  const accepted = await apply(place)

  assert.equal(refused.code, 1)
  assert.equal(refused.stdout, '')
  assert.match(refused.stderr, new RegExp(`site\\.yaml:${lineOf('latitude: 930.5')}:.*latitude`))
  assert.ok(!refused.stderr.includes('    at '), refused.stderr)
  assert.match(accepted.stdout, /^\+ .*structure 1\b/m)
})

test('retention periods are applied, and a wrong one is refused with its line', async () => {
  await using place = await workplace()
  const river = '    timeZone: Europe/Berlin\n'
  const lineOf = SITE.slice(0, SITE.indexOf(river)).split('\n').length
  const withTerms = (terms: string) => changed(river, `    retention: { ${terms} }\n${river}`)
  await write(place, SITE)
  await apply(place)

  await write(place, withTerms('theme: 10y, raw: 2 years'))
  const refused = await apply(place)
  await write(place, withTerms('theme: 10y, traffic: 90d'))
  const accepted = await apply(place)
  const again = await apply(place)

  assert.equal(refused.code, 1)
  assert.equal(
    refused.stderr,
    `site.yaml:${lineOf}: structures[1].retention.raw: expected a term in days, weeks, months or ` +
      'years such as 90d, 12w, 6mo or 10y, found "2 years"\n',
  )
  assert.match(
    accepted.stdout,
    /^~ structure 2 River: retention none -> {"theme":"10y","traffic":"90d"}$/m,
  )
  assert.equal(again.stdout, 'nothing to change\n')
})

test('invalid YAML, a missing file and a missing argument are one error each', async () => {
  await using place = await workplace()
  await write(place, 'users: [\n')

  const broken = await apply(place)
  const missing = await place.run(['site', 'apply', 'none.yaml'])
  const noFile = await place.run(['site', 'apply'])
  const noWord = await place.run(['site', 'undo', 'site.yaml'])
  const noOption = await place.run(['site', 'apply', 'site.yaml', '--force'])

  assert.match(broken.stderr, /^site\.yaml:\d+/)
  assert.equal(missing.stderr, 'The site file none.yaml cannot be read: ENOENT.\n')
  assert.match(noFile.stderr, /^the site file is missing\nusage: plumbline site apply FILE/)
  assert.match(noWord.stderr, /^Unknown subcommand "undo"; expected: apply, show\.\nusage: /)
  assert.match(noOption.stderr, /'--force'[\s\S]*usage: /)
  assert.deepEqual(
    [broken, missing, noFile, noWord, noOption].map(({ code }) => code),
    [1, 1, 2, 2, 2],
  )
})

test('a sensor with raw records is not removed', async () => {
  await using place = await withRecords()
  const text = changed(', from: { sensors: [6f1c1f9e-7c0e-4d0e-9d7a-0c5f6c3b1a03] }', '')
  await write(place, text.replace(/ devices:\n {6}- id: \S+1a03\n.*\n.*\n.*\n/, ' devices: []\n'))

  const refused = await apply(place)

  assert.equal(refused.code, 1)
  assert.ok(refused.stderr.includes(`no longer has device ${IDS.riverGauge}`), refused.stderr)
})

test('a structure with records keeps its time zone; one without may change it', async () => {
  await using place = await withRecords()

  await write(place, changed('timeZone: Europe/Berlin', 'timeZone: Europe/London'))
  const refused = await apply(place)
  await write(
    place,
    changed(
      '{ id: 3, name: Bare ground, type: 3,',
      '{ id: 3, name: Bare ground, type: 3, timeZone: UTC,',
    ),
  )
  const accepted = await apply(place)

  assert.equal(refused.code, 1)
  assert.equal(
    refused.stderr,
    'Structure 2 has records in the local time of Europe/Berlin; its timeZone cannot become Europe/London.\n',
  )
  assert.equal(accepted.code, 0, accepted.stderr)
})

test('a running service uses the new site at once, and commands work beside it', async () => {
  await using place = await workplace()
  await write(place, SITE)
  await apply(place)
  const service = await place.serve(['--port', '0'])
  const application = await place.json('app', 'create', '--user', '1')
  const { token } = (await service.issueToken(application)).json()
  const names = async () =>
    (await service.call(`/api/v1/structures?token=${token}`))
      .json()
      .map(({ name }: { name: string }) => name)

  assert.deepEqual(await names(), ['长江大桥', 'River', 'Bare ground'])
  await write(place, changed('name: Bare ground', 'name: 新区'))
  const applied = await apply(place)

  assert.match(applied.stdout, /^~ .*structure 3\b/m)
  assert.deepEqual(await names(), ['长江大桥', 'River', '新区'])
})

test('the example site of the repository is applied', async () => {
  await using place = await workplace()
  const example = new URL('../../../examples/site.example.yaml', import.meta.url)
  await write(place, await readFile(example, 'utf8'))

  const applied = await apply(place)

  assert.equal(applied.code, 0, applied.stderr)
})
