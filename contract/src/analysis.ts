import { Type, type Static } from 'typebox'
import { DatetimeString, Id, LIMIT_MAXIMUM, TimeString } from './common.ts'
import { finding, operation } from './operation.ts'

export type WaveformBatch = Static<typeof WaveformBatch>
/** A stored waveform, without its samples. */
export const WaveformBatch = Type.Object({
  id: Type.Integer({
    description: 'Id of the waveform. A waveform that replaces it gets another id.',
  }),
  collectTime: DatetimeString,
  trigger: Type.String({ description: 'The exact time of the first sample, in UTC.' }),
  unit: Type.String(),
  sampleFreq: Type.String(),
  count: Type.Integer({ minimum: 1 }),
})

const Numbers = Type.Array(Type.Number())

const params = Type.Object({ stationId: Id })

/** The choice of a waveform; without either member the newest one. */
const choice = {
  collectTime: Type.Optional(DatetimeString),
  batch: Type.Optional(
    Type.Integer({ minimum: 1, description: 'Id of the waveform, instead of `collectTime`.' }),
  ),
}

const Window = Type.Union(
  [
    Type.Literal('rectangular'),
    Type.Literal('hann'),
    Type.Literal('hamming'),
    Type.Literal('flattop'),
  ],
  { default: 'hann' },
)

const segmentation = {
  window: Window,
  segment: Type.Optional(
    Type.Integer({
      minimum: 8,
      maximum: 1_048_576,
      description: 'Points of a segment. Default: a power of two, about a quarter of the waveform.',
    }),
  ),
  overlap: Type.Number({
    minimum: 0,
    maximum: 0.95,
    default: 0.5,
    description: 'Fraction of a segment that the next one overlaps.',
  }),
}

const segmented = {
  batch: WaveformBatch,
  window: Type.String(),
  segment: Type.Integer(),
  overlap: Type.Number(),
  unit: Type.String(),
  step: Type.Number({ description: 'Hz between two spectral lines. The first line is at 0 Hz.' }),
}

const hertz = (description: string) => Type.Number({ minimum: 0, maximum: 1e7, description })

export const listVibrationBatches = operation({
  operationId: 'listVibrationBatches',
  summary: 'List the waveforms of a station, newest first',
  method: 'GET',
  url: '/stations/:stationId/vibration/batches',
  base: '/manage/v1',
  noun: 'analysis',
  config: finding('Vibration query failed'),
  schema: {
    params,
    querystring: Type.Object({
      startTime: Type.Optional(TimeString),
      endTime: Type.Optional(TimeString),
      limit: Type.Integer({ minimum: 1, maximum: LIMIT_MAXIMUM, default: 100 }),
    }),
    response: { 200: Type.Array(WaveformBatch) },
  },
})

export const getVibrationPsd = operation({
  operationId: 'getVibrationPsd',
  summary: 'Read the power spectral density of a waveform',
  method: 'GET',
  url: '/stations/:stationId/vibration/psd',
  base: '/manage/v1',
  noun: 'analysis',
  config: finding('Spectrum query failed'),
  schema: {
    params,
    querystring: Type.Object({ ...choice, ...segmentation }),
    response: {
      200: Type.Object({
        ...segmented,
        segments: Type.Integer({ description: 'Number of averaged segments.' }),
        bandwidth: Type.Number({ description: 'Effective noise bandwidth in Hz.' }),
        density: Numbers,
      }),
    },
  },
})

