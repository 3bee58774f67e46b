import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { workplace } from './_cli.ts'

const FILE = `http:
  port: 9443
ingest:
  mqtt:
    - name: site
      url: mqtts://broker.example
      password: top-secret
      subscriptions: [{ topic: 'a/{sensor}', preset: tsValues }]
media:
  mediamtxApi: http://me:top-secret@127.0.0.1:9997
`

async function withFile(text: string) {
  const place = await workplace()
  await mkdir(join(place.folder, 'data'))
  await writeFile(join(place.folder, 'data', 'plumbline.yaml'), text)
  return place
}

test('config check shows what applies and where it comes from, without secrets', async () => {
  await using place = await withFile(FILE)

  const { code, stdout, stderr } = await place.runProcess(
    ['config', 'check', '--host', '127.0.0.1'],
    { PLUMBLINE_OPS_PORT: '0' },
  )

  assert.equal(code, 0, stderr)
  const lines = stdout.split('\n')
  assert.equal(lines[0], 'Settings file: data/plumbline.yaml')
  assert.deepEqual(
    lines.slice(1, 7).map((line) => line.replaceAll(/ {2,}/g, '  ')),
    [
      'setting  value  from',
      'http.host  127.0.0.1  --host',
      'http.port  9443  data/plumbline.yaml:2',
      'ops.port  0  PLUMBLINE_OPS_PORT',
      'ingest.mqtt  [{"name":"site","url":"mqtts://broker.example","password":"***","subscriptions":[{"topic":"a/{sensor}","preset":"tsValues"}]}]  data/plumbline.yaml:4',
      'media.mediamtxApi  http://***@127.0.0.1:9997  data/plumbline.yaml:10',
    ],
  )
  assert.match(lines[7] ?? '', /^\d+ settings with defaults: --all prints them\.$/)
  assert.equal(lines[8], 'The settings are correct.')
  assert.ok(!stdout.includes('top-secret'))
})

test('config check --json has every setting with its source', async () => {
  await using place = await withFile(FILE)

  const { file, settings } = await place.json('config', 'check')
  const all = await place.run(['config', 'check', '--all'])

  assert.equal(file, 'data/plumbline.yaml')
  const byName = new Map(settings.map((one: { name: string }) => [one.name, one]))
  assert.deepEqual(byName.get('http.port'), {
    name: 'http.port',
    value: 9443,
    source: 'file',
    from: 'data/plumbline.yaml:2',
  })
  assert.deepEqual(byName.get('ops.port'), {
    name: 'ops.port',
    value: 8444,
    source: 'default',
    from: 'default',
  })
  assert.ok(!JSON.stringify(settings).includes('top-secret'))
  for (const name of byName.keys()) assert.ok(all.stdout.includes(`\n${String(name)} `), `${name}`)
})

test('config check exits with 1 and all problems where settings are wrong, without a secret', async () => {
  await using place = await withFile('http:\n  prot: top-secret\nops:\n  port: top-secret\n')

  const wrong = await place.run(['config', 'check'])
  const flag = await place.run(['config', 'check', '--port', 'x', '--config', '/dev/null'])

  assert.deepEqual([wrong.code, wrong.stdout], [1, ''])
  assert.deepEqual(wrong.stderr.trimEnd().split('\n'), [
    'data/plumbline.yaml:2: there is no setting "http.prot" (did you mean http.port?)',
    'data/plumbline.yaml:4: ops.port must be a port from 0 to 65535',
  ])
  assert.equal(flag.code, 2)
  assert.match(flag.stderr, /^--port must be a port from 0 to 65535\nusage: plumbline config check/)
})

test('config check refuses topics that cannot be compiled', async () => {
  await using place = await withFile(
    `ingest:\n  broker:\n    topics: [{ topic: 'a/#/b', preset: tsValues }]\n`,
  )

  const { code, stderr } = await place.run(['config', 'check'])

  assert.equal(code, 1)
  assert.match(stderr, /^ingest\.broker\.topics\[0\]: /)
})

test('config check works without a settings file, and refuses a folder that is not there', async () => {
  await using place = await workplace()

  const none = await place.run(['config', 'check'])
  const typo = await place.run(['config', 'check', '--data', 'typo'])

  assert.equal(none.code, 0, none.stderr)
  assert.match(none.stdout, /^There is no settings file data\/plumbline\.yaml\.\n\d+ settings/)
  assert.deepEqual([typo.code, typo.stderr], [1, 'There is no folder typo: check --data.\n'])
  assert.equal(existsSync(join(place.folder, 'data')), false)
})

test('config check refuses settings that name files which cannot be read', async () => {
  await using place = await withFile(`traces:
  headerFile: /nowhere/header
notifications:
  mail:
    - name: office
      host: mail.example
      user: plumbline
      passwordFile: /nowhere/password
      ca: /nowhere/ca.pem
      from: a@example.org
      to: [b@example.org]
`)

  const { code, stdout, stderr } = await place.run(['config', 'check'])

  assert.deepEqual([code, stdout], [1, ''])
  const words = /^\S+: \/nowhere\/\S+ cannot be read by \S+: ENOENT$/
  const lines = stderr.trimEnd().split('\n')
  assert.deepEqual(
    lines.map((line) => line.slice(0, line.indexOf(':'))),
    ['notifications.mail[0].passwordFile', 'notifications.mail[0].ca', 'traces.headerFile'],
  )
  for (const line of lines) assert.match(line, words)
})

test('relative files of secrets and certificates are in the folder of the settings file', async () => {
  await using place = await withFile(`traces:
  headerFile: header
ingest:
  mqtt:
    - name: site
      url: mqtts://broker.example
      passwordFile: secrets/password
      ca: ./ca.pem
      subscriptions: [{ topic: 'a/{sensor}', preset: tsValues }]
  folders:
    - { path: logger, mapping: logger.yaml }
notifications:
  webhooks:
    - { name: duty, url: 'https://duty.example', secretFile: ../outside }
`)
  const data = join(place.folder, 'data')
  await mkdir(join(data, 'secrets'))
  const files = ['header', 'secrets/password', 'ca.pem', '../outside'].map((name) =>
    join(data, name),
  )
  for (const file of files) await writeFile(file, 'x')

  const { settings } = await place.json('config', 'check')
  const [header, password, ca, outside] = files
  const valueOf = (name: string) =>
    settings.find((one: { name: string }) => one.name === name).value
  assert.equal(valueOf('traces.headerFile'), header)
  assert.deepEqual(
    [valueOf('ingest.mqtt')[0].passwordFile, valueOf('ingest.mqtt')[0].ca],
    [password, ca],
  )
  assert.equal(valueOf('notifications.webhooks')[0].secretFile, outside)
  assert.deepEqual(valueOf('ingest.folders'), [{ path: 'logger', mapping: 'logger.yaml' }])
})

test('a relative file of a variable is in the current folder', async () => {
  await using place = await withFile('')
  await writeFile(join(place.folder, 'data', 'header'), 'x')
  const check = (file: string) =>
    place.runProcess(['config', 'check'], { PLUMBLINE_TRACES_HEADER_FILE: file })

  const absent = await check('header')
  const present = await check('data/header')

  assert.match(absent.stderr, /^traces\.headerFile: header cannot be read by \S+: ENOENT$/m)
  assert.equal(present.code, 0, present.stderr)
  assert.match(present.stdout, /^traces\.headerFile +data\/header +PLUMBLINE_TRACES_HEADER_FILE$/m)
})
