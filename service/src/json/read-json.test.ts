import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { runs } from '../../test/_random.ts'
import { UnreadableRecord } from './unreadable-record.ts'
import { JsonScan } from './json-scan.ts'
import { readJson } from './read-json.ts'

const LIMITS = { depth: 32, members: 3_000_000 }

/** Reads a text that comes in pieces of so many bytes. */
async function read(
  text: string,
  chunkBytes = 1_000,
  { limits = LIMITS, takesList = false } = {},
): Promise<unknown> {
  const bytes = new Uint8Array(Buffer.from(text))
  const scan = new JsonScan(limits, { takesList })
  for (let at = 0; at < bytes.length; at += chunkBytes)
    scan.push(bytes.subarray(at, at + chunkBytes))
  return readJson(bytes, scan)
}

/** Lists of this length are parsed in parts. */
const LONG = 40 * 1024
const padding = `"${'x'.repeat(LONG)}"`
const bracket = fc.constantFrom(
  '{"a":[',
  '],"b":',
  '}',
  ']',
  ',',
  '"',
  '\\',
  ' ',
  '1',
  '[',
  '{',
  padding,
)

describe('JSON that is a long list', () => {
  test('is read as JSON.parse reads it, where it may be one', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.jsonValue({ maxDepth: 5 }), { maxLength: 20 }),
        fc.nat({ max: 20 }),
        fc.integer({ min: 1, max: 5_000 }),
        async (list, at, chunkBytes) => {
          const text = JSON.stringify(list.toSpliced(at, 0, padding, [padding]), null, at % 3)

          assert.deepEqual(await read(text, chunkBytes, { takesList: true }), JSON.parse(text))
        },
      ),
    )
  })

  test('that is no JSON is refused', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(bracket, { maxLength: 12 }), async (parts) => {
        const text = `[${padding},${parts.join('')}`
        let expected: unknown
        try {
          expected = JSON.parse(text)
        } catch {
          await assert.rejects(
            read(text, 1_000, { takesList: true }),
            /the body (is not JSON|may hold)/,
          )
          return
        }
        assert.deepEqual(await read(text, 1_000, { takesList: true }), expected)
      }),
      { numRuns: runs(1_000) },
    )
  })

  test('may be longer than what is parsed at once, and only where it may be one', async () => {
    const text = `[${Array(20_000).fill('"0123456789abcdef"').join()}]`

    assert.equal(((await read(text, 1_000, { takesList: true })) as unknown[]).length, 20_000)
    await assert.rejects(read(text), /at most 262144 characters apart from its lists/)
  })
})

