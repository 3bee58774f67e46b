import { conversionKind } from './conversion-kind.ts'

export const cableForce = conversionKind({
  summary: 'F = 4 m L² (f / n)²',
  source:
    'the taut string without bending stiffness and sag (Mersenne, Taylor), as in H. M. Irvine, ' +
    'Cable Structures, 1981',
  parameters: {
    mass: { unit: 'kg/m', above: 0, description: 'mass m of the cable per length' },
    length: { unit: 'm', above: 0, description: 'free length L of the cable' },
    order: {
      unit: '1',
      above: 0,
      whole: true,
      description: 'order n of the frequency that is read, 1 being the lowest',
    },
  },
  texts: {
    unit: { oneOf: ['N', 'kN'], description: 'unit of the force' },
  },
  inputs: { frequency: 'the natural frequency f of that order in Hz' },
  prepare({ mass, length, order }, { unit }) {
    const factor = (4 * mass * length ** 2) / order ** 2 / (unit === 'kN' ? 1000 : 1)
    return ({ frequency }) => factor * frequency ** 2
  },
})
