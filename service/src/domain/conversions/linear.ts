import { type ConversionKind, finite } from './conversion-kind.ts'

export const linear: ConversionKind = {
  summary: 'k(v - v0) + c',
  source: "a straight calibration curve (JCGM 200:2012, 4.31), as on a sensor's calibration sheet",
  parameters: {
    k: { unit: 'item unit / raw unit', description: 'sensitivity' },
    v0: { unit: 'raw unit', default: 0, description: 'reading at the reference state' },
    c: { unit: 'item unit', default: 0, description: 'value at the reference state' },
  },
  inputs: { value: 'the raw reading v' },
  convert({ value = NaN }, { k = NaN, v0 = 0, c = 0 }) {
    return finite(k * (value - v0) + c)
  },
}
