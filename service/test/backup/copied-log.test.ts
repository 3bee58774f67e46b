import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { getRandomValues } from 'node:crypto'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Child } from '../_child.ts'
import { eventually } from '../_eventually.ts'
import { callHttps } from '../_service.ts'
import { KEY } from '../faults/_site.ts'
import { makeCopiedFolder } from './_copied.ts'

const MEGABYTE = 2 ** 20
const WAVEFORM_MEGABYTES = 4
const SENT_MEGABYTES = 160

/** The log is copied back from 64 MB on; this much of it waits for a writer that ends meanwhile. */
const MOST_MEGABYTES = 128

/** Stores a waveform that cannot be compressed: the pages of each are new. */
async function sendNoise(child: Child, second: number): Promise<void> {
  const noise = new Uint32Array((WAVEFORM_MEGABYTES * MEGABYTE) / 4)
  for (let at = 0; at < noise.length; at += 16_384) getRandomValues(noise.subarray(at, at + 16_384))
  // Numbers from 1 to 2, with a mantissa of chance.
  for (const [at, bits] of noise.entries()) noise[at] = 0x3f800000 | (bits >>> 9)
  const collectTime = Date.UTC(2026, 0, 1) + second * 1000
  const response = await callHttps(
    `${child.origin}/ingest/v1/vibration?station=1&collectTime=${collectTime}&sampleFreq=100&unit=&encoding=float32`,
    child.certificate,
    {
      method: 'POST',
      headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/octet-stream' },
      body: Buffer.from(noise.buffer),
    },
  )
  assert.equal(response.status, 200, response.text)
}

test('a folder of the copy that does not answer leaves the log of the database bounded', async (t) => {
  await using data = await makeCopiedFolder()
  // Opening a pipe that nobody reads never ends, like a file of a host that is gone.
  execFileSync('mkfifo', [join(data.copy, 'state.json.new')])
  await using child = await data.serve()
  let most = 0
  const bytesOf = (name: string): number => statSync(join(data.folder, name)).size
  const watching = setInterval(() => (most = Math.max(most, bytesOf('plumbline.db-wal'))), 20)
  try {
    for (let sent = 0; sent < SENT_MEGABYTES; sent += WAVEFORM_MEGABYTES)
      await sendNoise(child, sent)
  } finally {
    clearInterval(watching)
  }

  t.diagnostic(`the log had ${Math.round(most / MEGABYTE)} MB at most`)
  assert.ok(bytesOf('plumbline.db') > SENT_MEGABYTES * MEGABYTE * 0.5, 'it was not copied back')
  assert.ok(most < MOST_MEGABYTES * MEGABYTE)
  // What waits is bounded too: the copy is given up, and begins anew when the folder answers.
  await eventually(() =>
    assert.match(child.logged, /waits: The folder of the copy takes less than/),
  )
})
