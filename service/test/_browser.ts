import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { needCommand } from './_debian.ts'

/** The document of a page as a browser has it, after `milliseconds` of the browser's own time. */
export async function readPage(url: string, milliseconds?: number): Promise<string> {
  await needCommand('chromium', 'chromium')
  const profile = await mkdtemp(join(tmpdir(), 'plumbline-browser-'))
  try {
    const flags = ['--headless', '--no-sandbox', '--disable-gpu', '--ignore-certificate-errors']
    const quiet = ['--disable-background-networking', '--disable-component-update']
    const own = ['--disable-sync', `--user-data-dir=${profile}`, '--dump-dom']
    const budget = milliseconds === undefined ? [] : [`--virtual-time-budget=${milliseconds}`]
    const { stdout } = await promisify(execFile)(
      'chromium',
      [...flags, ...quiet, ...own, ...budget, url],
      { maxBuffer: 64 * 1024 * 1024, timeout: 40_000, killSignal: 'SIGKILL' },
    )
    return stdout
  } finally {
    await rm(profile, { recursive: true, force: true, maxRetries: 3 })
  }
}
