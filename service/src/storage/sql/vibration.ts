import { statement, type SqlEngine, type Statement } from './engine.ts'
import type { RecordRows, VibrationHeader, VibrationStore } from '../storage.ts'

/** Samples of one piece: a reader holds at most half a megabyte of a waveform at once. */
const PIECE_SAMPLES = 65_536

/** Where a batch is found before its own number is known. */
const BATCH_ID = '(select id from vibration_batches where station_id = ? and collect_time = ?)'

type Dependencies = SqlEngine & { themeInserts(rows: RecordRows): Statement[] }

export function vibrationStore({ build, all, write, themeInserts }: Dependencies): VibrationStore {
  return {
    async write({ station, collectTime, sampleFreq, unit, samples }, theme) {
      const stored = Float32Array.from(samples)
      const isSingle = samples.every((sample, index) => sample === stored[index])
      const exact = isSingle ? stored : samples
      const removal: Statement = {
        sql: 'delete from vibration_batches where station_id = ? and collect_time = ?',
        width: 2,
        values: [station, collectTime],
      }
      const insert = build.insertInto('vibration_batches').values({
        station_id: station,
        collect_time: collectTime,
        sample_freq: sampleFreq,
        unit,
        count: samples.length,
        sample_bytes: exact.BYTES_PER_ELEMENT,
      })
      const pieces: Statement = {
        sql: `insert into vibration_samples (batch_id, piece, samples) values (${BATCH_ID}, ?, ?)`,
        width: 4,
        values: cut(exact).flatMap((bytes, piece) => [station, collectTime, piece, bytes]),
      }
      const [removed] = await write([
        removal,
        statement(insert.compile()),
        pieces,
        ...themeInserts(theme),
      ])
      return { replaced: removed?.changed ?? 0 }
    },

    async find(station, from, to) {
      const query = build
        .selectFrom('vibration_batches')
        .select(['id', 'collect_time as collectTime', 'sample_freq as sampleFreq'])
        .select(['unit', 'count'])
        .where('station_id', '=', station)
        .where('collect_time', '>=', from)
        .where('collect_time', '<=', to)
        .orderBy('collect_time')
        .limit(1)
      const [row] = await all<VibrationHeader>(query.compile())
      return row
    },

    async *readSamples(id) {
      for (let piece = 0; ; piece++) {
        const query = build
          .selectFrom('vibration_samples')
          .innerJoin('vibration_batches', 'vibration_batches.id', 'vibration_samples.batch_id')
          .select(['samples', 'sample_bytes as sampleBytes'])
          .where('batch_id', '=', id)
          .where('piece', '=', piece)
        const [row] = await all<{ samples: Uint8Array; sampleBytes: number }>(query.compile())
        if (row === undefined) return
        yield toSamples(row.samples, row.sampleBytes)
      }
    },
  }
}

/** Little-endian bytes of a waveform, in pieces. */
function cut(samples: Float32Array | Float64Array): Uint8Array[] {
  const pieces: Uint8Array[] = []
  for (let at = 0; at < samples.length; at += PIECE_SAMPLES) {
    const piece = samples.subarray(at, at + PIECE_SAMPLES)
    pieces.push(new Uint8Array(piece.slice().buffer))
  }
  return pieces
}

function toSamples(bytes: Uint8Array, sampleBytes: number): Float64Array {
  // A copy starts at an even address, as typed arrays want it.
  const { buffer } = Uint8Array.from(bytes)
  return sampleBytes === 4 ? Float64Array.from(new Float32Array(buffer)) : new Float64Array(buffer)
}
