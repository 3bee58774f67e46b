import { Type, type Static } from 'typebox'
import { DatetimeString, Id, LIMIT_MAXIMUM } from './common.ts'
import { finding, operation } from './operation.ts'

export type WaveformBatch = Static<typeof WaveformBatch>
/** A stored waveform, without its samples. */
export const WaveformBatch = Type.Object({
  id: Type.Integer({ description: 'Its number; a waveform that takes its place has another.' }),
  collectTime: DatetimeString,
  trigger: Type.String({ description: 'The exact instant of its first sample, in UTC.' }),
  unit: Type.String(),
  sampleFreq: Type.String(),
  count: Type.Integer({ minimum: 1 }),
})

const Numbers = Type.Array(Type.Number())

const params = Type.Object({ stationId: Id })

/** Which waveform is meant; neither: the newest. */
const choice = {
  collectTime: Type.Optional(DatetimeString),
  batch: Type.Optional(
    Type.Integer({ minimum: 1, description: 'Its id, in place of `collectTime`.' }),
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
      description:
        'Points of a segment. Left out: a power of two, about a quarter of the waveform.',
    }),
  ),
  overlap: Type.Number({
    minimum: 0,
    maximum: 0.95,
    default: 0.5,
    description: 'The part of a segment that the next one has too.',
  }),
}

const segmented = {
  batch: WaveformBatch,
  window: Type.String(),
  segment: Type.Integer(),
  overlap: Type.Number(),
  unit: Type.String(),
  step: Type.Number({ description: 'Hz between two lines; the first is at 0 Hz.' }),
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
      startTime: Type.Optional(DatetimeString),
      endTime: Type.Optional(DatetimeString),
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
        segments: Type.Integer({ description: 'How many were averaged.' }),
        bandwidth: Type.Number({ description: 'Hz over which a sine’s power spreads.' }),
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
      low: Type.Optional(hertz('Only peaks from here on.')),
      high: Type.Optional(hertz('Only peaks up to here.')),
      prominence: Type.Number({
        minimum: 0,
        maximum: 1,
        default: 0.1,
        description: 'Only peaks that rise by this part of the largest amplitude in the band.',
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
          description: 'The middle of each segment, in seconds after the trigger.',
        }),
        amplitudes: Type.Array(Numbers, { description: 'The lines of each segment.' }),
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
        description: 'What lies below, in Hz, is taken out.',
      }),
      high: Type.Optional(hertz('What lies above, in Hz, is taken out.')),
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
  summary: 'Find the force of a cable from a natural frequency in a waveform',
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
        description: 'Which natural frequency it is, counted from 1.',
      }),
      low: hertz('The frequency is looked for from here on.'),
      high: hertz('And up to here.'),
      ratio: Type.Number({
        minimum: 1,
        maximum: 1e6,
        default: 5,
        description: 'How many times the median amplitude of the band the peak must reach.',
      }),
    }),
    response: {
      200: Type.Object({
        batch: WaveformBatch,
        frequency: Type.Union([Type.Number(), Type.Null()], {
          description: 'In Hz; null where no peak stands out of the band.',
        }),
        force: Type.Union([Type.Number(), Type.Null()], { description: 'In newtons.' }),
      }),
    },
  },
})
