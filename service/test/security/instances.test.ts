import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { Agent } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { runCommandLine } from '../../src/cli/command-line.ts'
import { createApplication, type Credentials } from '../../src/site/applications.ts'
import { hashSecret } from '../../src/domain/access/secret.ts'
import { SITE } from '../_site.ts'
import { call, Instances, postForm, type Instance } from '../postgres/_instances.ts'

const ISSUE = { grant_type: 'client_credentials' }
const WINDOW = 'startTime=2026-01-01%2000:00:00&endTime=2026-01-02%2000:00:00'

/** The three ways in which a request carries a token, one of them on the fast path. */
const WAYS: readonly ((token: string) => { path: string; headers?: Record<string, string> })[] = [
  (token) => ({ path: '/structures', headers: { authorization: `Bearer ${token}` } }),
  (token) => ({ path: '/structures', headers: { authorization: token } }),
  (token) => ({ path: `/structures?token=${token}` }),
  (token) => ({ path: `/stations/theme/data?token=${token}&stations=2001&${WINDOW}` }),
]

let instances: Instances
let one: Instance
let other: Instance

before(async () => {
  instances = await Instances.open(SITE)
  ;[one, other] = await Promise.all([instances.start(), instances.start()])
})
after(() => instances[Symbol.asyncDispose]())

const newApplication = (userId = 2): Promise<Credentials> =>
  createApplication(instances.storage, { userId, name: 'test', scope: 'read' })

async function issue(at: Instance, application: Credentials): Promise<string> {
  const response = await postForm(at, '/oauth2/token', application, ISSUE)
  assert.equal(response.status, 200, response.text)
  return response.json<{ token: string }>().token
}

/** The statuses of requests with a token to an instance, on a connection that is kept. */
async function statuses(at: Instance, token: string, agent: Agent): Promise<number[]> {
  const found: number[] = []
  for (const way of WAYS) {
    const { path, headers = {} } = way(token)
    found.push((await call(at, `/api/v1${path}`, { headers, agent })).status)
  }
  return found
}

/** Runs a command on the database, as an operator does on any machine. */
async function command(...args: string[]): Promise<string> {
  const printed: string[] = []
  const said: string[] = []
  const code = await runCommandLine([...args, '--data', one.folder, '--storage', instances.url], {
    signal: new AbortController().signal,
    print: (line) => void printed.push(line),
    printError: (line) => void said.push(line),
    output: process.stdout,
  })
  assert.equal(code, 0, said.join('\n'))
  return printed.join('\n')
}

describe('two instances of one database', () => {
  test('a token of one is valid at the other, and refused there by the next request once it is invalidated', async () => {
    const agent = new Agent({ keepAlive: true })
    const application = await newApplication()
    for (let round = 0; round < 20; round++) {
      const [at, elsewhere] = round % 2 === 0 ? [one, other] : [other, one]
      const token = await issue(at, application)
      assert.deepEqual(await statuses(elsewhere, token, agent), [200, 200, 200, 200])

      const gone = await postForm(at, '/oauth2/token/invalidate', application, { token })

      assert.equal(gone.status, 204)
      assert.deepEqual(await statuses(elsewhere, token, agent), [401, 401, 401, 401])
      const refresh = { grant_type: 'refresh_token', token }
      const refreshed = await postForm(elsewhere, '/oauth2/token/refresh', application, refresh)
      assert.equal(refreshed.status, 400)
    }
    agent.destroy()
  })

  test('a token of one is refreshed by the other, and the new one is valid at both', async () => {
    const agent = new Agent({ keepAlive: true })
    const application = await newApplication()
    const token = await issue(one, application)

    const refresh = { grant_type: 'refresh_token', token }
    const refreshed = await postForm(other, '/oauth2/token/refresh', application, refresh)

    const { token: next } = refreshed.json<{ token: string }>()
    assert.deepEqual(await statuses(one, next, agent), [200, 200, 200, 200])
    assert.deepEqual(await statuses(other, next, agent), [200, 200, 200, 200])
    agent.destroy()
  })

  test('a secret that was replaced is refused by both at once, and the new one works at both', async () => {
    const application = await newApplication()
    const token = await issue(one, application)
    await issue(other, application)

    const said = await command('app', 'rotate', application.appId, '--json')

    const { appSecret } = JSON.parse(said) as Credentials
    for (const at of [one, other]) {
      const old = await postForm(at, '/oauth2/token', application, ISSUE)
      assert.equal(old.status, 400)
      const invalidation = { ...application, appSecret: 'wrong' }
      assert.equal(
        (await postForm(at, '/oauth2/token/invalidate', invalidation, { token })).status,
        400,
      )
      await issue(at, { ...application, appSecret })
    }
  })

  test('a revoked application, scope or key has no access at either, with its next request', async () => {
    const agent = new Agent({ keepAlive: true })
    const application = await newApplication()
    const token = await issue(one, application)
    await instances.storage.ingestKeys.add('loggers', hashSecret('plk_loggers'), Date.now())
    const send = (at: Instance) =>
      call(at, '/ingest/v1/theme', {
        method: 'POST',
        agent,
        headers: { authorization: 'Bearer plk_loggers', 'content-type': 'application/json' },
        body: JSON.stringify({
          records: [{ station: 2001, time: '2026-01-01 00:00:00', values: { waterLevel: 1 } }],
        }),
      })
    for (const at of [one, other]) {
      assert.deepEqual(await statuses(at, token, agent), [200, 200, 200, 200])
      assert.equal((await send(at)).status, 200)
    }

    await command('app', 'revoke', application.appId)
    await command('key', 'revoke', '--name', 'loggers')

    for (const at of [one, other]) {
      assert.deepEqual(await statuses(at, token, agent), [401, 401, 401, 401])
      assert.equal((await send(at)).status, 401)
    }
    agent.destroy()
  })

  test('a user that a site file narrows or leaves out loses access at both, with the next request', async () => {
    const agent = new Agent({ keepAlive: true })
    const application = await newApplication()
    const token = await issue(one, application)
    const folder = await mkdtemp(join(tmpdir(), 'plumbline-site-'))
    const file = join(folder, 'site.yaml')
    for (const at of [one, other])
      assert.deepEqual(await statuses(at, token, agent), [200, 200, 200, 200])

    await writeFile(
      file,
      SITE.replace('River office, structures: [2]', 'River office, structures: [1]'),
    )
    await command('site', 'apply', file, '--yes')

    for (const at of [one, other])
      assert.deepEqual(await statuses(at, token, agent), [200, 200, 200, 403])
    await writeFile(file, SITE.replace(/  - \{ id: 2, name: River office.*\n/, ''))
    await command('site', 'apply', file, '--yes')
    for (const at of [one, other])
      assert.deepEqual(await statuses(at, token, agent), [401, 401, 401, 401])
    agent.destroy()
    await rm(folder, { recursive: true })
  })
})
