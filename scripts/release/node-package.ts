import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { getLocked, type Lock } from './packages.ts'

/** The folder of the package that brings the pinned Node; npm fetches it where it is not installed. */
export function findNodeFolder(root: string, lock: Lock, packageName: string): string {
  const installed = join(root, 'node_modules', packageName)
  if (existsSync(join(installed, 'bin/node'))) return installed
  const { version = '', integrity = '' } = getLocked(lock, `node_modules/${packageName}`)
  const folder = join(root, 'node_modules/.cache/release', `${packageName}-${version}`)
  if (existsSync(join(folder, 'bin/node'))) return folder
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const pack = ['pack', `${packageName}@${version}`, '--silent', '--pack-destination', folder]
  const file = join(folder, execFileSync('npm', pack, { encoding: 'utf8' }).trim())
  requireIntegrity(file, integrity)
  execFileSync('tar', ['-xzf', file, '-C', folder, '--strip-components=1'])
  rmSync(file)
  return folder
}

function requireIntegrity(file: string, integrity: string): void {
  const found = `sha512-${createHash('sha512').update(readFileSync(file)).digest('base64')}`
  if (found !== integrity)
    throw new Error(`${file} has the checksum ${found}; package-lock.json has ${integrity}.`)
}
