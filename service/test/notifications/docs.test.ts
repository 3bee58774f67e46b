import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { describe, test } from 'node:test'
import { promisify } from 'node:util'
import { parse } from 'yaml'
import { resolveConfig } from '../../src/config/config.ts'
import { signatureOf } from '../../src/notifications/channels/signature.ts'
import { needCommand } from '../_debian.ts'

const PAGE = await readFile(new URL('../../../docs/notifications.md', import.meta.url), 'utf8')
const BODY = '{"content":"应变: 301µε"}'
const NOW = 1_772_362_800

/** Header, body, secret and time, and whether a receiver may believe them. */
const CASES = [
  [signatureOf(BODY, 'secret', NOW), BODY, 'secret', NOW, true],
  [signatureOf(BODY, 'secret', NOW), BODY, 'secret', NOW + 299, true],
  [signatureOf(BODY, 'secret', NOW), BODY, 'secret', NOW + 301, false],
  [signatureOf(BODY, 'secret', NOW), `${BODY} `, 'secret', NOW, false],
  [signatureOf(BODY, 'another', NOW), BODY, 'secret', NOW, false],
  [signatureOf(BODY, 'secret', NOW - 1).replace(/\d+/, String(NOW)), BODY, 'secret', NOW, false],
  [null, BODY, 'secret', NOW, false],
  ['t=,v1=', BODY, 'secret', NOW, false],
] as const

const block = (language: string): string =>
  new RegExp(`\`\`\`${language}\\n(.*?)\`\`\``, 's').exec(PAGE)![1]!

describe('the examples of docs/notifications.md', () => {
  test('in JavaScript accept a signed message and no other', async () => {
    const url = `data:text/javascript,${encodeURIComponent(block('js'))}`
    const { isFromPlumbline } = await import(url)

    for (const [header, body, secret, seconds, expected] of CASES) {
      const isBelieved = isFromPlumbline(header, Buffer.from(body), secret, seconds * 1000)
      assert.equal(isBelieved, expected, String(header))
    }
  })

  test('in Python accept a signed message and no other', async () => {
    await needCommand('python3', 'python3')
    const program = `${block('python')}
import json, sys
cases = json.loads(sys.argv[1])
print(json.dumps([is_from_plumbline(h, b.encode(), s, t) for h, b, s, t, _ in cases]))`

    const { stdout } = await promisify(execFile)('python3', ['-c', program, JSON.stringify(CASES)])

    assert.deepEqual(
      JSON.parse(stdout),
      CASES.map(([, , , , expected]) => expected),
    )
  })

  test('of settings are accepted by the settings check', () => {
    const sections: unknown = parse(block('yaml'))

    const config = resolveConfig({ flags: {}, environment: {}, file: { name: 'x', sections } })

    assert.deepEqual(
      config['notifications.rules'].map(({ name }) => name),
      ['severe', 'office'],
    )
  })
})
