import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { joinContent, splitContent } from '../../src/domain/alarms/content-template.ts'
import type { SqlConnection } from '../../src/storage/postgres/connection/sql-connection.ts'
import { migrate } from '../../src/storage/postgres/migrations/migrate.ts'
import { newDatabase } from '../_postgres.ts'
import { runs } from '../_random.ts'
import { connect, rowsOf } from './_postgres-connection.ts'

async function open() {
  await using stack = new AsyncDisposableStack()
  const { url } = stack.use(await newDatabase())
  const connection = stack.use(await connect(url))
  await migrate(connection, { migrating: 'allow' })
  const moved = stack.move()
  return { url, connection, [Symbol.asyncDispose]: () => moved.disposeAsync() }
}

const addAlarm = (connection: SqlConnection, source: number, state: number, level = 1) =>
  connection.query(
    `insert into alarms (structure_id, source_id, source_name_id, source_type, category, type_code,
        level, template_id, numbers, count, state, start_time, end_time)
      values (7, $1, 1, 1, 1, 'a', $2, 1, '', 1, $3, 0, 0)`,
    [String(source), level, state],
  )

/** The counts that are kept, and those of the rows. */
async function closedAlarms(connection: SqlConnection) {
  const kept = await rowsOf(
    connection,
    `select level::int, closed::int from alarm_counts where closed <> 0 order by level`,
  )
  const counted = await rowsOf(
    connection,
    `select level::int, count(*)::int from alarms where state >= 3 group by level order by level`,
  )
  return { kept, counted }
}

describe('the counts of closed alarms', () => {
  test('follow alarms that are closed, moved and deleted', async () => {
    await using place = await open()
    const { connection } = place
    for (let source = 1; source <= 6; source++) await addAlarm(connection, source, 0)
    await addAlarm(connection, 7, 4, 2)

    for (const sql of [
      `update alarms set state = 3 where source_id <= '4'`,
      `update alarms set level = 3 where source_id = '1'`,
      `update alarms set count = count + 1`,
      `update alarms set state = 1 where source_id = '2'`,
      `delete from alarms where source_id in ('3', '5', '7')`,
    ]) {
      await connection.query(sql)
      const { kept, counted } = await closedAlarms(connection)
      assert.deepEqual(kept, counted, sql)
    }
    const { kept } = await closedAlarms(connection)
    assert.deepEqual(kept, [
      [1, 1],
      [3, 1],
    ])
  })

  test('are right at once after transactions that ran at the same time, none of which waited', async () => {
    await using place = await open()
    await using other = await connect(place.url)
    const { connection } = place
    await addAlarm(connection, 9, 3)
    await connection.query('begin')
    await addAlarm(connection, 1, 3)

    await other.query('set statement_timeout = 2000')
    await other.query('begin')
    await addAlarm(other, 2, 3)
    await addAlarm(other, 3, 3)
    await other.query('commit')
    await connection.query('commit')
    await connection.query('begin')
    await addAlarm(connection, 4, 3)
    await connection.query('rollback')
    await addAlarm(connection, 5, 3)

    assert.deepEqual(await closedAlarms(connection), { kept: [[1, 5]], counted: [[1, 5]] })
    // A row for each transaction that ran at the same time, and no more later.
    assert.deepEqual(await rowsOf(connection, 'select count(*)::int from alarm_count_parts'), [[2]])
  })
})

const addReject = (
  connection: SqlConnection,
  source: string,
  payload: string,
  context: string | null,
) =>
  connection.query(
    `insert into rejects (kind, origin, source, place, reason, payload, received_at, context)
      values ('mqtt', 'mqtt a', $1, 'päce', 'why', $2, 0, $3)`,
    [source, Buffer.from(payload), context],
  )

const heldBytes = (connection: SqlConnection) =>
  rowsOf(connection, 'select source, bytes::int from reject_bytes order by source')

