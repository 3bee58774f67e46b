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

/** Runs `systemd-analyze` on a file with a text. */
async function analyze(
  text: string,
  ...args: string[]
): Promise<{ stdout: string; stderr: string }> {
  await needCommand('systemd-analyze', 'systemd')
  const folder = await mkdtemp(join(tmpdir(), 'plumbline-unit-'))
  try {
    const file = join(folder, 'plumbline.service')
    await writeFile(file, text)
    return await run('systemd-analyze', [...args, file])
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

test('the unit is exposed by 2.0 at most', async () => {
  const { stdout } = await analyze(unit, 'security', '--offline=true')

  const exposure = Number(/exposure level for plumbline\.service: ([\d.]+)/.exec(stdout)?.[1])
  assert.ok(exposure > 0 && exposure <= MOST_EXPOSURE, String(exposure))
})

test('systemd knows every line of the unit', async () => {
  const startable = unit.replaceAll(/^ExecStart=.*$/gm, 'ExecStart=/bin/true')

  const { stderr } = await analyze(startable, 'verify', '--man=no')

  assert.doesNotMatch(stderr, /plumbline\.service/)
})
