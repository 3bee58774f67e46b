import { RefusedError } from '../../errors/refused-error.ts'

/**
 * Returns the force in newtons of a taut cable without bending stiffness, from its n-th natural frequency:
 * F = 4 m L² (f_n / n)², with m in kg/m, L in m and f_n in Hz.
 */
export function cableForce(cable: {
  massPerMetre: number
  length: number
  frequency: number
  mode: number
}): number {
  const { massPerMetre, length, frequency, mode } = cable
  for (const [name, value] of Object.entries(cable))
    if (!(value > 0)) throw new RefusedError('invalid', `${name} is ${value}, expected more than 0`)
  return 4 * massPerMetre * length ** 2 * (frequency / mode) ** 2
}
