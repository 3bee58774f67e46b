import { Type } from 'typebox'
import { id, itemKey } from './site-values.ts'

const closed = { additionalProperties: false }

const Peak = Type.Object(
  {
    item: itemKey("Key of the factor's item that gets the frequency, in Hz."),
    low: Type.Number({ minimum: 0, description: 'Where the band begins, in Hz.' }),
    high: Type.Number({ exclusiveMinimum: 0, description: 'Where it ends, in Hz.' }),
    ratio: Type.Optional(
      Type.Number({
        minimum: 1,
        default: 5,
        description: 'How many times the median amplitude of the band the peak must reach.',
      }),
    ),
  },
  { ...closed, description: 'The highest peak of a band of the spectrum.' },
)

/** A station whose values are the peak frequencies of another station's waveforms. */
export const WaveformSource = Type.Object(
  {
    station: id('Id of a vibration station of the same structure.'),
    peaks: Type.Array(Peak, { minItems: 1, description: 'What is looked for in each waveform.' }),
  },
  {
    ...closed,
    description: "The frequencies of another station's waveforms, a record for each of these.",
  },
)
