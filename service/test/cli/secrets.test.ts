import assert from 'node:assert/strict'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { SITE } from '../_site.ts'
import { workplace, type Workplace } from './_cli.ts'

/** A folder whose site has users. */
async function withSite(): Promise<Workplace> {
  const place = await workplace()
  await writeFile(join(place.folder, 'site.yaml'), SITE)
  const { code, stderr } = await place.run(['site', 'apply', 'site.yaml'])
  assert.equal(code, 0, stderr)
  return place
}

describe('app', () => {
  test('create shows id and secret once, as lines or as JSON', async () => {
    await using place = await withSite()

    const shown = await place.run(['app', 'create', '--user', '1', '--name', '网关'])
    const json = await place.json('app', 'create', '--user', '2')

    const [, appId] = /^application id: +([0-9a-f-]{36})$/m.exec(shown.stdout) ?? []
    const [, appSecret] = /^application secret: +([0-9a-f]{64})$/m.exec(shown.stdout) ?? []
    assert.ok(appId !== undefined && appSecret !== undefined, shown.stdout)
    assert.deepEqual(Object.keys(json), ['appId', 'appSecret'])
    const list = await place.run(['app', 'list'])
    const listed = await place.json('app', 'list')
    assert.match(
      list.stdout,
      new RegExp(`^${appId}  1 +网关 +read +\\d{4}-\\d\\d-\\d\\d .* UTC$`, 'm'),
    )
    assert.deepEqual(
      listed
        .map(({ id, userId, name, scope, revokedAt }: any) => [id, userId, name, scope, revokedAt])
        .toSorted(),
      [
        [appId, 1, '网关', 'read', null],
        [json.appId, 2, '', 'read', null],
      ].toSorted(),
    )
    for (const secret of [appSecret, json.appSecret])
      assert.ok(!(list.stdout + JSON.stringify(listed)).includes(secret))
  })

  test('rotate makes a new secret, invalidates the old one and keeps tokens; revoke invalidates all', async () => {
    await using place = await withSite()
    const service = await place.serve(['--port', '0'])
    const old = await place.json('app', 'create', '--user', '1')
    const { token } = (await service.issueToken(old)).json()
    const statusOfToken = async () =>
      (await service.call(`/api/v1/structures?token=${token}`)).status

    const rotated = await place.json('app', 'rotate', old.appId)
    const afterRotation = [
      (await service.issueToken(old)).status,
      (await service.issueToken(rotated)).status,
      await statusOfToken(),
    ]
    const revoked = await place.run(['app', 'revoke', old.appId])
    const afterRevocation = [(await service.issueToken(rotated)).status, await statusOfToken()]
    const again = await place.run(['app', 'revoke', old.appId])

    assert.equal(rotated.appId, old.appId)
    assert.deepEqual(afterRotation, [400, 200, 200])
    assert.equal(revoked.code, 0)
    assert.deepEqual(afterRevocation, [400, 401])
    assert.equal(again.code, 1)
    assert.match(again.stderr, /^There is no active application .*; see "plumbline app list"\.$/m)
  })

  test('create takes a scope, and scope changes it', async () => {
    await using place = await withSite()
    const { appId } = await place.json('app', 'create', '--user', '1', '--scope', 'operate')
    const scopeOf = async () => (await place.json('app', 'list'))[0].scope

    const created = await scopeOf()
    const changed = await place.run(['app', 'scope', appId, '--scope', 'admin'])

    assert.equal(created, 'operate')
    assert.equal(changed.stdout, `Application ${appId} has the scope admin.\n`)
    assert.match(changed.stderr, new RegExp(`"application":"${appId}","scope":"admin"`))
    assert.equal(await scopeOf(), 'admin')
  })

  test('a missing or unknown argument is one error', async () => {
    await using place = await withSite()
    await using empty = await workplace()
    await empty.run(['key', 'create', '--name', 'logger'])

    for (const [where, args, code, words] of [
      [place, ['create'], 2, 'app create needs --user with the id of a user from the site file'],
      [place, ['create', '--user', 'x'], 2, 'app create needs --user'],
      [place, ['create', '--user', '9'], 1, 'There is no user 9; the users are 1, 2, 3.'],
      [empty, ['create', '--user', '1'], 1, 'There are no users.'],
      [
        place,
        ['create', '--user', '1', '--scope', 'write'],
        2,
        '--scope must be read, operate, admin, not "write"',
      ],
      [place, ['scope', 'nobody'], 2, 'app scope needs --scope read, operate or admin'],
      [place, ['scope', 'nobody', '--scope', 'read'], 1, 'There is no active application nobody'],
      [place, ['rotate'], 2, 'the application id is missing'],
      [place, ['rotate', 'nobody'], 1, 'There is no active application nobody'],
      [
        place,
        ['delete', 'x'],
        2,
        'Unknown subcommand "delete"; expected: create, list, scope, rotate, revoke.',
      ],
      [place, ['constructor'], 2, 'Unknown subcommand "constructor"'],
      [place, ['list', '--jsn'], 2, '--jsn'],
    ] as const) {
      const result = await where.run(['app', ...args])
      assert.equal(result.code, code, words)
      assert.equal(result.stdout, '')
      assert.ok(result.stderr.includes(words), result.stderr)
      assert.ok(!result.stderr.includes('    at '), result.stderr)
    }
  })
})

