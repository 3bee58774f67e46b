import assert from 'node:assert/strict'
import test from 'node:test'
import { runs } from '../_random.ts'
import { INSTANCES, killAmongAlarms } from './_alarm-kills.ts'

const KILLS = runs(50, 3)

test(`${KILLS} kills of ${INSTANCES} instances that write alarms to one folder: each alarm and transition is stored once, and no other`, async (t) => {
  const { missing, extra, different, ...counts } = await killAmongAlarms(KILLS)

  assert.deepEqual({ missing, extra, different }, { missing: 0, extra: 0, different: 0 })
  t.diagnostic(JSON.stringify(counts))
  assert.ok(counts.alarms > 0)
})
