import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BROKER_ORIGIN, fileOrigin, mqttOrigin } from './reject-origin.ts'

test('files of a folder are one source, members of an archive too; other sources are their own', () => {
  for (const [{ origin, source }, name, bounded] of [
    [fileOrigin('/srv/loggers/a.csv'), 'file /srv/loggers/a.csv', 'file /srv/loggers'],
    [
      fileOrigin('/srv/loggers/day.zip', '/srv/loggers/day.zip > 2026/b.csv'),
      'file /srv/loggers/day.zip > 2026/b.csv',
      'file /srv/loggers',
    ],
    [fileOrigin('a.csv'), 'file a.csv', 'file .'],
    [mqttOrigin('site'), 'mqtt site', 'mqtt site'],
    [BROKER_ORIGIN, 'broker', 'broker'],
  ] as const)
    assert.deepEqual([origin, source], [name, bounded])
})
