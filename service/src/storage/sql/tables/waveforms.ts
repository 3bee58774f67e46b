import type { Generated } from 'kysely'

export type WaveformTables = {
  waveforms: {
    id: Generated<number>
    station_id: number
    /** The second by which clients request it; no other waveform of the station has it. */
    collect_time: number
    trigger_time: number
    trigger_nanoseconds: number
    sample_freq: string
    unit: string
    count: number
    sample_bytes: number
  }
  /** The id is 2,097,152 times that of the waveform, plus the index of the chunk. */
  waveform_chunks: { id: number; crc: number; samples: Uint8Array }
}