describe('JSON with long lists', () => {
  test('is read as JSON.parse reads it, in whatever pieces it comes', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.jsonValue({ maxDepth: 5 }), { maxLength: 20 }),
        fc.jsonValue({ maxDepth: 3 }),
        fc.integer({ min: 1, max: 5_000 }),
        fc.nat({ max: 20 }),
        async (list, other, chunkBytes, at) => {
          const long = list.toSpliced(at, 0, 'x'.repeat(LONG), `a "quoted\\" [{,`)
          const body = { other, records: long, '[': long, last: [other] }
          const text = JSON.stringify(body, null, chunkBytes % 3)

          assert.deepEqual(await read(text, chunkBytes), JSON.parse(text))
        },
      ),
      { numRuns: runs(200) },
    )
  })

  test('that is no JSON is refused, and nothing else is', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(bracket, { maxLength: 12 }), async (parts) => {
        const text = `{"a":[${padding},${parts.join('')}`
        let expected: unknown
        try {
          expected = JSON.parse(text)
        } catch {
          await assert.rejects(read(text), /the body is not JSON/)
          return
        }
        try {
          assert.deepEqual(await read(text), expected)
        } catch (error) {
          assert.match((error as Error).message, /two lists of the same name/)
          assert.match(text, /"([ab])":.*"\1":/s)
        }
      }),
      { numRuns: runs(2_000) },
    )
  })

  test('that has two lists of the same name is refused, whichever is the longer', async () => {
    for (const text of [
      `{"records":[1],"records":[2]}`,
      `{"records":[1,${padding}],"records":[2]}`,
      `{"records":[1],"other":[],"records":[2,${padding}]}`,
      `{"records":[1],"records":2}`,
    ])
      await assert.rejects(read(text), /^RefusedError: the body has two lists of the same name$/)
    assert.deepEqual(await read('{"a":{"a":[1],"b":[2]},"b":[3]}'), {
      a: { a: [1], b: [2] },
      b: [3],
    })
  })

  test('of which a comma is too much is refused', async () => {
    for (const list of [
      `${padding},`,
      `,${padding}`,
      `${padding},,1`,
      `${padding} 1`,
      `${padding}}`,
    ])
      await assert.rejects(read(`{"a":[${list}]}`), /the body is not JSON/, list.slice(-9))
    assert.deepEqual(await read(`{"a":[${' '.repeat(LONG)}]}`), { a: [] })
  })

  test('the last of two members of a name counts, and __proto__ is a name', async () => {
    const text = `{"a":[${padding}],"c":2,"c":3,"__proto__":[${padding}],"b":1,"b":[${padding}]}`

    const body = (await read(text)) as object

    assert.deepEqual(Object.entries(body), Object.entries(JSON.parse(text) as object))
    assert.equal(Object.getPrototypeOf(body), Object.prototype)
  })

  test('an element that is too long or nested too deeply is unreadable, alone', async () => {
    const long = `"${'x'.repeat(300_000)}"`
    const deep = '['.repeat(31) + ']'.repeat(31)
    const text = `{"records":[1,${long},2,${deep},{"a":${deep}},${deep.slice(1, -1)},3]}`

    const { records } = (await read(text)) as { records: unknown[] }

    assert.deepEqual(
      records.map((record) => (record instanceof UnreadableRecord ? record.reason : record)),
      [
        1,
        'a record has at most 262144 bytes of JSON, apart from its lists',
        2,
        'the JSON is nested too deeply: at most 32 levels (http.maxJsonDepth)',
        'the JSON is nested too deeply: at most 32 levels (http.maxJsonDepth)',
        JSON.parse(deep.slice(1, -1)),
        3,
      ],
    )
  })
})

test('JSON that is nested too deeply is refused, and none that is not', async () => {
  await read('['.repeat(32) + ']'.repeat(32))
  for (const open of ['[', '{"a":', ' [\n'])
    await assert.rejects(read(open.repeat(33)), /at most 32 levels \(http\.maxJsonDepth\)/)
  assert.equal(await read(`"${'['.repeat(100)}"`), '['.repeat(100))
})

test('members and elements are counted, in all depths together', async () => {
  const limits = { depth: 32, members: 10 }
  await read('[1,{"a":1,"b":[2,3]},"[,,,,,,,,,"]', 7, { limits })
  for (const text of ['[1,2,3,4,5,6,7,8,9,10,11]', '[[[[[[[[[[[', '[{},{},{},{},{},{}]'])
    await assert.rejects(
      read(text, 3, { limits }),
      /at most 10 members and elements \(http\.maxJsonMembers\)/,
    )
})

test('what is beside long lists is parsed at once, and so bounded', async () => {
  const long = 'x'.repeat(300_000)
  await assert.rejects(read(`{"a":"${long}"}`), /at most 262144 characters apart from its lists/)
  await assert.rejects(read(`"${long}"`), /at most 262144 characters apart from its lists/)
})

test('nothing is nothing, and a byte order mark is no part of it', async () => {
  assert.equal(await read(' \r\n'), undefined)
  assert.equal(await read(''), undefined)
  assert.deepEqual(await read('\u{feff}{"a":1}'), { a: 1 })
  assert.deepEqual(await read(`\u{feff}{"a":[${padding}]}`), JSON.parse(`{"a":[${padding}]}`))
})
