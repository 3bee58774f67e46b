import type { Generated } from 'kysely'

export type WaveformTables = {
  waveforms: {
    id: Generated<number>
    station_id: number
    /** The second under which it is asked for, which no other waveform of the station has. */
    collect_time: number
    trigger_time: number
    trigger_nanoseconds: number
    sample_freq: string
    unit: string
    count: number
    sample_bytes: number
  }
  /** The id is 2,097,152 times the waveform's, and the chunk's place. */
  waveform_chunks: { id: number; crc: number; samples: Uint8Array }
}
