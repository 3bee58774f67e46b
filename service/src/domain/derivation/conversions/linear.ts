import { conversionKind } from './conversion-kind.ts'

export const linear = conversionKind({
  summary: 'k(v - v0) + c',
  source: "a straight calibration curve (JCGM 200:2012, 4.31), as on a sensor's calibration sheet",
  parameters: {
    k: { unit: 'item unit / raw unit', description: 'sensitivity' },
    v0: { unit: 'raw unit', default: 0, description: 'reading at the reference state' },
    c: { unit: 'item unit', default: 0, description: 'value at the reference state' },
  },
  inputs: { value: 'the raw reading v' },
  prepare({ k, v0, c }) {
    return ({ value }) => k * (value - v0) + c
  },
})
