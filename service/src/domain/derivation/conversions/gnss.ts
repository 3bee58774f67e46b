import { radians } from './angle.ts'
import { conversionKind } from './conversion-kind.ts'

const reference = (axis: string) =>
  ({
    unit: 'm',
    optional: true,
    description: `coordinate ${axis} at the reference state; needed for what is computed from it`,
  }) as const

/** One component of a displacement; a station's three items have a conversion each. */
export const gnss = conversionKind({
  summary: '(x - x0, y - y0, z - z0) · 1000, turned by azimuth',
  source: 'a difference of plane coordinates, and the plane rotation of axes (ISO 80000-2:2019)',
  parameters: {
    x0: reference('x'),
    y0: reference('y'),
    z0: reference('z'),
    azimuth: {
      unit: '°',
      default: 0,
      description:
        "angle of the bridge's axis from the raw x axis towards the raw y axis; its compass " +
        'azimuth where x is north and y is east',
    },
  },
  texts: {
    axis: {
      oneOf: ['x', 'y', 'z'],
      description: 'component that is computed: x, y or z, x along the bridge when it is turned',
    },
  },
  inputs: {
    x: 'the coordinate x in m; not read where it does not matter',
    y: 'the coordinate y in m; not read where it does not matter',
    z: 'the coordinate z in m; read for the component z only',
  },
  findFault({ azimuth, ...numbers }, { axis }) {
    const needed: (keyof typeof numbers)[] =
      axis === 'z' ? ['z0'] : azimuth !== 0 ? ['x0', 'y0'] : axis === 'x' ? ['x0'] : ['y0']
    const missing = needed.find((name) => Number.isNaN(numbers[name]))
    return missing === undefined ? undefined : `gnss needs parameter ${missing} for axis: ${axis}`
  },
  prepare({ x0, y0, z0, azimuth }, { axis }) {
    if (axis === 'z') return ({ z }) => (z - z0) * 1000
    if (azimuth === 0) return axis === 'x' ? ({ x }) => (x - x0) * 1000 : ({ y }) => (y - y0) * 1000
    const along = Math.cos(radians(azimuth)) * 1000
    const across = Math.sin(radians(azimuth)) * 1000
    return axis === 'x'
      ? ({ x, y }) => (x - x0) * along + (y - y0) * across
      : ({ x, y }) => (y - y0) * along - (x - x0) * across
  },
})
