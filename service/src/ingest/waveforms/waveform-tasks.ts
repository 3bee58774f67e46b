import { prepareSamples, type SamplePreparation } from './prepared-samples.ts'
import { decodeSamples, type SampleDecoding } from './decode-samples.ts'
import { readFile, type FilePlan } from './read-file.ts'
import { convertSamples } from './station-unit.ts'

/** The tasks of the thread that reads large bodies. */
export const WAVEFORM_TASKS = {
  file: (bytes: Uint8Array, plan: FilePlan) => {
    const { planned, ...channels } = readFile(bytes, plan)
    const prepared = planned.map(({ samples, ...waveform }) => ({
      waveform,
      preparation: prepareSamples(samples),
    }))
    return { prepared, channels }
  },

  samples: (
    bytes: Uint8Array,
    { encoding, conversion }: SampleDecoding,
  ): { prepared: [{ preparation: SamplePreparation }] } => {
    const samples = convertSamples(decodeSamples(bytes, encoding), conversion)
    return { prepared: [{ preparation: prepareSamples(samples) }] }
  },
}
