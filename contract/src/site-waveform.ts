import { Type } from 'typebox'
import { id, itemKey } from './site-values.ts'

const closed = { additionalProperties: false }

const Peak = Type.Object(
  {
    item: itemKey('Key of the item that gets the frequency, in Hz.'),
    low: Type.Number({ minimum: 0, description: 'Lower end of the band in Hz.' }),
    high: Type.Number({ exclusiveMinimum: 0, description: 'Upper end of the band in Hz.' }),
    ratio: Type.Optional(
      Type.Number({
        minimum: 1,
        default: 5,
        description: 'The lowest ratio of the peak to the median amplitude of the band.',
      }),
    ),
  },
  { ...closed, description: 'The highest peak of a band of the spectrum.' },
)

/** The source of a station whose values are frequencies of peaks in waveforms of another station. */
export const WaveformSource = Type.Object(
  {
    station: id('Id of a vibration station of the same structure.'),
    peaks: Type.Array(Peak, { minItems: 1, description: 'The peaks that are tracked.' }),
  },
  {
    ...closed,
    description: "Frequencies of another station's waveforms. Each waveform gives a record.",
  },
)
