import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { appendFile, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { eventually } from '../_eventually.ts'
import { fill, workplace, type Workplace } from './_cli.ts'
import { STRAIN_MAPPING } from './_strain-file.ts'

const ROW = '2024-03-01 00:00:00;1\n'
const LATER = '2024-03-01 00:01:00;2\n'
const TERABYTE = 2 ** 40

async function withFile(mapping = STRAIN_MAPPING): Promise<Workplace> {
  const place = await workplace()
  await fill(place, () => Promise.resolve())
  await writeFile(join(place.folder, 'm.yaml'), mapping)
  await writeFile(join(place.folder, 'a.csv'), ROW)
  return place
}

test('a file with more reserved space than the flag allows ends before it, and the rows before are stored', async () => {
  await using place = await withFile()
  await truncate(join(place.folder, 'a.csv'), 3_000_000)
  await appendFile(join(place.folder, 'a.csv'), LATER)
  const args = ['import', 'a.csv', '--mapping', 'm.yaml']

  const bounded = await place.run([...args, '--max-reserved', '1'])
  const whole = await place.run(args)

  assert.equal(bounded.code, 1)
  assert.match(bounded.stdout, /^a\.csv: 1 row read, .*; 1 record was stored\.$/m)
  assert.match(
    bounded.stdout,
    /^a\.csv: it holds more than 1 MB of NUL bytes in a row \(ingest\.maxReservedMegabytes\); only what stands before them is read$/m,
  )
  assert.equal(whole.code, 0, whole.stdout)
  assert.match(whole.stdout, /2 records were stored, 1 of them where one was stored\./)
})

/** Whether a process and its children have a file open. */
function hasOpen(pid: number, file: string): boolean {
  const folder = `/proc/${pid}/fd`
  const children = `/proc/${pid}/task/${pid}/children`
  if (!existsSync(folder)) return false
  const files = readdirSync(folder).flatMap((name) => readLink(`${folder}/${name}`))
  const others = existsSync(children) ? readFileSync(children, 'utf8').split(' ') : []
  return files.includes(file) || others.some((one) => one !== '' && hasOpen(Number(one), file))
}

function readLink(path: string): string[] {
  try {
    return [readlinkSync(path)]
  } catch {
    // Closed since it was listed.
    return []
  }
}

for (const [what, mapping] of [
  ['of rows', STRAIN_MAPPING],
  ['of a waveform', 'format: waveform\nfile: WAV\nchannels: [{ channel: 1, station: 1031 }]\n'],
] as const)
  test(`an import ${what} that is stopped does not read its file to the end`, async () => {
    await using place = await withFile(mapping)
    await truncate(join(place.folder, 'a.csv'), TERABYTE)
    const args = ['import', 'a.csv', '--mapping', 'm.yaml', '--max-reserved', '16777216']

    const running = place.begin([...args, '--dry-run'])
    await eventually(() => assert.ok(hasOpen(running.pid, join(place.folder, 'a.csv'))))
    running.interrupt()
    const { code, stdout } = await running.ended

    assert.equal(code, 0)
    assert.match(stdout, /^Stopped\. The records stored so far are kept\.$/m)
  })
