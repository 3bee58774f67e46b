import type { WaveformFormat } from '@plumbline/contract'
import { zone } from '../../domain/time/local-time.ts'
import { isSkipped } from '../../domain/time/skipped-time.ts'
import { readWaveforms } from '../../domain/waveforms/read-waveforms.ts'
import type { WaveformOptions } from '../../domain/waveforms/waveform.ts'
import { assignChannels, type AssignedChannels, type ChannelPlan } from './assign-channels.ts'

/** How a file of waveforms is read; all of it can be sent to another thread. */
export type FilePlan = ChannelPlan & {
  /** Left out: recognised from the first bytes. */
  format?: WaveformFormat | undefined
  options: WaveformOptions
  /** The name of the zone of times without an offset. */
  zone?: string | undefined
}

/** Reads the waveforms of a file and assigns their channels; throws as `assignChannels`. */
export function readFile(bytes: Uint8Array, plan: FilePlan): AssignedChannels {
  const { format, options, zone: zoneName } = plan
  const waveforms = readWaveforms(bytes, {
    ...withZone(options, zoneName),
    ...(format === undefined ? {} : { format }),
  })
  return assignChannels(waveforms, plan)
}

function withZone(options: WaveformOptions, zoneName: string | undefined): WaveformOptions {
  const { csv } = options
  if (csv?.time === undefined || zoneName === undefined) return options
  const local = zone(zoneName)
  const toInstant = (text: string) => {
    const instant = local.toInstant(text)
    return instant === undefined || isSkipped(text, instant, local) ? undefined : instant
  }
  const time = { ...csv.time, toInstant }
  return { ...options, csv: { ...csv, time } }
}