describe('key', () => {
  test('create shows the key once and refuses a name in use; revoke invalidates the key', async () => {
    await using place = await withSite()
    const service = await place.serve(['--port', '0'])

    const { key } = await place.json('key', 'create', '--name', 'logger7')
    const send = () =>
      service.call('/ingest/v1/theme', {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: '{"records":[]}',
      })
    const before = await send()
    const twice = await place.run(['key', 'create', '--name', 'logger7'])
    const revoked = await place.run(['key', 'revoke', '--name', 'logger7'])
    const after = await send()
    const listed = await place.json('key', 'list')
    const nobody = await place.run(['key', 'revoke', '--name', 'logger7'])
    const nameless = await place.run(['key', 'create'])

    assert.match(key, /^plk_[0-9a-f]{64}$/)
    assert.deepEqual([before.status, after.status], [200, 401])
    assert.equal(twice.stderr, 'There is already an active key of this name; revoke it first.\n')
    assert.equal(revoked.code, 0)
    assert.deepEqual(
      [listed.length, listed[0].name, typeof listed[0].revokedAt],
      [1, 'logger7', 'number'],
    )
    assert.ok(!JSON.stringify(listed).includes(key))
    assert.equal(nobody.code, 1)
    assert.match(nameless.stderr, /^--name is missing\nusage: plumbline key/)
    assert.equal((await place.json('key', 'create', '--name', 'logger7')).key === key, false)
  })
})

describe('the targets of a key', () => {
  const SENSOR = '6f1c1f9e-7c0e-4d0e-9d7a-0c5f6c3b1a01'

  test('are named at its creation, and listed', async () => {
    await using place = await withSite()

    await place.json('key', 'create', '--name', 'free')
    const bound = await place.run([
      'key',
      'create',
      '--name=bound',
      '--structures=2, 1,2',
      '--stations=1001',
      `--sensors=${SENSOR.toUpperCase()}`,
    ])

    const list = await place.run(['key', 'list'])
    const described = `structures 2, 1; stations 1001; sensors ${SENSOR}`
    assert.match(bound.stderr, new RegExp(`"key":"bound","targets":"${described}"`))
    assert.match(list.stdout, /^free +everything /m)
    assert.match(list.stdout, new RegExp(`^bound +${described} `, 'm'))
    assert.deepEqual(
      (await place.json('key', 'list')).map(({ targets }: { targets: unknown }) => targets),
      [null, { structures: [2, 1], stations: [1001], sensors: [SENSOR] }],
    )
  })

  test('must exist, and be ids joined by commas', async () => {
    await using place = await withSite()

    for (const [flag, code, words] of [
      [['--structures', '1,99'], 1, 'There is no structure 99.'],
      [['--stations', '7'], 1, 'There is no station 7.'],
      [['--sensors', 'nobody'], 1, 'There is no sensor nobody.'],
      [['--structures', 'one'], 2, '--structures must be ids joined by commas'],
      [['--sensors', ''], 2, '--sensors must be ids joined by commas'],
      [['--stations', '1001,'], 2, '--stations must be ids joined by commas'],
    ] as const) {
      const result = await place.run(['key', 'create', '--name', 'bound', ...flag])
      assert.deepEqual([result.code, result.stdout], [code, ''])
      assert.ok(result.stderr.includes(words), result.stderr)
    }
    assert.deepEqual(await place.json('key', 'list'), [])
  })
})

describe('secrets', () => {
  test('are kept as hashes only, and never written by the service', async () => {
    await using place = await withSite()
    const service = await place.serve(['--port', '0'], { PLUMBLINE_LOG_LEVEL: 'debug' })
    const application = await place.json('app', 'create', '--user', '1')
    const { key } = await place.json('key', 'create', '--name', 'logger')
    const { token } = (await service.issueToken(application)).json()
    await service.issueToken({ ...application, appSecret: 'a wrong one' })
    await service.call(`/api/v1/structures?token=${token}`)
    await service.call(`/api/v1/structures/%GG?token=${token}`)
    await service.call(`/nothing/${token}`)
    await service.call('/ingest/v1/theme', {
      method: 'POST',
      headers: { authorization: `Bearer ${key}` },
      body: '{',
    })
    await service.stop()

    const written = [service.output.stdout, service.output.stderr]
    const data = join(place.folder, 'data')
    for (const name of await readdir(data))
      if (name.startsWith('plumbline.db')) written.push(await readFile(join(data, name), 'latin1'))
    assert.ok(service.output.stderr.includes('request completed'))
    assert.ok(written.length > 2)
    for (const secret of [application.appSecret, key, token, 'a wrong one'])
      assert.ok(!written.some((text) => text.includes(secret)))
  })
})
