import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { LineProtocolSettings } from '../../config/line-protocol-settings.ts'
import { parseQuality, showQuality } from '../../domain/quality/quality-text.ts'
import { parseLineProtocol } from './line-protocol.ts'
import { compilePointMappings } from './point-mapping.ts'

/** The values and the quality of a line, or why it is rejected. */
function read(settings: LineProtocolSettings, line: string) {
  const [parsed] = parseLineProtocol(line)
  assert.ok(parsed !== undefined && 'point' in parsed)
  const found = compilePointMappings([settings])(parsed.point, 'ns', 1)
  if ('problem' in found) return found.problem
  const { values, ...record } = found.record
  return [Object.entries(Object(values)), 'quality' in record ? record.quality : 'nothing said']
}

const TEMPERATURE = [['temp', 79]]

test('a field that the settings name is the quality of a point, and no value', () => {
  const opcUa = { quality: 'Quality' }
  for (const [text, expected] of [
    ['OK (0x0)', 'good'],
    ['The operation succeeded. StatusGood (0x0)', 'good'],
    ['There has been a failure. StatusBadSensorFailure (0x808C0000)', 'bad: sensorFailure'],
  ] as const) {
    const [values, quality] = read(opcUa, `opcua,sensor=S temp=79.0,Quality="${text}" 1`)
    assert.deepEqual(values, TEMPERATURE)
    const parsed = parseQuality(String(quality))
    assert.equal(parsed && showQuality(parsed), expected)
  }
})

test('a tag may be the quality of a point; a point without it says nothing', () => {
  assert.deepEqual(read({ quality: 'q' }, 'm,sensor=S,q=bad temp=79'), [TEMPERATURE, 'bad'])
  assert.deepEqual(read({ quality: 'q' }, 'm,sensor=S temp=79'), [TEMPERATURE, 'nothing said'])
  assert.deepEqual(read({}, 'm,sensor=S,q=bad temp=79'), [TEMPERATURE, 'nothing said'])
})

test('flags of the settings are translated, and others reject the point', () => {
  const settings = { quality: 'valid', flags: { true: 'good', 3: 'uncertain', '': 'bad: no flag' } }

  assert.deepEqual(read(settings, 'm,sensor=S temp=79,valid=T'), [TEMPERATURE, 'nothing said'])
  assert.deepEqual(read(settings, 'm,sensor=S temp=79,valid=3i'), [TEMPERATURE, 'uncertain'])
  assert.deepEqual(read(settings, 'm,sensor=S temp=79'), [TEMPERATURE, 'bad: no flag'])
  assert.equal(
    read(settings, 'm,sensor=S temp=79,valid=F'),
    'the flag "false" is not among the flags of the settings',
  )
})

test('flags without a quality, and qualities that are none, are refused', () => {
  for (const [settings, words] of [
    [{ flags: { 0: 'good' } }, /ingest\.lineProtocol\[0\]: flags has no meaning without quality$/],
    [{ quality: 'q', otherwise: 'bad' }, /otherwise has no meaning without flags/],
    [{ quality: 'q', flags: { 0: 'ok' } }, /the quality of flag "0" is "ok", expected good/],
  ] as const)
    assert.throws(() => compilePointMappings([settings]), words)
})
