import { zone } from '../../domain/time/local-time.ts'
import { readWaveforms } from '../../domain/waveforms/read-waveforms.ts'
import type { WaveformFormat, WaveformOptions } from '../../domain/waveforms/waveform.ts'
import { assignChannels, type ChannelPlan, type PlannedBatch } from './assign-channels.ts'

/** What is told of a file of waveforms; all of it can be sent to another thread. */
export type FilePlan = ChannelPlan & {
  /** Left out: the one that its first bytes are of. */
  format?: WaveformFormat | undefined
  options: WaveformOptions
  /** The name of the zone of times without an offset. */
  zone?: string | undefined
}

/** The batches of the waveforms of a file, and the channels that go nowhere; or refuses the file. */
export function readFile(
  bytes: Uint8Array,
  plan: FilePlan,
): { batches: PlannedBatch[]; unmapped: string[] } {
  const { format, options, zone: zoneName } = plan
  const waveforms = readWaveforms(bytes, {
    ...withClock(options, zoneName),
    ...(format === undefined ? {} : { format }),
  })
  return assignChannels(waveforms, plan)
}

function withClock(options: WaveformOptions, zoneName: string | undefined): WaveformOptions {
  const { csv } = options
  if (csv?.time === undefined || zoneName === undefined) return options
  const clock = zone(zoneName)
  const time = { ...csv.time, toInstant: (local: string) => clock.toInstant(local) }
  return { ...options, csv: { ...csv, time } }
}
