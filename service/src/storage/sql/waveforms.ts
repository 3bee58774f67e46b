import { rememberWaveform } from './waveform-changes.ts'
import { statement, type SqlEngine, type Statement } from './engine.ts'
import { waveformPlanner } from './waveform-places.ts'
import { waveformRemover } from './waveform-removal.ts'
import { joinPieces, PIECES_MAXIMUM, type Piece } from './waveform-chunks.ts'
import { DamageError } from '../../errors/damage-error.ts'
import { RefusedError } from '../../errors/refused-error.ts'
import { cutSamples } from '../../domain/vibration/cut-samples.ts'
import type {
  WaveformPlace,
  NewWaveform,
  StoredWaveform,
  WaveformRecords,
  WaveformStore,
  RecordWriteOptions,
} from '../storage.ts'

/** So many pieces are read at once, 64 KB: a slow reader holds them, doubled where they are singles. */
const PIECES_AT_ONCE = 64

/** So many batches are looked at at once. */
const BATCHES_AT_ONCE = 64

/** Where the pieces of a batch begin, before its own number is known. */
const FIRST_PIECE = `(select id * ${PIECES_MAXIMUM} from waveforms
  where station_id = ? and trigger_time = ? and trigger_nanoseconds = ?)`

type Dependencies = Pick<SqlEngine, 'build' | 'all'> & {
  /** Writes theme records, what goes with them, and further statements, all or none. */
  writeTheme(
    records: Required<WaveformRecords>,
    options: Pick<RecordWriteOptions, 'alarms' | 'change'>,
    further: readonly Statement[],
  ): Promise<void>
}

