import { conversionKind } from './conversion-kind.ts'
import { correctionOf, MERSENNE, TEMPERATURE, TEMPERATURE_INPUT } from './vibrating-wire.ts'

export const vibratingWirePiezometer = conversionKind({
  summary: 'P = k(f0² - f²) + kt(T - T0); head P / 9.80665; level elevation + head',
  source:
    `${MERSENNE}; the head of water of 1000 kg/m³ under standard gravity, 9.80665 m/s² ` +
    '(3rd General Conference on Weights and Measures, 1901)',
  parameters: {
    k: { unit: 'kPa / Hz²', description: "the gauge's factor, with its sign" },
    f0: { unit: 'Hz', description: 'frequency without pressure' },
    ...TEMPERATURE,
    kt: { ...TEMPERATURE.kt, unit: 'kPa / °C' },
    unitWeight: {
      unit: 'kN/m³',
      default: 9.80665,
      above: 0,
      description: 'weight of the water; matters to head and level',
    },
    elevation: {
      unit: 'm',
      optional: true,
      description: 'elevation of the sensor; needed for the level, and only there',
    },
  },
  texts: {
    output: {
      default: 'pressure',
      oneOf: ['pressure', 'head', 'level'],
      description: 'what is computed: pressure in kPa, head in m, or level of the water in m',
    },
  },
  inputs: { frequency: 'the frequency f of the wire in Hz', temperature: TEMPERATURE_INPUT },
  findFault({ elevation }, { output }) {
    const isGiven = !Number.isNaN(elevation)
    if (output === 'level' && !isGiven) {
      return 'vibratingWirePiezometer needs parameter elevation for output: level'
    }
    if (output === 'level' || !isGiven) return undefined
    return `parameter elevation of vibratingWirePiezometer has no meaning for output: ${output}, expected output: level`
  },
  prepare({ k, f0, unitWeight, elevation, ...correction }, { output }) {
    const divisor = output === 'pressure' ? 1 : unitWeight
    const base = output === 'level' ? elevation : 0
    return ({ frequency, temperature }) => {
      const pressure = k * (f0 ** 2 - frequency ** 2) + correctionOf(temperature, correction)
      return base + pressure / divisor
    }
  },
})