export const getVibrationPeaks = operation({
  operationId: 'getVibrationPeaks',
  summary: 'List the peaks of the spectrum of a waveform',
  method: 'GET',
  url: '/stations/:stationId/vibration/peaks',
  base: '/manage/v1',
  noun: 'analysis',
  config: finding('Spectrum query failed'),
  schema: {
    params,
    querystring: Type.Object({
      ...choice,
      window: Window,
      low: Type.Optional(hertz('Lower end of the band in Hz.')),
      high: Type.Optional(hertz('Upper end of the band in Hz.')),
      prominence: Type.Number({
        minimum: 0,
        maximum: 1,
        default: 0.1,
        description:
          'The lowest prominence of a peak, as a fraction of the largest amplitude in the band.',
      }),
      limit: Type.Integer({ minimum: 1, maximum: 1_000, default: 10 }),
    }),
    response: {
      200: Type.Object({
        batch: WaveformBatch,
        window: Type.String(),
        unit: Type.String(),
        peaks: Type.Array(
          Type.Object({
            frequency: Type.Number(),
            amplitude: Type.Number(),
            prominence: Type.Number(),
          }),
        ),
      }),
    },
  },
})

export const getVibrationSpectrogram = operation({
  operationId: 'getVibrationSpectrogram',
  summary: 'Read the spectrogram of a waveform',
  method: 'GET',
  url: '/stations/:stationId/vibration/spectrogram',
  base: '/manage/v1',
  noun: 'analysis',
  config: finding('Spectrum query failed'),
  schema: {
    params,
    querystring: Type.Object({ ...choice, ...segmentation }),
    response: {
      200: Type.Object({
        ...segmented,
        times: Type.Array(Type.Number(), {
          description: 'The centre of each segment, in seconds after the trigger.',
        }),
        amplitudes: Type.Array(Numbers, { description: 'The amplitudes of each segment.' }),
      }),
    },
  },
})

export const getVibrationIntegrated = operation({
  operationId: 'getVibrationIntegrated',
  summary: 'Integrate an acceleration to velocity or displacement',
  method: 'GET',
  url: '/stations/:stationId/vibration/integrated',
  base: '/manage/v1',
  noun: 'analysis',
  config: finding('Vibration query failed'),
  schema: {
    params,
    querystring: Type.Object({
      ...choice,
      to: Type.Union([Type.Literal('velocity'), Type.Literal('displacement')]),
      low: Type.Number({
        exclusiveMinimum: 0,
        maximum: 1e7,
        description: 'Cut-off frequency of the high-pass filter, in Hz.',
      }),
      high: Type.Optional(hertz('Cut-off frequency of the low-pass filter, in Hz. Default: none.')),
    }),
    response: {
      200: Type.Object({
        batch: WaveformBatch,
        to: Type.String(),
        low: Type.Number(),
        high: Type.Number(),
        unit: Type.String(),
        samples: Numbers,
      }),
    },
  },
})

const positive = (description: string) =>
  Type.Number({ exclusiveMinimum: 0, maximum: 1e7, description })

export const getCableForce = operation({
  operationId: 'getCableForce',
  summary: 'Compute the force of a cable from a natural frequency in a waveform',
  method: 'GET',
  url: '/stations/:stationId/vibration/cable-force',
  base: '/manage/v1',
  noun: 'analysis',
  config: finding('Cable force query failed'),
  schema: {
    params,
    querystring: Type.Object({
      ...choice,
      massPerMetre: positive('In kg/m.'),
      length: positive('Free length in m.'),
      mode: Type.Integer({
        minimum: 1,
        maximum: 100,
        default: 1,
        description: 'Number of the natural frequency, from 1.',
      }),
      low: hertz('Lower end of the searched band in Hz.'),
      high: hertz('Upper end of the searched band in Hz.'),
      ratio: Type.Number({
        minimum: 1,
        maximum: 1e6,
        default: 5,
        description: 'The lowest ratio of the peak to the median amplitude of the band.',
      }),
    }),
    response: {
      200: Type.Object({
        batch: WaveformBatch,
        frequency: Type.Union([Type.Number(), Type.Null()], {
          description: 'In Hz; null without a peak that reaches `ratio`.',
        }),
        force: Type.Union([Type.Number(), Type.Null()], {
          description: 'In newtons; null without a frequency.',
        }),
      }),
    },
  },
})
