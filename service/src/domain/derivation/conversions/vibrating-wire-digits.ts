import { conversionKind } from './conversion-kind.ts'
import { correctionOf, MERSENNE, SIGN, TEMPERATURE, TEMPERATURE_INPUT } from './vibrating-wire.ts'

export const vibratingWireDigits = conversionKind({
  summary: 'k(R - R0) + kt(T - T0), R = f²/1000',
  source: `${MERSENNE}; a digit is f²/1000 with f in Hz`,
  parameters: {
    k: { unit: 'item unit / digit', description: "the gauge's factor, with its sign" },
    r0: { unit: 'digits', description: 'reading at the reference state' },
    ...TEMPERATURE,
  },
  texts: {
    sign: SIGN,
    reads: {
      default: 'digits',
      oneOf: ['digits', 'frequency'],
      description: 'what the sensor sends: digits, or the frequency in Hz that they are made from',
    },
  },
  inputs: {
    digits: 'the reading R in digits; not read with reads: frequency',
    frequency: 'the frequency f of the wire in Hz; read only with reads: frequency',
    temperature: TEMPERATURE_INPUT,
  },
  prepare({ k, r0, ...correction }, { sign, reads }) {
    const factor = sign === 'minus' ? -k : k
    const isFrequency = reads === 'frequency'
    return ({ digits, frequency, temperature }) => {
      const reading = isFrequency ? frequency ** 2 / 1000 : digits
      return factor * (reading - r0) + correctionOf(temperature, correction)
    }
  },
})
