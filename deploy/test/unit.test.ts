import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { needCommand } from '../../service/test/_debian.ts'
import { ROOT } from './_build.ts'

const run = promisify(execFile)

/** The exposure that systemd computes for the unit: 10 is without any restriction. */
const MOST_EXPOSURE = 2

const unit = await readFile(join(ROOT, 'deploy/plumbline.service'), 'utf8')

async function exposureOf(text: string): Promise<number> {
  await needCommand('systemd-analyze', 'systemd')
  const folder = await mkdtemp(join(tmpdir(), 'plumbline-unit-'))
  try {
    const file = join(folder, 'plumbline.service')
    await writeFile(file, text)
    const { stdout } = await run('systemd-analyze', ['security', '--offline=true', file])
    return Number(/exposure level for plumbline\.service: ([\d.]+)/.exec(stdout)?.[1])
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

test('the unit is exposed by 2.0 at most', async () => {
  const exposure = await exposureOf(unit)

  assert.ok(exposure > 0 && exposure <= MOST_EXPOSURE, String(exposure))
})

test('systemd knows every line of the unit', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'plumbline-unit-'))
  const file = join(folder, 'plumbline.service')
  await writeFile(file, unit.replaceAll(/^ExecStart=.*$/gm, 'ExecStart=/bin/true'))

  const { stderr } = await run('systemd-analyze', ['verify', '--man=no', file])
  await rm(folder, { recursive: true, force: true })

  assert.doesNotMatch(stderr, /plumbline\.service/)
})
