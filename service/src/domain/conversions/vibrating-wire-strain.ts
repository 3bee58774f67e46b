import { type ConversionKind, finite } from './conversion-kind.ts'

export const vibratingWireStrain: ConversionKind = {
  summary: 'k(f² - f0²) + kt(T - T0)',
  source:
    "the stress of a wire grows with its frequency squared (Mersenne's law); J. Dunnicliff, " +
    'Geotechnical Instrumentation for Monitoring Field Performance, 1988, vibrating wire transducers',
  parameters: {
    k: { unit: 'item unit / Hz²', description: "the gauge's factor, with its sign" },
    f0: { unit: 'Hz', description: 'frequency at the reference state' },
    kt: { unit: 'item unit / °C', default: 0, description: 'temperature correction' },
    t0: {
      unit: '°C',
      default: 0,
      neededWith: 'kt',
      description: 'temperature at the reference state',
    },
  },
  inputs: {
    frequency: 'the frequency f of the wire in Hz',
    temperature: 'the temperature T of the gauge in °C; not read when kt is 0',
  },
  convert({ frequency = NaN, temperature = NaN }, { k = NaN, f0 = NaN, kt = 0, t0 = 0 }) {
    const correction = kt === 0 ? 0 : kt * (temperature - t0)
    return finite(k * (frequency ** 2 - f0 ** 2) + correction)
  },
}
