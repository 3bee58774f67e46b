import { router } from '../../state/router.svelte.ts'

export type Shown = { from: number; to: number }

const DIGITS = 8

/** What a plot shows, as the address has it: `shown=12.5,14`. */
export function readShown(text = router.query['shown']): Shown | undefined {
  const [from = NaN, to = NaN] = (text ?? '').split(',').map(Number)
  return to > from ? { from, to } : undefined
}

export const writeShown = (shown: Shown | undefined): void =>
  router.setQuery({
    shown:
      shown && [shown.from, shown.to].map((place) => Number(place.toPrecision(DIGITS))).join(','),
  })
