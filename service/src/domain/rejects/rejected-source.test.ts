import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rejectedSource } from './rejected-source.ts'

test('files of a folder are one source, members of an archive too; another way in is its own', () => {
  for (const [origin, source] of [
    ['file /srv/loggers/a.csv', 'file /srv/loggers'],
    ['file /srv/loggers/day.zip > 2026/b.csv', 'file /srv/loggers'],
    ['file a.csv', 'file .'],
    ['mqtt site', 'mqtt site'],
    ['influx', 'influx'],
  ] as const)
    assert.equal(rejectedSource(origin), source)
})
