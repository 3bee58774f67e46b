import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { test } from 'node:test'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))

// Plain JavaScript without types, since an older Node runs it.
const pinned: { packageOf(platform: string, arch: string): string } = await import(
  new URL('../../bin/pinned-node.js', import.meta.url).href
)

const read = async (name: string) => JSON.parse(await readFile(`${ROOT}/${name}`, 'utf8'))

test('every platform has a package that brings the pinned Node, of one version', async () => {
  const { optionalDependencies } = await read('package.json')
  const { packages } = await read('package-lock.json')
  const platforms = [
    ['linux', 'x64'],
    ['linux', 'arm64'],
    ['darwin', 'x64'],
    ['darwin', 'arm64'],
    ['win32', 'x64'],
  ] as const

  const names = platforms.map(([platform, arch]) => pinned.packageOf(platform, arch))

  assert.deepEqual(Object.keys(optionalDependencies).toSorted(), names.toSorted())
  assert.equal(new Set(Object.values(optionalDependencies)).size, 1)
  for (const [at, [os, cpu]] of platforms.entries()) {
    const { version, hasInstallScript, ...entry } = packages[`node_modules/${names[at]}`]
    assert.equal(version, optionalDependencies[names[at]!])
    assert.deepEqual([entry.os, entry.cpu, hasInstallScript], [os, cpu, undefined])
  }
})

test('npm ci says nothing about engines, on whatever Node npm runs', async () => {
  // The first Node of the path runs npm; inside of npm that is the pinned one.
  const path = (process.env['PATH'] ?? '').split(':').filter((one) => !one.includes('node_modules'))
  const env = { ...process.env, PATH: path.join(':'), npm_config_loglevel: undefined }

  const { stdout, stderr } = await promisify(execFile)('npm', ['ci', '--dry-run', '--offline'], {
    cwd: ROOT,
    env,
  })

  assert.doesNotMatch(`${stdout}${stderr}`, /EBADENGINE/)
})
