import { execFile } from 'node:child_process'
import { existsSync, renameSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { promisify } from 'node:util'
import { needCommand } from '../../service/test/_debian.ts'
import { ROOT } from './_build.ts'

const SUITE = 'bookworm'
const PACKAGES = ['systemd', 'systemd-sysv', 'adduser', 'dbus']

/** A small Debian with systemd, fetched once for a checkout; tests put an overlay on it. */
export async function needDebianRoot(): Promise<string> {
  const root = `${ROOT}node_modules/.cache/release/debian-${SUITE}`
  if (existsSync(root)) return root
  await needCommand('debootstrap', 'debootstrap')
  const unfinished = `${root}.unfinished`
  await rm(unfinished, { recursive: true, force: true })
  const include = `--include=${PACKAGES.join(',')}`
  const args = ['--variant=minbase', include, SUITE, unfinished, 'http://deb.debian.org/debian']
  await promisify(execFile)('debootstrap', args, { maxBuffer: 2 ** 26 })
  renameSync(unfinished, root)
  return root
}
