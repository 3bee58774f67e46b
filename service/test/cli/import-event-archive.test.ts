import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { zip } from '../security/_zip.ts'
import { workplace, type Workplace } from './_cli.ts'
import { DATA, inStorage, prepare, rejectsOf } from './_import.ts'

const UP = "  - { channel: 'Chan 2: Up', station: 1031 }\n"
const mappingOf = (channels: string): string => `format: waveform\nchannels:\n${channels}`

/** The three channels of a real file, each as a file of its own. */
async function channelFiles(): Promise<string[]> {
  const packed = await readFile(join(DATA, 'vibration-formats', 'CE89146.V1.gz'))
  const text = gunzipSync(packed).toString('latin1')
  return text.split(/(?<=^\/&.*\r?\n)/m).filter((part) => part.trim() !== '')
}

async function importArchive(
  place: Workplace,
  mapping: string,
  members: Record<string, string>,
  ...flags: string[]
) {
  await prepare(place, { 'w.yaml': mapping })
  const parts = Object.entries(members).map(([name, text]) => ({
    name,
    content: Buffer.from(text, 'latin1'),
  }))
  await writeFile(join(place.folder, 'event.zip'), zip(parts))
  return place.run(['import', 'event.zip', '--mapping', 'w.yaml', ...flags])
}

const countWaveforms = (place: Workplace) =>
  inStorage(place, async ({ waveforms }) => {
    const list = await waveforms.list({ station: 1031, from: 0, to: 4e12, limit: 100 })
    return list.length
  })

describe('an archive with one channel a file', () => {
  test('is imported by one mapping, and members without a channel of it are named', async () => {
    await using place = await workplace()
    const [first = '', second = '', third = ''] = await channelFiles()
    const members = { 'C1.V1': first, 'C2.V1': second, 'C3.V1': third }

    const { code, stdout } = await importArchive(place, mappingOf(UP), members)

    assert.equal(code, 0, stdout)
    assert.match(
      stdout,
      /^event\.zip > C1\.V1: It has no channel of the mapping, but "Chan 1: 360 Deg"\.$/m,
    )
    assert.match(stdout, /^event\.zip > C2\.V1: 1 waveform of 13,200 samples was stored\.$/m)
    assert.match(stdout, /^event\.zip > C3\.V1: It has no channel of the mapping/m)
    assert.equal(await countWaveforms(place), 1)
    assert.deepEqual(await rejectsOf(place), [])
  })

  test('that lacks a channel of the mapping in all members is named at the end', async () => {
    await using place = await workplace()
    const [, second = ''] = await channelFiles()
    const mapping = mappingOf(`${UP}  - { channel: 'Chan 9: Up', station: 1032 }\n`)

    const { code, stdout } = await importArchive(place, mapping, { 'C2.V1': second })

    assert.equal(code, 1)
    assert.match(stdout, /^event\.zip > C2\.V1: 1 waveform /m)
    assert.match(
      stdout,
      /^event\.zip: no member that was read has the channel "Chan 9: Up" of the mapping$/m,
    )
  })

  test('refuses a member that would replace another one of the same import', async () => {
    for (const flags of [[], ['--dry-run']]) {
      await using place = await workplace()
      const [, second = ''] = await channelFiles()
      const members = { 'a.V1': second, 'copy/a.V1': second }

      const { code, stdout } = await importArchive(place, mappingOf(UP), members, ...flags)

      assert.equal(code, 1)
      assert.match(stdout, /^event\.zip > a\.V1: 1 waveform /m)
      assert.match(
        stdout,
        /^event\.zip > copy\/a\.V1: channel "Chan 2: Up" begins at "2012-02-13T21:06:45\.000Z" and goes to station 1031, as the waveform of event\.zip > a\.V1 that was read before; it would replace that one$/m,
      )
      assert.equal(await countWaveforms(place), flags.length === 0 ? 1 : 0)
      assert.equal((await rejectsOf(place)).length, flags.length === 0 ? 1 : 0)
    }
  })
})

test('a file that is no member of an archive has all channels of the mapping', async () => {
  await using place = await workplace()
  const [first = ''] = await channelFiles()
  await prepare(place, { 'w.yaml': mappingOf(UP), 'C1.V1': first })

  const { code, stdout } = await place.run(['import', 'C1.V1', '--mapping', 'w.yaml'])

  assert.equal(code, 1)
  assert.match(stdout, /^C1\.V1: the file has no channel "Chan 2: Up", expected one of /m)
})

test('the SAC name of the documentation works, with the empty location as -- or as nothing', async () => {
  const packed = await readFile(
    join(DATA, 'vibration-formats', '20190706031952.CJ.T001230.HNE.sac.gz'),
  )
  for (const channel of ['CJ.T001230.--.HNE', 'CJ.T001230..HNE']) {
    await using place = await workplace()
    await prepare(place, {
      'w.yaml': mappingOf(`  - { channel: ${channel}, station: 1031, unit: cm/s2 }\n`),
    })
    await writeFile(join(place.folder, 'event.sac'), gunzipSync(packed))

    const { code, stdout } = await place.run(['import', 'event.sac', '--mapping', 'w.yaml'])

    assert.equal(code, 0, stdout)
    assert.equal(await countWaveforms(place), 1)
  }
})
