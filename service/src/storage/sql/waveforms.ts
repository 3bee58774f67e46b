import { rememberWaveform } from './waveform-changes.ts'
import { statement, type SqlEngine } from './engine.ts'
import type { Statement } from './statement.ts'
import { waveformPlanner } from './waveform-places.ts'
import { waveformRemover } from './waveform-removal.ts'
import { joinChunks, CHUNKS_MAXIMUM } from './waveform-chunks.ts'
import { DamageError } from '../../errors/damage-error.ts'
import { RefusedError } from '../../errors/refused-error.ts'
import { chunkSamples } from '../../domain/vibration/sample-chunks.ts'
import type {
  MarkRows,
  PlaceRows,
  RecordKeys,
  RecordRows,
  RecordWriteOptions,
} from '../stores/records.ts'
import type {
  NewWaveform,
  StoredWaveform,
  WaveformPlace,
  WaveformRecords,
  WaveformStore,
} from '../stores/waveforms.ts'

/** The chunks that are read at once, 64 KB; as doubles they take up to 128 KB of a slow reader. */
const CHUNKS_AT_ONCE = 64

/** The number of waveforms that are listed at once. */
const WAVEFORMS_AT_ONCE = 64

/** The id of the first chunk of a waveform, in a write that gives the waveform its id. */
const FIRST_CHUNK = `(select id * ${CHUNKS_MAXIMUM} from waveforms
  where station_id = ? and trigger_time = ? and trigger_nanoseconds = ?)`

type RecordsWithDeletions = RecordRows & {
  deletions: RecordKeys
  marks?: MarkRows
  expected?: PlaceRows
}

type WaveformStoreOptions = Pick<SqlEngine, 'build' | 'all' | 'first'> & {
  /** Writes theme records and runs extra statements, all or none. */
  writeTheme(
    records: RecordsWithDeletions,
    options: Pick<RecordWriteOptions, 'alarms' | 'change'>,
    statements: readonly Statement[],
  ): Promise<void>
}

export function waveformStore({
  build,
  all,
  first,
  writeTheme,
}: WaveformStoreOptions): WaveformStore {
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
    const chunks = samples instanceof Float64Array ? chunkSamples(samples) : samples
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
        sample_bytes: chunks.sampleBytes,
      })
      .onConflict((conflict) => conflict.doNothing())
    return [
      removal,
      { ...statement(insert.compile()), expected: 1 },
      {
        sql: `insert into waveform_chunks (id, crc, samples) values (${FIRST_CHUNK} + ?, ?, ?)`,
        width: 6,
        values: identity,
        chunks,
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
        waveform,
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
    const end = (id + 1) * CHUNKS_MAXIMUM
    let left = count
    for (let next = id * CHUNKS_MAXIMUM; left > 0;) {
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
        .limit(CHUNKS_AT_ONCE)
      const chunks = await all(query.compile())
      const last = chunks.at(-1)
      if (last === undefined) throw await explainGap(id, left)
      // The waveform was deleted; its chunks are kept for `undo`.
      if (last.sampleBytes === null) throw gone()
      const samples = joinChunks(chunks, last.sampleBytes, count - left)
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
    const row = await first(headers().where('id', '=', id).compile())
    return row && toStored(row)
  }

  async function* listAll(): AsyncGenerator<StoredWaveform> {
    let isDone = false
    for (let last = 0; !isDone;) {
      const query = headers().where('id', '>', last).orderBy('id').limit(WAVEFORMS_AT_ONCE)
      const found = (await all(query.compile())).map(toStored)
      for (const waveform of found) {
        yield waveform
        last = waveform.id
      }
      isDone = found.length < WAVEFORMS_AT_ONCE
    }
  }

  const list: WaveformStore['list'] = async ({ station, from, to, limit }) => {
    const query = headers()
      .where('station_id', '=', station)
      .where('collect_time', '>=', from)
      .where('collect_time', '<=', to)
      .orderBy('collect_time', 'desc')
      .limit(limit)
    return (await all(query.compile())).map(toStored)
  }

  const removeSome = waveformRemover({
    list,
    writeDeletions: (deletions, options, further) =>
      writeTheme({ sources: [], times: [], records: [], deletions }, options, further),
  })

  return {
    findPlaces: waveformPlanner({ build, all, first }),

    write,

    async count({ station, from, to }) {
      const query = build
        .selectFrom('waveforms')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .where('station_id', '=', station)
        .where('collect_time', '>=', from)
        .where('collect_time', '<=', to)
      return (await first(query.compile()))?.count ?? 0
    },

    async find(station, from, to) {
      const query = headers()
        .where('station_id', '=', station)
        .where('collect_time', '>=', from)
        .where('collect_time', '<=', to)
        .orderBy('collect_time')
        .limit(1)
      const row = await first(query.compile())
      return row && toStored(row)
    },

    findById,

    list,

    removeSome,

    readSamples,

    async *inspect() {
      for await (const waveform of listAll()) {
        try {
          for await (const _samples of readSamples(waveform));
          yield { waveform }
        } catch (error) {
          // A waveform that was deleted meanwhile is not damaged.
          if (error instanceof RefusedError && error.reason === 'absent') continue
          if (!(error instanceof DamageError)) throw error
          yield { waveform, damage: error.message }
        }
      }
    },
  }
}

const gone = (): RefusedError =>
  new RefusedError('absent', 'The vibration batch was deleted or replaced while it was read.')

function joinRecords(all: readonly WaveformRecords[]): RecordsWithDeletions {
  return {
    sources: all.flatMap(({ sources }) => sources),
    times: all.flatMap(({ times }) => times),
    records: all.flatMap(({ records }) => records),
    deletions: {
      sources: all.flatMap(({ deletions }) => deletions?.sources ?? []),
      times: all.flatMap(({ deletions }) => deletions?.times ?? []),
    },
    marks: {
      sources: all.flatMap(({ marks }) => marks?.sources ?? []),
      times: all.flatMap(({ marks }) => marks?.times ?? []),
      marks: all.flatMap(({ marks }) => marks?.marks ?? []),
    },
    expected: {
      sources: all.flatMap(({ expected }) => expected?.sources ?? []),
      times: all.flatMap(({ expected }) => expected?.times ?? []),
      stored: all.flatMap(({ expected }) => expected?.stored ?? []),
    },
  }
}

type WaveformRow = Omit<StoredWaveform, 'trigger'> & {
  triggerTime: number
  triggerNanoseconds: number
}

const toStored = ({ triggerTime, triggerNanoseconds, ...rest }: WaveformRow): StoredWaveform => ({
  ...rest,
  trigger: { time: triggerTime, nanoseconds: triggerNanoseconds },
})
