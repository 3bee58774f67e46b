import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { parse } from 'yaml'
import { loadConfig } from '../../service/src/config/load.ts'
import { needCommand } from '../../service/test/_debian.ts'
import { ROOT } from './_build.ts'

const FOLDER = join(ROOT, 'deploy/compose')

type Service = { image: string; volumes?: string[]; secrets?: string[]; ports?: string[] }
type Compose = {
  services: Record<string, Service>
  volumes: Record<string, unknown>
  secrets: Record<string, { file: string }>
}

const compose: Compose = parse(readFileSync(join(FOLDER, 'compose.yaml'), 'utf8'))
const services = Object.values(compose.services)

const loadSettings = (file: string) =>
  loadConfig({ dataFolder: '/data', file: join(ROOT, 'deploy', file), flags: {} })

test('every image of the compose file has a version', () => {
  const images = Object.entries(compose.services).map(([name, { image }]) => [name, image] as const)

  assert.deepEqual(
    images.map(([name]) => name),
    ['plumbline', 'postgres', 'mosquitto', 'mediamtx'],
  )
  for (const [, image] of images.slice(1)) assert.match(image, /:\d+(\.\d+)+$/)
})

test('every file and volume of the compose file exists, or is one of the secrets that the page names', () => {
  const page = readFileSync(join(ROOT, 'docs/install.md'), 'utf8')
  const mounts = services.flatMap(({ volumes = [] }) => volumes.map((one) => one.split(':')[0]!))
  const files = [...mounts, ...Object.values(compose.secrets).map(({ file }) => file)]

  const missing = files.filter((file) =>
    file.startsWith('./secrets/')
      ? !page.includes(file.slice(2))
      : file.startsWith('./')
        ? !existsSync(join(FOLDER, file))
        : !(file in compose.volumes),
  )

  assert.ok(files.length >= 9)
  assert.deepEqual(missing, [])
})

test('the service accepts the settings of the compose file and of the package', async () => {
  const [composed, packaged] = await Promise.all([
    loadSettings('compose/plumbline.yaml'),
    loadSettings('plumbline.yaml'),
  ])

  assert.match(composed['storage.url'], /@postgres\/plumbline/)
  assert.equal(packaged['storage.url'], 'sqlite')
})

if (process.env['TEST_DEEP'] !== undefined)
  test('docker-compose accepts the compose file', async () => {
    await needCommand('docker-compose', '--no-install-recommends', 'docker-compose')
    const env = { ...process.env, PLUMBLINE_VERSION: '1.0.0' }
    const args = ['--file', join(FOLDER, 'compose.yaml'), '--profile', 'media', 'config']

    const { stdout } = await promisify(execFile)('docker-compose', args, { env })

    assert.match(stdout, /image: plumbline:1\.0\.0/)
    assert.match(stdout, /image: bluenviron\/mediamtx/)
  })
