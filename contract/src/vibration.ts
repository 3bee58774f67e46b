import { Type, type Static } from 'typebox'
import { DatetimeString, Id } from './common.ts'
import { finding, operation } from './operation.ts'

const VibrationConfig = Type.Object({
  unit: Type.String(),
  sampleFreq: Type.String(),
  count: Type.Integer({ minimum: 1 }),
})

export type VibrationRaw = Static<typeof VibrationRaw>
export const VibrationRaw = Type.Object({
  config: VibrationConfig,
  data: Type.Array(Type.Object({ value: Type.String(), time: Type.String() })),
})

export type VibrationFft = Static<typeof VibrationFft>
export const VibrationFft = Type.Object({
  config: VibrationConfig,
  data: Type.Array(Type.Object({ value: Type.String(), frequency: Type.String() })),
})

const parameters = {
  params: Type.Object({ stationId: Id }),
  querystring: Type.Object({ collectTime: DatetimeString }),
}

export const getVibrationRaw = operation({
  operationId: 'getVibrationRaw',
  summary: 'Read the waveform of a vibration batch',
  method: 'GET',
  url: '/stations/:stationId/vibration/raw',
  base: '/api/v1',
  noun: 'vibration',
  config: finding('Vibration query failed'),
  schema: { ...parameters, response: { 200: VibrationRaw } },
})

export const getVibrationFft = operation({
  operationId: 'getVibrationFft',
  summary: 'Read the spectrum of a vibration batch',
  method: 'GET',
  url: '/stations/:stationId/vibration/fft',
  base: '/api/v1',
  noun: 'vibration',
  config: finding('Spectrum query failed'),
  schema: { ...parameters, response: { 200: VibrationFft } },
})