export function waveformStore({ build, all, writeTheme }: Dependencies): WaveformStore {
  const headers = () =>
    build
      .selectFrom('waveforms')
      .select(['id', 'station_id as station', 'collect_time as collectTime'])
      .select(['trigger_time as triggerTime', 'trigger_nanoseconds as triggerNanoseconds'])
      .select(['sample_freq as sampleFreq', 'unit', 'count'])

  const statementsOf = (
    { station, trigger, sampleFreq, unit, samples }: NewWaveform,
    { collectTime, isReplacement }: WaveformPlace,
  ): Statement[] => {
    const identity = [station, trigger.time, trigger.nanoseconds] as const
    const pieces = samples instanceof Float64Array ? cutSamples(samples) : samples
    const removal: Statement = {
      sql: `delete from waveforms
        where station_id = ? and trigger_time = ? and trigger_nanoseconds = ?`,
      width: 3,
      values: identity,
      expected: Number(isReplacement),
    }
    const insert = build
      .insertInto('waveforms')
      .values({
        station_id: station,
        collect_time: collectTime,
        trigger_time: trigger.time,
        trigger_nanoseconds: trigger.nanoseconds,
        sample_freq: sampleFreq,
        unit,
        count: samples.length,
        sample_bytes: pieces.sampleBytes,
      })
      .onConflict((conflict) => conflict.doNothing())
    return [
      removal,
      { ...statement(insert.compile()), expected: 1 },
      {
        sql: `insert into waveform_chunks (id, crc, samples) values (${FIRST_PIECE} + ?, ?, ?)`,
        width: 6,
        values: identity,
        pieces,
      },
    ]
  }

  const write: WaveformStore['write'] = async (writes, { change, alarms } = {}) => {
    const statements = writes.flatMap(({ waveform, place, records: { sources, deletions } }) => {
      const written = statementsOf(waveform, place)
      if (change === undefined) return written
      const all = [...sources, ...(deletions?.sources ?? [])]
      const { collectTime } = place
      const { before, after } = rememberWaveform({
        change,
        batch: waveform,
        collectTime,
        sources: all,
      })
      return [before, ...written, after]
    })
    await writeTheme(
      joinRecords(writes.map(({ records }) => records)),
      { alarms, change },
      statements,
    )
  }

  async function* readSamples({ id, count }: Pick<StoredWaveform, 'id' | 'count'>) {
    const end = (id + 1) * PIECES_MAXIMUM
    let left = count
    for (let next = id * PIECES_MAXIMUM; left > 0;) {
      const query = build
        .selectFrom('waveform_chunks')
        .select(['waveform_chunks.id', 'crc', 'samples'])
        .select((part) =>
          part
            .selectFrom('waveforms')
            .select('sample_bytes')
            .where('waveforms.id', '=', id)
            .as('sampleBytes'),
        )
        .where('waveform_chunks.id', '>=', next)
        .where('waveform_chunks.id', '<', end)
        .orderBy('waveform_chunks.id')
        .limit(PIECES_AT_ONCE)
      const pieces = await all<Piece & { id: number; sampleBytes: number | null }>(query.compile())
      const last = pieces.at(-1)
      if (last === undefined) throw await explainGap(id, left)
      // Its pieces stay for `undo`.
      if (last.sampleBytes === null) throw gone()
      const samples = joinPieces(pieces, last.sampleBytes, count - left)
      left -= samples.length
      if (left < 0) throw new DamageError(`it has ${-left} samples too many`)
      next = last.id + 1
      yield samples
    }
  }

  const explainGap = async (id: number, left: number): Promise<Error> =>
    (await findById(id)) === undefined
      ? gone()
      : new DamageError(`its last ${left} samples are missing`)

  const findById = async (id: number): Promise<StoredWaveform | undefined> => {
    const [row] = await all<HeaderRow>(headers().where('id', '=', id).compile())
    return row === undefined ? undefined : toHeader(row)
  }

  async function* listAll(): AsyncGenerator<StoredWaveform> {
    for (let after = 0; ;) {
      const query = headers().where('id', '>', after).orderBy('id').limit(BATCHES_AT_ONCE)
      const rows = await all<HeaderRow>(query.compile())
      for (const row of rows) yield toHeader(row)
      if (rows.length < BATCHES_AT_ONCE) return
      after = rows.at(-1)!.id
    }
  }

  const list: WaveformStore['list'] = async ({ station, from, to, limit }) => {
    const query = headers()
      .where('station_id', '=', station)
      .where('collect_time', '>=', from)
      .where('collect_time', '<=', to)
      .orderBy('collect_time', 'desc')
      .limit(limit)
    return (await all<HeaderRow>(query.compile())).map(toHeader)
  }

  const removeSome = waveformRemover({
    list,
    writeGone: (gone, options, further) =>
      writeTheme({ sources: [], times: [], records: [], deletions: gone }, options, further),
  })

  return {
    findPlaces: waveformPlanner({ build, all }),

    write,

    async count({ station, from, to }) {
      const query = build
        .selectFrom('waveforms')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .where('station_id', '=', station)
        .where('collect_time', '>=', from)
        .where('collect_time', '<=', to)
      const [row] = await all<{ count: number }>(query.compile())
      return Number(row?.count ?? 0)
    },

    async find(station, from, to) {
      const query = headers()
        .where('station_id', '=', station)
        .where('collect_time', '>=', from)
        .where('collect_time', '<=', to)
        .orderBy('collect_time')
        .limit(1)
      const [row] = await all<HeaderRow>(query.compile())
      return row === undefined ? undefined : toHeader(row)
    },

    findById,

    list,

    removeSome,

    readSamples,

    async *inspect() {
      for await (const batch of listAll()) {
        try {
          for await (const _samples of readSamples(batch));
          yield { waveform: batch }
        } catch (error) {
          // What has gone meanwhile is not damaged.
          if (error instanceof RefusedError && error.reason === 'absent') continue
          if (!(error instanceof DamageError)) throw error
          yield { waveform: batch, damage: error.message }
        }
      }
    },
  }
}

const gone = (): RefusedError =>
  new RefusedError('absent', 'The vibration batch was deleted or replaced while it was read.')

function joinRecords(all: readonly WaveformRecords[]): Required<WaveformRecords> {
  return {
    sources: all.flatMap(({ sources }) => sources),
    times: all.flatMap(({ times }) => times),
    records: all.flatMap(({ records }) => records),
    deletions: {
      sources: all.flatMap(({ deletions }) => deletions?.sources ?? []),
      times: all.flatMap(({ deletions }) => deletions?.times ?? []),
    },
  }
}

type HeaderRow = Omit<StoredWaveform, 'trigger'> & {
  triggerTime: number
  triggerNanoseconds: number
}

const toHeader = ({ triggerTime, triggerNanoseconds, ...rest }: HeaderRow): StoredWaveform => ({
  ...rest,
  trigger: { time: triggerTime, nanoseconds: triggerNanoseconds },
})
