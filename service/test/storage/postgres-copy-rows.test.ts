import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import pg from 'pg'
import { copyRows } from '../../src/storage/postgres/connection/copy-rows.ts'
import { newDatabase } from '../_postgres.ts'
import type { Database } from '../postgres/_database.ts'
import { runs } from '../_random.ts'

const INTO = 'copied (number, content, bytes)'

let database: Database
let client: pg.Client

before(async () => {
  database = await newDatabase()
  // As the connections that write: the next statement is sent before the answer of this one.
  const options: pg.ClientConfig = { connectionString: database.url, pipeline: true }
  client = new pg.Client(options)
  await client.connect()
  await client.query(
    'create temporary table copied (number bigint primary key, content text, bytes bytea)',
  )
})
after(async () => {
  await client.end()
  await database[Symbol.asyncDispose]()
})

const texts = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc
    .array(fc.constantFrom('\\', '\\N', '\\.', '\t', '\n', '\r', '\b', 'n', '测', '"', "'", ''))
    .map((some) => some.join('')),
)

const rows = fc.array(fc.tuple(fc.option(texts), fc.option(fc.uint8Array({ maxLength: 20 }))), {
  maxLength: 30,
})

test('any text and bytes are read as they were copied', async () => {
  await fc.assert(
    fc.asyncProperty(rows, async (given) => {
      await client.query('truncate copied')
      const columns = [
        given.map((_, at) => at),
        given.map(([text]) => text),
        given.map(([, bytes]) => bytes),
      ]

      await copyRows(client, INTO, columns)

      const found = await client.query<{ content: string | null; bytes: Buffer | null }>(
        'select content, bytes from copied order by number',
      )
      assert.deepEqual(
        found.rows.map(({ content, bytes }) => [content, bytes && new Uint8Array(bytes)]),
        given.map(([text, bytes]) => [text?.replaceAll('\0', '\u2400') ?? null, bytes]),
      )
    }),
    { numRuns: runs(1_000, 100) },
  )
})

test('more rows than one COPY takes are all copied', async () => {
  await client.query('truncate copied')
  const numbers = Array.from({ length: 25_000 }, (_, at) => at)

  await copyRows(client, INTO, [numbers, numbers.map(String), numbers.map(() => null)])

  const { rows: found } = await client.query('select count(*)::int, max(number)::int from copied')
  assert.deepEqual(found, [{ count: 25_000, max: 24_999 }])
})

test('a COPY that is refused stops the statements behind it, and the connection goes on', async () => {
  await client.query('truncate copied')
  const sent = [
    client.query('begin'),
    copyRows(client, INTO, [
      [1, 1],
      ['a', 'b'],
      [null, null],
    ]),
    client.query('select 1'),
  ]

  const outcomes = await Promise.allSettled(sent)
  await client.query('rollback')

  const codes = outcomes.map((one) => one.status === 'rejected' && one.reason.code)
  assert.deepEqual(codes, [false, '23505', '25P02'])
  await assert.rejects(copyRows(client, 'absent (number)', [[1]]), { code: '42P01' })
  await copyRows(client, INTO, [[2], ['c'], [null]])
  assert.deepEqual((await client.query('select content from copied')).rows, [{ content: 'c' }])
})