describe('the bytes of rejects', () => {
  test('are those of payload, place, reason and context, by source', async () => {
    await using place = await open()
    const { connection } = place
    await addReject(connection, 'a', 'four', null)
    await addReject(connection, 'a', 'four', 'ü')
    await addReject(connection, 'b', '', null)

    assert.deepEqual(await heldBytes(connection), [
      ['a', 2 * (64 + 4 + 5 + 3) + 2],
      ['b', 64 + 5 + 3],
    ])
    await connection.query(`delete from rejects where context is null`)
    assert.deepEqual(await heldBytes(connection), [
      ['a', 64 + 4 + 5 + 3 + 2],
      ['b', 0],
    ])
  })

  test('let no transaction wait for another one', async () => {
    await using place = await open()
    await using other = await connect(place.url)
    for (const source of ['a', 'b']) await addReject(other, source, '', null)
    await place.connection.query('begin')
    await addReject(place.connection, 'a', '', null)
    await addReject(place.connection, 'b', '', null)

    await other.query('set statement_timeout = 2000')
    await addReject(other, 'b', '', null)
    await addReject(other, 'a', '', null)
    await place.connection.query('commit')

    assert.deepEqual(await heldBytes(other), [
      ['a', 216],
      ['b', 216],
    ])
  })
})

const CHUNK = 2_097_152

async function addWaveform(connection: SqlConnection, id: number) {
  await connection.query(
    `insert into waveforms (id, station_id, collect_time, trigger_time, trigger_nanoseconds,
        sample_freq, unit, count, sample_bytes) values ($1, 1, $1, $1, 0, '1', 'm', 1, 4)`,
    [id],
  )
  for (const at of [0, 1, CHUNK - 1])
    await connection.query(`insert into waveform_chunks values ($1, 0, '')`, [id * CHUNK + at])
}

const waveformsWithChunks = async (connection: SqlConnection) =>
  (
    await rowsOf(
      connection,
      `select (id / ${CHUNK})::int, count(*)::int from waveform_chunks group by 1 order by 1`,
    )
  ).map(([id, count]) => (count === 3 ? id : `${String(id)}: ${String(count)}`))

describe('the chunks of waveforms', () => {
  test('go with their waveforms, unless a change keeps them, and then with that change', async () => {
    await using place = await open()
    const { connection } = place
    for (const id of [1, 2, 3, 4]) await addWaveform(connection, id)
    await connection.query(
      `insert into changes (id, kind, description, started_at) values (9, 'import', '', 0)`,
    )
    for (const id of [2, 3, 4])
      await connection.query(
        `insert into change_waveforms (change_id, station_id, trigger_time, trigger_nanoseconds,
            collect_time, sources, previous) values (9, 1, $1, 0, $1, '[]', $1)`,
        [id],
      )

    await connection.query('delete from waveforms where id in (1, 2, 3)')
    assert.deepEqual(await waveformsWithChunks(connection), [2, 3, 4])
    await connection.query('delete from change_waveforms where previous = 2')
    assert.deepEqual(await waveformsWithChunks(connection), [3, 4])
    await connection.query('delete from changes')
    assert.deepEqual(await waveformsWithChunks(connection), [4])
  })
})

test('the server joins the contents of alarms as the service does', async () => {
  await using place = await open()
  const piece = fc.constantFrom('Strain: ', '1.5', '-2', 'mm', ' at ', '3e+5', ' ', 'ü', '\u0001')
  const content = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(''))
  await fc.assert(
    fc.asyncProperty(content, fc.constantFrom('', '1', '1 2', '1 2 3'), async (text, numbers) => {
      for (const split of [splitContent(text), { template: text, numbers }]) {
        const { rows } = await place.connection.query('select join_content($1, $2) as content', [
          split.template,
          split.numbers,
        ])
        assert.equal(rows[0]?.['content'], joinContent(split))
      }
    }),
    { numRuns: runs(500) },
  )
})
