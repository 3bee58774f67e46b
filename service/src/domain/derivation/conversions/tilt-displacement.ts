import { radians } from './angle.ts'
import { conversionKind } from './conversion-kind.ts'

export const tiltDisplacement = conversionKind({
  summary: 'L(sin a - sin a0) · 1000',
  source:
    'the offset of the end of a rigid segment; J. Dunnicliff, Geotechnical Instrumentation for ' +
    'Monitoring Field Performance, 1988, inclinometers: L sin a',
  parameters: {
    length: {
      unit: 'm',
      above: 0,
      description: 'length L of the segment, or height above its foot',
    },
    a0: { unit: '°', default: 0, description: 'angle at the reference state' },
  },
  inputs: { angle: 'the angle a from the plumb line in degrees' },
  prepare({ length, a0 }) {
    const reference = Math.sin(radians(a0))
    return ({ angle }) => length * (Math.sin(radians(angle)) - reference) * 1000
  },
})
