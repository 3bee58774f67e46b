import { conversionKind } from './conversion-kind.ts'
import { correctionOf, MERSENNE, SIGN, TEMPERATURE, TEMPERATURE_INPUT } from './vibrating-wire.ts'

/** Strain or stress, which differ in their factors only. */
export const vibratingWireStrain = conversionKind({
  summary: 'k(f² - f0²) + kt(T - T0)',
  source: MERSENNE,
  parameters: {
    k: { unit: 'item unit / Hz²', description: "the gauge's factor, with its sign" },
    f0: { unit: 'Hz', description: 'frequency at the reference state' },
    ...TEMPERATURE,
  },
  texts: { sign: SIGN },
  inputs: { frequency: 'the frequency f of the wire in Hz', temperature: TEMPERATURE_INPUT },
  prepare({ k, f0, ...correction }, { sign }) {
    const factor = sign === 'minus' ? -k : k
    return ({ frequency, temperature }) =>
      factor * (frequency ** 2 - f0 ** 2) + correctionOf(temperature, correction)
  },
})
