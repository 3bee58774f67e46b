import { prepareSamples } from './prepared-samples.ts'
import { decodeSamples, type Encoding } from './decode-samples.ts'
import { readFile, type FilePlan } from './read-file.ts'

/** What is done with large bodies beside the main thread. */
export const WAVEFORM_TASKS = {
  file: (bytes: Uint8Array, plan: FilePlan) => {
    const { batches, unmapped } = readFile(bytes, plan)
    const prepared = batches.map(({ samples, ...batch }) => ({
      batch,
      preparation: prepareSamples(samples),
    }))
    return { prepared, unmapped }
  },

  samples: (bytes: Uint8Array, encoding: Encoding) => ({
    prepared: [{ preparation: prepareSamples(decodeSamples(bytes, encoding)) }],
  }),
} as const
