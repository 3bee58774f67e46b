/** The source of the conversions of vibrating wire gauges. */
export const MERSENNE =
  "the stress of a wire grows with its frequency squared (Mersenne's law); J. Dunnicliff, " +
  'Geotechnical Instrumentation for Monitoring Field Performance, 1988, vibrating wire transducers'

/** The correction for temperature, kt(T - T0). */
export const TEMPERATURE = {
  kt: { unit: 'item unit / °C', default: 0, description: 'temperature correction' },
  t0: {
    unit: '°C',
    default: 0,
    neededWith: 'kt',
    description: 'temperature at the reference state',
  },
} as const

export const TEMPERATURE_INPUT = 'the temperature T of the gauge in °C; not read when kt is 0'

/** Whether the value rises or falls with the frequency of the wire. */
export const SIGN = {
  default: 'plus',
  oneOf: ['plus', 'minus'],
  description:
    'plus where a tauter wire means a larger value, minus where it means a smaller one: the ' +
    'reference less the reading',
} as const

type Correction = Readonly<{ kt: number; t0: number }>

/** Returns the correction; with a coefficient of 0 no temperature is needed. */
export function correctionOf(temperature: number, { kt, t0 }: Correction): number {
  return kt === 0 ? 0 : kt * (temperature - t0)
}
