import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { eventually } from '../_eventually.ts'
import { freePort } from '../_service.ts'
import { SITE } from '../_site.ts'
import { workplace } from './_cli.ts'

const WRONG = 'a-wrong-secret'

test('failed log-ins and unknown keys are in the log with their address, and in the metrics', async () => {
  await using place = await workplace()
  await writeFile(join(place.folder, 'site.yaml'), SITE)
  await place.run(['site', 'apply', 'site.yaml'])
  const application = await place.json('app', 'create', '--user', '1')
  const ops = await freePort()
  const service = await place.serve(['--port', '0'], { PLUMBLINE_OPS_PORT: String(ops) })

  const failed = await service.issueToken({ ...application, appSecret: WRONG })
  const refused = await service.call('/ingest/v1/theme', {
    method: 'POST',
    headers: { authorization: `Bearer ${WRONG}`, 'content-type': 'application/json' },
    body: '{"records":[]}',
  })
  const unknown = await service.call(`/api/v1/structures?token=${WRONG}`)

  assert.deepEqual([failed.status, refused.status, unknown.status], [400, 401, 401])
  const metrics = await (await fetch(`http://127.0.0.1:${ops}/metrics`)).text()
  const events = ['security.log-in-failed', 'security.key-refused', 'security.token-refused']
  for (const event of events)
    assert.ok(metrics.includes(`plumbline_security_events_total{event="${event}"} 1`), event)
  await eventually(() => {
    const lines = service.output.stderr.trimEnd().split('\n')
    const logged = lines.map((line) => JSON.parse(line))
    for (const event of events)
      assert.equal(logged.find((line) => line.event === event)?.from, '127.0.0.1', event)
  })
  for (const secret of [WRONG, application.appSecret])
    assert.ok(!`${service.output.stderr}${metrics}`.includes(secret))
})
