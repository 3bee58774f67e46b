import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { OPERATIONS, type Operation } from '../../../contract/src/index.ts'
import { en } from './en.ts'
import { zh } from './zh.ts'

type Entry = { path: string; value: unknown }

const entriesOf = (node: object, path = ''): Entry[] =>
  Object.entries(node).flatMap(([key, value]) =>
    typeof value === 'object' && value !== null
      ? entriesOf(value, `${path}${key}.`)
      : [{ path: `${path}${key}`, value }],
  )

/** Texts that say a sentence of the service in words of the language. */
const OF_SENTENCES = new Set(['common.alarmContent', 'common.failed.said'])

const say = ({ path, value }: Entry): string => {
  if (typeof value !== 'function') return String(value)
  return String(OF_SENTENCES.has(path) ? value('in contact again') : value(2, 2, 2, 2))
}

const [english, chinese] = [entriesOf(en), entriesOf(zh)]

test('both languages have the same texts', () => {
  assert.deepEqual(
    chinese.map(({ path }) => path).toSorted(),
    english.map(({ path }) => path).toSorted(),
  )
})

test('no text is empty', () => {
  for (const text of [...english, ...chinese]) assert.ok(say(text).trim() !== '', text.path)
})

test('Chinese texts are Chinese, but for names and signs', () => {
  const names = new Set(['common.product', 'common.nothing'])
  for (const text of chinese)
    if (!names.has(text.path) && /[A-Za-z]{2}/.test(say(text)))
      assert.match(say(text), /\p{Script=Han}/u, text.path)
})

test('English texts have no Chinese', () => {
  for (const text of english) assert.doesNotMatch(say(text), /\p{Script=Han}/u, text.path)
})

test('every alarm type has a name', () => {
  const page = readFileSync(join(import.meta.dirname, '../../../docs/alarm-types.md'), 'utf8')
  const codes = Array.from(page.matchAll(/^\| `(\d{4})` +\|/gm), ([, code]) => code)

  assert.ok(codes.length > 10)
  for (const { alarms } of [en, zh]) assert.deepEqual(Object.keys(alarms.typeNames), codes)
})

test('every operation that leaves a line in the audit log has words', () => {
  const operations: readonly Operation[] = OPERATIONS
  const changes = operations
    .filter(
      ({ method, base, config }) =>
        method !== 'GET' &&
        base === '/manage/v1' &&
        (config.access !== 'token' || (config.scope !== 'read' && config.isChange !== false)),
    )
    .map(({ operationId }) => operationId)
    .filter((one) => one !== 'readInvitation')

  assert.ok(changes.length > 30)
  for (const { accounts } of [en, zh])
    assert.deepEqual(Object.keys(accounts.audit.operations).toSorted(), changes.toSorted())
})
