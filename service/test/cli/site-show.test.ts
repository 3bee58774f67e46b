import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { parse } from 'yaml'
import { SITE } from '../_site.ts'
import { workplace, type Workplace } from './_cli.ts'
import { apply } from './_meaning.ts'

const EXAMPLE = new URL('../../../examples/site.example.yaml', import.meta.url)
const DEMO = new URL('../../../examples/demo-site/site.yaml', import.meta.url)

async function assertApplies(place: Workplace): Promise<void> {
  for (const flags of [[], ['--json'], ['--with-secrets']]) {
    const shown = await place.run(['site', 'show', ...flags])
    assert.equal(shown.code, 0, shown.stderr)
    const { stdout } = await apply(place, shown.stdout)
    assert.equal(stdout, 'nothing to change\n', shown.stdout)
  }
}

for (const [name, text] of [
  ['the example', await readFile(EXAMPLE, 'utf8')],
  ['the demo site', await readFile(DEMO, 'utf8')],
  ['the site of the tests', SITE],
] as const)
  test(`${name} is shown as a file that applies unchanged`, async () => {
    await using place = await workplace()
    const applied = await apply(place, text)
    assert.equal(applied.code, 0, applied.stderr)

    await assertApplies(place)
  })

test('the structures of several files are shown as one file, in the order in which they are served', async () => {
  await using place = await workplace()
  const shaft = SITE.slice(0, SITE.indexOf('structures:\n  - id: 1')).replace(
    /^users:\n( .*\n)+/m,
    '',
  )
  const other = `${shaft}structures:
  - { id: 9, name: Shaft, type: 3, latitude: 1, longitude: 2, factors: [{ factor: 19, stations: [{ id: 91, name: A }, { id: 90, name: B }] }] }
`
  await apply(place, SITE)
  await apply(place, other)

  await assertApplies(place)
})

test('a service without a site is shown as an empty file', async () => {
  await using place = await workplace()
  await apply(place, 'timeZone: UTC\n')

  const { stdout } = await place.run(['site', 'show'])

  assert.deepEqual(parse(stdout), {
    users: [],
    projects: [],
    structureTypes: [],
    factors: [],
    structures: [],
  })
  await assertApplies(place)
})

test('a password of a camera is masked, and the masked file keeps it', async () => {
  await using place = await workplace()
  const secret = SITE.replace(
    "source: 'rtsp://192.0.2.10/1'",
    "source: 'rtsp://u:hidden@192.0.2.10/1', standard: { source: 'rtsp://u:hidden@192.0.2.10/2' }, onvif: 'http://u:hidden@192.0.2.10/onvif'",
  )
  await apply(place, secret)

  const { stdout } = await place.run(['site', 'show'])
  await apply(place, stdout.replace('River office', 'Office'))
  const kept = await apply(place, secret.replace('River office', 'Office'))
  await using empty = await workplace()
  await writeFile(join(empty.folder, 'site.yaml'), stdout)
  const elsewhere = await empty.run(['site', 'apply', 'site.yaml'])

  assert.doesNotMatch(stdout, /hidden/)
  assert.equal(kept.stdout, 'nothing to change\n')
  assert.match(
    elsewhere.stderr,
    /cameras\[0\]\.source: the address is masked, and no address of camera 1 is stored/,
  )
})
