import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SITE } from '../_site.ts'
import { freePort, withService } from '../_service.ts'

const PLATE = 'DEMO-4711'

async function withOps() {
  const port = await freePort()
  const service = await withService({ site: SITE, settings: { 'ops.port': port } })
  return { service, ask: (path: string) => fetch(`http://127.0.0.1:${port}${path}`) }
}

test('a service that reads and writes is alive and ready', async () => {
  const { service, ask } = await withOps()
  await using _ = service

  const live = await ask('/health/live')
  const ready = await ask('/health/ready?verbose')

  assert.deepEqual([live.status, await live.json()], [200, { status: 'alive' }])
  assert.deepEqual([ready.status, await ready.json()], [200, { status: 'ready' }])
})

test('any other path there is a 404, the interface too', async () => {
  const { service, ask } = await withOps()
  await using _ = service

  for (const path of ['/', '/api/v1/structures', '/health', '/constructor', '/openapi.json']) {
    const response = await ask(path)
    assert.equal(response.status, 404, path)
    assert.equal(((await response.json()) as { name: string }).name, 'NotFound')
  }
})

test('the interface’s own port has neither health nor metrics', async () => {
  const { service } = await withOps()
  await using _ = service

  for (const path of ['/health/live', '/health/ready', '/metrics'])
    assert.equal((await service.call(path)).status, 404, path)
})

test('metrics count responses by route and status, without a token, a plate or a secret', async () => {
  const { service, ask } = await withOps()
  await using _ = service
  const application = await service.createApplication()
  const token = await service.issueToken()
  const key = await service.createKey()
  await service.postForm('/oauth2/token', application, { grant_type: 'client_credentials' })
  await service.get(`/structures/1/traffic-flow?license=${PLATE}`, token)
  await service.get(`/nothing/${PLATE}`, token)
  await service.ingest('theme', key, { records: [] })

  const text = await (await ask('/metrics')).text()

  for (const [route, method, status] of [
    ['/api/v1/oauth2/token', 'POST', 200],
    ['/api/v1/structures/:structureId/traffic-flow', 'GET', 400],
    ['/ingest/v1/theme', 'POST', 200],
    ['none', 'GET', 404],
  ] as const) {
    const line = `plumbline_http_requests_total{method="${method}",route="${route}",status="${status}"}`
    assert.ok(text.includes(line), `${line} is missing in\n${text}`)
  }
  assert.match(
    text,
    /^plumbline_http_request_duration_seconds_bucket\{.*route="\/ingest\/v1\/theme"/m,
  )
  assert.match(text, /^plumbline_process_resident_memory_bytes \d+/m)
  for (const secret of [token, key, application.appId, application.appSecret, PLATE])
    assert.ok(!text.includes(secret))
})
