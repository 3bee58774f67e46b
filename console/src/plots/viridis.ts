/** Viridis at nine places: even steps of lightness, told apart by colour-blind people and in grey. */
const STOPS = [
  [68, 1, 84],
  [71, 44, 122],
  [59, 81, 139],
  [44, 113, 142],
  [33, 144, 141],
  [39, 173, 129],
  [92, 200, 99],
  [170, 220, 50],
  [253, 231, 37],
] as const

/** The red, green and blue of 256 steps, one after the other. */
export const VIRIDIS: Readonly<Uint8ClampedArray> = Uint8ClampedArray.from(
  { length: 256 * 3 },
  (_, at) => {
    const place = (Math.floor(at / 3) / 255) * (STOPS.length - 1)
    const stop = Math.min(Math.floor(place), STOPS.length - 2)
    const [low, high] = [STOPS[stop]![at % 3]!, STOPS[stop + 1]![at % 3]!]
    return low + (high - low) * (place - stop)
  },
)
